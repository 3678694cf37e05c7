import { type Gamemode, isUserName } from '@fish-crab/sdk/constants'
import { matchGamemode, type PageGamemodes } from '../../data/gamemodes.ts'
import type { Kind } from '../../data/summary.ts'
import { type AuditFilter, isAuditAction } from './audit.ts'

/** A view of the page. The fragment of the address names the current view. */
export type View =
  | { readonly name: 'overview' | 'administrators' }
  | { readonly name: 'players'; readonly search: string }
  | {
      readonly name: 'player'
      readonly player: string
      /** @default the kind and gamemode of the latest catch */
      readonly kind: Kind | undefined
      readonly gamemode: Gamemode | undefined
    }
  | { readonly name: 'leaderboard'; readonly kind: Kind; readonly gamemode: Gamemode | undefined }
  | { readonly name: 'audit'; readonly filter: AuditFilter }
  | { readonly name: 'unknown' }

/** Reads a fragment, such as `#players/Alex?gamemode=earth`. Invalid parts of the query are ignored. */
export function readView(fragment: string, gamemodes: PageGamemodes): View {
  const [path = '', search = ''] = fragment.replace(/^#/, '').split('?', 2)
  const query = new URLSearchParams(search)
  const [name, ...rest] = path.split('/').filter((part) => part !== '')
  const named = query.get('kind')
  const kind = named === 'crab' || named === 'fish' ? named : undefined
  const gamemode = matchGamemode(gamemodes, query.get('gamemode'))
  if (name === 'players' && rest.length === 1 && isUserName(rest[0] ?? '')) {
    return { name: 'player', player: rest[0] ?? '', kind, gamemode }
  }
  if (rest.length > 0) return { name: 'unknown' }
  switch (name) {
    case undefined:
      return { name: 'overview' }
    case 'overview':
    case 'administrators':
      return { name }
    case 'players':
      return { name, search: query.get('search') ?? '' }
    case 'leaderboard':
      return { name, kind: kind ?? 'fish', gamemode }
    case 'audit': {
      const [action, since] = [query.get('action'), query.get('since') ?? '']
      return {
        name,
        filter: {
          text: query.get('text') ?? '',
          action: isAuditAction(action) ? action : undefined,
          since: /^\d{4}-\d\d-\d\d$/.test(since) && !Number.isNaN(Date.parse(since)) ? since : '',
        },
      }
    }
    default:
      return { name: 'unknown' }
  }
}

/** Returns the fragment that {@link readView} reads as the given view. */
export function fragmentOf(view: View): string {
  switch (view.name) {
    case 'unknown':
      return '#overview'
    case 'overview':
    case 'administrators':
      return `#${view.name}`
    case 'players':
      return `#players${queryOf({ search: view.search })}`
    case 'player':
      return `#players/${view.player}${queryOf({ kind: view.kind, gamemode: view.gamemode })}`
    case 'leaderboard':
      return `#leaderboard${queryOf({ kind: view.kind, gamemode: view.gamemode })}`
    case 'audit':
      return `#audit${queryOf({ ...view.filter })}`
  }
}

/** The view of a player's latest catches. */
export function playerView(player: string): View {
  return { name: 'player', player, kind: undefined, gamemode: undefined }
}

function queryOf(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
