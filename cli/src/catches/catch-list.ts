import type { Client, Crab, Fish, Gamemode, RateLimitState } from '@fish-crab/sdk'
import { RARITIES } from '@fish-crab/sdk/constants'
import type { Bar } from '../output/chart.ts'
import { type Column, timeColumn } from '../output/columns.ts'
import type { RowsOutput } from '../output/rows.ts'
import { rarityStyle, type Style } from '../output/screen.ts'
import { type Catch, type CatchQuery, selectCatches } from './catch-query.ts'

/** What is listed. */
export type CatchKind = 'fish' | 'crab'

/** How commands and people call it. */
export const KIND_PLURALS: Readonly<Record<CatchKind, string>> = { fish: 'fish', crab: 'crabs' }

/** A collection as the service answered it. */
export interface Collection {
  /** The player, as the service writes the name. */
  readonly user: string
  /** Oldest first. */
  readonly catches: readonly (Fish | Crab)[]
  readonly rateLimit: RateLimitState | undefined
  /** The `Date` of the answer. */
  readonly date: string | null
}

/** Reads a whole collection. */
export async function fetchCatches(
  client: Client,
  kind: CatchKind,
  options: Parameters<Client['fish']['list']>[0],
): Promise<Collection> {
  const call = kind === 'fish' ? client.fish.list(options) : client.crabs.list(options)
  const { data, response } = await call.withResponse()
  const { user, rateLimit } = data
  return { user, catches: 'fish' in data ? data.fish : data.crab, rateLimit, date: response.headers.get('date') }
}

/** What a person asked to see of a collection. */
export interface CatchListOptions {
  readonly kind: CatchKind
  readonly gamemode: Gamemode
  readonly query: CatchQuery
  /** Count instead of listing. */
  readonly chart: boolean
  /** Show the time and the record of each. */
  readonly detail: boolean
  /** Fields that were named may be among those. */
  readonly namesDetail: boolean
}

/** What is shown: catches, or counts of them. */
export type CatchList =
  | { readonly counted: false; readonly output: RowsOutput<Catch> }
  | { readonly counted: true; readonly output: RowsOutput<CatchCount>; readonly bars: readonly Bar[] }

/** By what catches are counted. */
export function countedBy(kind: CatchKind): 'rarity' | 'name' {
  return kind === 'fish' ? 'rarity' : 'name'
}

/** The fields of counts, where none are named: what they are kept with is none of the reader's. */
export function countFields(kind: CatchKind, fields: string | undefined): string {
  return (
    fields ??
    countColumns(countedBy(kind))
      .map(({ field }) => field)
      .join(',')
  )
}

/** Chooses, sorts and counts as a person asked. */
export function buildCatchList(
  { user, catches }: Pick<Collection, 'user' | 'catches'>,
  wish: CatchListOptions,
): CatchList {
  const { kind, gamemode, query, chart, detail, namesDetail } = wish
  const chosen = selectCatches(catches, query)
  const about = { user, gamemode }
  const why = catches.length === 0 ? 'yet' : 'of that sort'
  const empty = `${user} has no ${KIND_PLURALS[kind]} in ${gamemode} ${why}.`
  if (chart) {
    const by = countedBy(kind)
    const counts = kind === 'fish' ? countByRarity(chosen) : countByName(chosen)
    const output = {
      rows: chosen.length === 0 ? [] : counts,
      columns: countColumns(by),
      document: () => ({ ...about, kind, counts: counts.map(({ label, count }) => ({ [by]: label, count })) }),
      empty,
    }
    return { counted: true, output, bars: counts.map(({ label, count, style }) => ({ label, value: count, style })) }
  }
  // Whoever names a field wants all of it.
  const shownDetail: CatchDetail = namesDetail ? 'whole' : detail ? 'short' : 'none'
  const columns = (kind === 'fish' ? fishColumns(shownDetail) : crabColumns(shownDetail)) as readonly Column<Catch>[]
  // What is only needed to sort, to leave out or to tell what is new is not shown.
  const rows = detail || namesDetail ? chosen : chosen.map(withoutDetail)
  return { counted: false, output: { rows, columns, document: (shown) => ({ ...about, [kind]: shown }), empty } }
}

function withoutDetail({ caughtAt: _, id: __, ...rest }: Catch): Catch {
  return rest
}

const SAVED: readonly Column<Fish | Crab>[] = [timeColumn('caughtAt'), { field: 'id', title: 'RECORD', whole: true }]
// Ids begin with a time, which those of one evening share. Their ends are random.
const SHORT_ID = 8

/** What of the time and the record is shown: nothing, the record by the end of its id, or by all of it. */
type CatchDetail = 'none' | 'short' | 'whole'

/** The columns of fish, rarities in their colours. */
export function fishColumns(detail: CatchDetail): readonly Column<Fish>[] {
  return [
    { field: 'name', title: 'FISH' },
    { field: 'rarity', style: (_, { rarity }) => rarityStyle(rarity) },
    ...savedColumns(detail),
  ]
}

/** The columns of crabs. */
export function crabColumns(detail: CatchDetail): readonly Column<Crab>[] {
  return [{ field: 'name', title: 'CRAB' }, ...savedColumns(detail)]
}

/** What only the detailed answer of the service has. */
export const DETAIL_FIELDS: readonly string[] = SAVED.map(({ field }) => field)

function savedColumns(detail: CatchDetail): readonly Column<Fish | Crab>[] {
  return SAVED.map((column) => {
    const shown = { ...column, hidden: detail === 'none' }
    const isShort = column.field === 'id' && detail === 'short'
    return isShort ? { ...shown, text: (value) => String(value ?? '').slice(-SHORT_ID) } : shown
  })
}

/** How many catches there are of one rarity, or of one name. */
interface CatchCount {
  readonly label: string
  readonly count: number
  readonly style?: Style | undefined
}

/** The columns of {@link CatchCount}, named after what is counted. */
export function countColumns(what: 'rarity' | 'name'): readonly Column<CatchCount>[] {
  return [
    { field: what, value: ({ label }) => label, style: (_, { style }) => style },
    { field: 'count', align: 'right' },
  ]
}

/** Fish by rarity, in the order of rarities, those that nobody caught too. */
function countByRarity(catches: readonly Catch[]): readonly CatchCount[] {
  return RARITIES.map(({ label }) => ({
    label,
    count: catches.filter(({ rarity }) => rarity === label).length,
    style: rarityStyle(label),
  }))
}

/** Catches by name, most first. */
function countByName(catches: readonly Catch[]): readonly CatchCount[] {
  const counts = new Map<string, number>()
  for (const { name } of catches) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([label, count]) => ({ label, count })).sort((a, b) => b.count - a.count)
}
