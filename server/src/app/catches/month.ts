import { type Kind, MONTH_PATTERN, type Profile, RARITY_LABELS, type RarityLabel } from '@fish-crab/sdk/contract'
import type { FreshSpecies, Month } from '../../page-data.ts'
import type { CollectionTallies } from '../../storage/core/types.ts'
import type { Slices } from '../core/slices.ts'
import { compareText, createRarityCounts } from './summary.ts'

/** The data of one collection for a month. */
export interface MonthCollection extends Pick<CollectionTallies, 'species' | 'days'> {
  readonly kind: Kind
}

/** Maximum number of listed new species. */
const LISTED = 6
const DAY_MS = 24 * 60 * 60 * 1000
/** The days of a month on which a page links to the month before. */
const RECENT_DAYS = 7

/** Returns the last month if it has catches and has just ended. */
export function recentMonth(days: Profile['days'], now: number): string | undefined {
  const date = new Date(now)
  if (date.getUTCDate() > RECENT_DAYS) return undefined
  const month = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1)).toISOString().slice(0, 7)
  return days.some(({ day }) => day.startsWith(month)) ? month : undefined
}

interface MonthOptions extends Pick<Month, 'user' | 'month'> {
  readonly slices: Slices
}

export async function monthOf(
  collections: readonly MonthCollection[],
  { user, month, slices }: MonthOptions,
): Promise<Month> {
  const { earlier, later, ...counts } = await countDays(collections, month, slices)
  const known = { user, month, earlier, later }
  if (collections.some(({ days }) => days === null)) return known
  const { days, byRarity, fish, crabs } = counts
  const most = Math.max(...days)
  const bestDay = { day: `${month}-${String(days.indexOf(most) + 1).padStart(2, '0')}`, count: most }
  const rarity = RARITY_LABELS.findLast((label) => byRarity[label] > 0)
  const { name, fresh } = await reviewSpecies(collections, { month, rarity, slices })
  return {
    ...known,
    figures: {
      ...counts,
      total: fish + crabs,
      activeDays: days.filter((count) => count > 0).length,
      ...(most > 0 ? { bestDay } : {}),
      streak: longestRun(days),
      best: rarity && { rarity, name },
      fresh: collections.some(({ species }) => species === null) ? undefined : fresh,
    },
  }
}

/** @param month as in {@link Month} */
function boundsOf(month: string): { readonly start: number; readonly end: number } {
  const start = new Date(`${month}-01`)
  return { start: start.getTime(), end: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1) }
}

async function countDays(collections: readonly MonthCollection[], month: string, slices: Slices) {
  const { start, end } = boundsOf(month)
  const days = Array.from({ length: (end - start) / DAY_MS }, () => 0)
  const totals = { fish: 0, crab: 0 }
  const rarities = createRarityCounts()
  let [earlier, later]: (string | undefined)[] = []
  for (const { kind, days: tallies } of collections) {
    for await (const slice of slices(tallies ?? [])) {
      for (const { day, label, count } of slice) {
        const other = day.slice(0, 'YYYY-MM'.length)
        if (other === month) {
          const index = Number(day.slice('YYYY-MM-'.length)) - 1
          days[index] = (days[index] ?? 0) + count
          totals[kind] += count
          if (kind === 'fish') rarities.add(label, count)
        } else if (MONTH_PATTERN.test(other)) {
          if (other < month && (earlier === undefined || other > earlier)) earlier = other
          if (other > month && (later === undefined || other < later)) later = other
        }
      }
    }
  }
  return { earlier, later, days, fish: totals.fish, crabs: totals.crab, byRarity: rarities.counts }
}

function longestRun(days: readonly number[]): number {
  let [longest, run] = [0, 0]
  for (const count of days) {
    run = count > 0 ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

interface Found extends FreshSpecies {
  /** Unix time in milliseconds. */
  readonly first: number
}

interface ReviewOptions extends Pick<MonthOptions, 'month' | 'slices'> {
  /** The rarest label of the month. */
  readonly rarity: RarityLabel | undefined
}

/** Finds the new species of a month, and the name of a fish with the rarest label. */
async function reviewSpecies(collections: readonly MonthCollection[], { month, rarity, slices }: ReviewOptions) {
  const { start, end } = boundsOf(month)
  const isInMonth = (time: number) => time >= start && time < end
  const all = new Map<string, Found>()
  let best: { readonly name: string; readonly count: number } | undefined
  for (const { kind, species } of collections) {
    for await (const slice of slices(species ?? [])) {
      for (const { name, label, count, first, last } of slice) {
        const key = `${kind} ${name}`
        const known = all.get(key)
        const caught = kind === 'fish' && isInMonth(first) ? (label as RarityLabel) : undefined
        const highest = known && rankOf(known.rarity) > rankOf(caught) ? known.rarity : caught
        all.set(key, { kind, name, rarity: highest, first: Math.min(first, known?.first ?? first) })
        if (kind !== 'fish' || label !== rarity || !(isInMonth(first) || isInMonth(last))) continue
        if (!best || count < best.count || (count === best.count && name < best.name)) best = { name, count }
      }
    }
  }
  let [count, rarest]: [number, readonly FreshSpecies[]] = [0, []]
  for await (const slice of slices(all.values())) {
    const fresh = slice.filter(({ first }) => isInMonth(first)).map(({ first: _, ...one }) => one)
    count += fresh.length
    rarest = [...rarest, ...fresh].sort(byRarity).slice(0, LISTED)
  }
  return { name: best?.name, fresh: { count, rarest } }
}

/** Returns -1 without a label. */
function rankOf(label: RarityLabel | undefined): number {
  return RARITY_LABELS.indexOf(label as RarityLabel)
}

function byRarity(one: FreshSpecies, other: FreshSpecies): number {
  return rankOf(other.rarity) - rankOf(one.rarity) || compareText(one.name, other.name)
}
