import { type Gamemode, isUserName, RARITIES } from '@fish-crab/sdk/constants'
import { matchGamemode, type PageGamemodes } from '../../data/gamemodes.ts'
import type { Kind } from '../../data/summary.ts'
import { type AuditFilter, isAuditAction } from './audit.ts'
import { DEFAULT_SORT, isPlayerSort, type PlayerSort } from './player-list.ts'
import type { CatchFilter } from './records.ts'

/** A view of the page. The fragment of the address names the current view. */
export type View =
  | { readonly name: 'overview' | 'administrators' | 'import' | 'invitations' }
  | { readonly name: 'players'; readonly search: string; readonly sort: PlayerSort }
  | {
      readonly name: 'player'
      readonly player: string
      /** @default the kind and gamemode of the latest catch */
      readonly kind: Kind | undefined
      readonly gamemode: Gamemode | undefined
      readonly filter: CatchFilter
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
    const filter = {
      text: query.get('text') ?? '',
      rarity: RARITIES.find(({ label }) => label === query.get('rarity'))?.label,
      day: readDay(query.get('day')),
    }
    return { name: 'player', player: rest[0] ?? '', kind, gamemode, filter }
  }
  if (rest.length > 0) return { name: 'unknown' }
  switch (name) {
    case undefined:
      return { name: 'overview' }
    case 'overview':
    case 'administrators':
    case 'import':
    case 'invitations':
      return { name }
    case 'players': {
      const sort = query.get('sort')
      return { name, search: query.get('search') ?? '', sort: isPlayerSort(sort) ? sort : DEFAULT_SORT }
    }
    case 'leaderboard':
      return { name, kind: kind ?? 'fish', gamemode }
    case 'audit': {
      const action = query.get('action')
      return {
        name,
        filter: {
          text: query.get('text') ?? '',
          action: isAuditAction(action) ? action : undefined,
          since: readDay(query.get('since')),
        },
      }
    }
    default:
      return { name: 'unknown' }
  }
}

function readDay(text: string | null): string {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
}

/** Returns the fragment that {@link readView} reads as the given view. */
export function fragmentOf(view: View): string {
  switch (view.name) {
    case 'unknown':
      return '#overview'
    case 'overview':
    case 'administrators':
    case 'import':
    case 'invitations':
      return `#${view.name}`
    case 'players':
      return `#players${queryOf({ search: view.search, sort: view.sort === DEFAULT_SORT ? '' : view.sort })}`
    case 'player':
      return `#players/${view.player}${queryOf({ kind: view.kind, gamemode: view.gamemode, ...view.filter })}`
    case 'leaderboard':
      return `#leaderboard${queryOf({ kind: view.kind, gamemode: view.gamemode })}`
    case 'audit':
      return `#audit${queryOf({ ...view.filter })}`
  }
}

/** The view of a player's latest catches. */
export function playerView(player: string): View {
  return { name: 'player', player, kind: undefined, gamemode: undefined, filter: NO_FILTER }
}

export const NO_FILTER: CatchFilter = { text: '', rarity: undefined, day: '' }
export const ALL_PLAYERS: View = { name: 'players', search: '', sort: DEFAULT_SORT }

function queryOf(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
