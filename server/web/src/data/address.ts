import { type Gamemode, leaderboardSearch } from '@fish-crab/sdk/constants'
import type { Board, VersusPart } from '../../../src/page-data.ts'
import { matchGamemode, type PageGamemodes } from './gamemodes.ts'
import { type ListOptions, ONLY, ORDERS, PARTS, type SpeciesName, USUAL_LIST } from './species-list.ts'
import type { Kind } from './summary.ts'

/** The page that an address opens, if the browser draws the page. Names are as written in the address. */
export type Address =
  | { readonly view: 'unknown' }
  | { readonly view: 'demo'; readonly list: ListOptions }
  | PlayerAddress

export interface PlayerAddress {
  readonly view: 'player'
  readonly name: string
  /** @default all */
  readonly gamemode: Gamemode | undefined
  readonly list: ListOptions
  /** The species to show instead of the list. @default none */
  readonly species?: SpeciesName | undefined
}

export const DEMO_PATH = '/demo'
export const LEADERBOARD_PATH = '/leaderboard'

/** The path and query of a page. */
export type Place = Pick<Location, 'pathname' | 'search'>

/** The path of a player, or of a species of a player. */
const PLAYER_PATH = /^\/+(?:@|%40)([^/]+)(\/species)?$/i

/** Reads the path and query of a page. */
export function readAddress({ pathname, search }: Place, gamemodes: PageGamemodes): Address {
  const query = new URLSearchParams(search)
  const path = pathname.replace(/^\/v1(?=\/|$)/, '').replace(/(?<!\/)\/+$/, '')
  const list = readListOptions(query)
  if (path === DEMO_PATH) return { view: 'demo', list }
  const [, name, detail] = PLAYER_PATH.exec(path) ?? []
  if (name === undefined) return { view: 'unknown' }
  const gamemode = matchGamemode(gamemodes, query.get('gamemode'))
  const player = { view: 'player', name: decoded(name), gamemode, list } as const
  if (detail === undefined) return player
  const species = query.get('name')
  return species ? { ...player, species: { kind: kindOf(query), name: species } } : { view: 'unknown' }
}

const kindOf = (query: URLSearchParams): Kind => (query.get('kind') === 'crab' ? 'crab' : 'fish')

function readListOptions(query: URLSearchParams): ListOptions {
  const [only, part, order] = [query.get('only'), query.get('show'), query.get('sort')]
  return {
    text: query.get('q') ?? '',
    only: ONLY.find((one) => one === only),
    part: PARTS.find((one) => one === part),
    order: ORDERS.find((one) => one === order) ?? USUAL_LIST.order,
    isTable: query.get('view') === 'table',
  }
}

/** Reads the name of a player from a field, with or without the `@` of addresses. */
export function readTypedName(text: string): string {
  return text.trim().replace(/^@/, '')
}

/** The path of a player's page. */
export function playerPath(name: string, gamemode?: Gamemode, list: ListOptions = USUAL_LIST): string {
  return `/@${encodeURIComponent(name)}${queryOf({ gamemode, list })}`
}

/** The path of a species of a player. Names of species are any text, so they stand in the query. */
export function speciesPath(
  player: string,
  { kind, name }: SpeciesName,
  gamemode?: Gamemode,
  list: ListOptions = USUAL_LIST,
): string {
  const species = new URLSearchParams({ name, ...(kind === 'crab' && { kind }) })
  return `/@${encodeURIComponent(player)}/species?${species}${queryOf({ gamemode, list }).replace('?', '&')}`
}

/** The path of the sample collection. */
export function demoPath(list: ListOptions): string {
  return DEMO_PATH + queryOf({ list })
}

/** The path of the page that sets up an overlay of a player. */
export function setupPath(name: string, gamemode?: Gamemode): string {
  const query = new URLSearchParams({ name, ...(gamemode && { gamemode }) })
  return `/overlay?${query}`
}

export function boardPath(board: Board): string {
  return LEADERBOARD_PATH + leaderboardSearch(board)
}

/** The path of the page of a month, such as `2026-11`. */
export function monthPath(name: string, month: string): string {
  return `/@${encodeURIComponent(name)}/${month}`
}

/** The parts of a comparison. */
export const VERSUS_PARTS: readonly VersusPart[] = ['all', 'different', 'one', 'other', 'both']

/** The path of the page that compares two players. */
export function versusPath(name: string, other: string, part: VersusPart = 'all'): string {
  const query = part === 'all' ? '' : `?show=${part}`
  return `/@${encodeURIComponent(name)}/vs/@${encodeURIComponent(other)}${query}`
}

/** Reads the species that a comparison shows from the query of its address. */
export function readVersusPart(search: string): VersusPart {
  const part = new URLSearchParams(search).get('show')
  return VERSUS_PARTS.find((one) => one === part) ?? 'all'
}

/** Omits default values. */
function queryOf({ gamemode, list }: { gamemode?: string | undefined; list: ListOptions }): string {
  const { text, only, part, order, isTable } = list
  const values: Readonly<Record<string, string | undefined>> = {
    gamemode,
    q: text.trim() || undefined,
    only,
    show: part,
    sort: order === USUAL_LIST.order ? undefined : order,
    view: isTable ? 'table' : undefined,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value)
  return query.size === 0 ? '' : `?${query}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
