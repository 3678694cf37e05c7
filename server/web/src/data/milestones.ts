import type { RarityLabel } from '@fish-crab/sdk'
import { type BookEntry, RARITY_ORDER } from './book.ts'
import type { DayCount } from './summary.ts'

/** An event in the history of a collection. */
export interface Milestone {
  /** ISO 8601: a time, or a day such as `2026-01-31`. */
  readonly at: string
  readonly title: string
  /** The species of the milestone, if it has one. */
  readonly species?: Pick<BookEntry, 'kind' | 'name' | 'rarity'>
}

const ROUND_NUMBERS = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]
/** Rarities whose first catch is a milestone. */
const RARE: readonly RarityLabel[] = RARITY_ORDER.slice(RARITY_ORDER.indexOf('Gold'))

/** The milestones of a collection, the latest first. */
export function milestonesOf(book: readonly BookEntry[], days: readonly DayCount[]): readonly Milestone[] {
  const byFirst = book
    .filter((entry) => entry.firstCaughtAt !== undefined)
    .sort((one, other) => compare(one.firstCaughtAt ?? '', other.firstCaughtAt ?? ''))
  const milestones: Milestone[] = byFirst.flatMap((entry, index) => {
    const number = index === 0 ? 'First catch' : ROUND_NUMBERS.includes(index + 1) ? `${index + 1} species` : undefined
    return number === undefined ? [] : [{ at: entry.firstCaughtAt ?? '', title: number, species: entry }]
  })
  milestones.push(...firstsOf(book))
  const best = bestDay(days)
  if (best) milestones.push({ at: best.day, title: `Best day: ${best.count.toLocaleString()} catches` })
  return milestones.sort((one, other) => compare(other.at, one.at))
}

/** The first catch of each rare rarity. */
function firstsOf(book: readonly BookEntry[]): readonly Milestone[] {
  const firsts = new Map<RarityLabel, Milestone>()
  for (const { kind, name, rarities } of book) {
    for (const { rarity, firstCaughtAt: at } of rarities) {
      if (rarity === undefined || at === undefined || !RARE.includes(rarity)) continue
      const first = firsts.get(rarity)
      if (!first || at < first.at) firsts.set(rarity, { at, title: `First ${rarity}`, species: { kind, name, rarity } })
    }
  }
  return [...firsts.values()]
}

/**
 * The earliest of the days with the most catches, or `undefined` if there is only one day or no day has two catches.
 */
function bestDay(days: readonly DayCount[]): DayCount | undefined {
  const best = days.reduce<DayCount | undefined>(
    (best, one) => (one.count > (best?.count ?? 1) ? one : best),
    undefined,
  )
  return days.length > 1 ? best : undefined
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
