import type { Client, Crab, Fish, Gamemode, RateLimitState } from '@fish-crab/sdk'
import { LIMITS, RARITIES, type RarityLabel } from '@fish-crab/sdk/constants'
import { type CliError, usageError } from '../../core/errors.ts'
import type { Bar } from '../../terminal/chart.ts'
import { RARITY_STYLES, type Style } from '../../terminal/screen.ts'
import { type Column, type RowsOutput, timeColumn } from '../../terminal/table.ts'
import { type Catch, type CatchQuery, selectCatches } from './catch-query.ts'

export type CatchKind = 'fish' | 'crab'

const KINDS: ReadonlyMap<string, CatchKind> = new Map([
  ['fish', 'fish'],
  ['crab', 'crab'],
  ['crabs', 'crab'],
])

/** Returns the kind that a word names, or `undefined` for an unknown word. */
export function kindNamed(word = 'fish'): CatchKind | undefined {
  return KINDS.get(word)
}

export function unknownKind(example: string): CliError {
  return usageError('The kind must be fish or crabs.', `For example: ${example}`)
}

export const KIND_PLURALS: Readonly<Record<CatchKind, string>> = { fish: 'fish', crab: 'crabs' }

export interface Collection {
  /** The name of the player, in the spelling that the service uses. */
  readonly user: string
  /** Oldest first. */
  readonly catches: readonly (Fish | Crab)[]
  readonly rateLimit: RateLimitState | undefined
  readonly date: string | null
}

type ListOptions = NonNullable<Parameters<Client['fish']['list']>[0]>

/** Reads a whole collection in one request, or a page if `options` have a limit. */
export async function fetchCollection(
  client: Client,
  kind: CatchKind,
  options: ListOptions,
): Promise<Collection & { readonly nextCursor?: string | undefined }> {
  const call = kind === 'fish' ? client.fish.list(options) : client.crabs.list(options)
  const { data, response } = await call.withResponse()
  const { user, rateLimit, nextCursor } = data
  const catches = 'fish' in data ? data.fish : data.crab
  return { user, catches, rateLimit, date: response.headers.get('date'), nextCursor }
}

/** Reads a collection page by page, oldest catches first. There is always a page. */
export async function* catchPages(
  client: Client,
  kind: CatchKind,
  { limit = LIMITS.pageSize, ...options }: ListOptions,
): AsyncGenerator<Collection, void, undefined> {
  let cursor: string | undefined
  do {
    const { nextCursor, ...page } = await fetchCollection(client, kind, { ...options, limit, cursor })
    yield page
    cursor = nextCursor
  } while (cursor !== undefined)
}

/** Reads a collection page by page, until `onPage` returns `true`. */
export async function fetchCatches(
  client: Client,
  kind: CatchKind,
  options: ListOptions,
  onPage: (page: Collection) => boolean = () => false,
): Promise<Collection> {
  const catches: (Fish | Crab)[] = []
  let last: Collection | undefined
  for await (const page of catchPages(client, kind, options)) {
    for (const one of page.catches) catches.push(one)
    last = page
    if (onPage(page)) break
  }
  if (!last) throw new Error('The service returned no page.')
  return { ...last, catches }
}

export interface CatchListOptions {
  readonly kind: CatchKind
  readonly gamemode: Gamemode
  readonly query: CatchQuery
  readonly chart: boolean
  /** Whether to show the time and the record id of each catch. */
  readonly detail: boolean
}

export type CatchList =
  | { readonly counted: false; readonly output: RowsOutput<Catch> }
  | { readonly counted: true; readonly output: RowsOutput<CatchCount>; readonly bars: readonly Bar[] }

export function buildCatchList(
  { user, catches }: Pick<Collection, 'user' | 'catches'>,
  options: CatchListOptions,
): CatchList {
  const { kind, gamemode, query, chart, detail } = options
  const selected = selectCatches(catches, query)
  const about = { user, gamemode }
  const why = catches.length === 0 ? 'yet' : 'that match'
  const empty = `${user} has no ${KIND_PLURALS[kind]} in ${gamemode} ${why}.`
  if (chart) {
    const counts = kind === 'fish' ? countByRarity(selected) : countByName(selected)
    const output = {
      rows: selected.length === 0 ? [] : counts,
      columns: countColumns(kind === 'fish' ? 'rarity' : 'name'),
      document: { ...about, kind, counts },
      empty,
    }
    const bars = counts.map((row) => ({ label: row.rarity ?? row.name ?? '', value: row.count, style: styleOf(row) }))
    return { counted: true, output, bars }
  }
  const columns = (kind === 'fish' ? fishColumns(detail) : crabColumns(detail)) as readonly Column<Catch>[]
  // Without `detail`, the time and the id are used only to sort, filter or compare catches, and are not printed.
  const rows = detail ? selected : selected.map(({ caughtAt: _, id: __, entry: ___, ...rest }): Catch => rest)
  return { counted: false, output: { rows, columns, document: { ...about, [kind]: rows }, empty } }
}

// The table shows the end of each id, because the end is random. The start of an id is a time, which is similar for all
// catches of one evening.
const SHORT_ID = 8

const SAVED: readonly Column<Fish | Crab>[] = [
  timeColumn('caughtAt'),
  { field: 'id', title: 'RECORD', whole: true, text: (value) => String(value ?? '').slice(-SHORT_ID) },
]

export function fishColumns(detail: boolean): readonly Column<Fish>[] {
  return [
    { field: 'name', title: 'FISH' },
    { field: 'rarity', style: (_, { rarity }) => RARITY_STYLES[rarity] },
    ...(detail ? SAVED : []),
  ]
}

export function crabColumns(detail: boolean): readonly Column<Crab>[] {
  return [{ field: 'name', title: 'CRAB' }, ...(detail ? SAVED : [])]
}

interface CatchCount {
  readonly rarity?: RarityLabel
  readonly name?: string
  readonly count: number
}

function styleOf({ rarity }: CatchCount): Style | undefined {
  return rarity && RARITY_STYLES[rarity]
}

function countColumns(by: 'rarity' | 'name'): readonly Column<CatchCount>[] {
  return [
    { field: by, style: (_, row) => styleOf(row) },
    { field: 'count', align: 'right' },
  ]
}

function countByRarity(catches: readonly Catch[]): readonly CatchCount[] {
  return RARITIES.map(({ label }) => ({
    rarity: label,
    count: catches.filter(({ rarity }) => rarity === label).length,
  }))
}

function countByName(catches: readonly Catch[]): readonly CatchCount[] {
  const groups = [...Map.groupBy(catches, ({ name }) => name)]
  return groups.map(([name, { length: count }]) => ({ name, count })).sort((a, b) => b.count - a.count)
}
