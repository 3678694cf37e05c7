import { max, min, rollup, sum } from 'd3-array'
import { type CountableTimeInterval, timeDay, timeMonday, timeMonth } from 'd3-time'
import type { DayCount } from './summary.ts'

/** Catches of one day, week or month. */
export interface Period {
  /** Its start, in Unix milliseconds. */
  readonly start: number
  readonly count: number
}

/** Catches over time. */
export interface History {
  readonly unit: 'day' | 'week' | 'month'
  readonly periods: readonly Period[]
}

/** Catches by day: the local midnight, in Unix milliseconds, and how many. */
export type Days = ReadonlyMap<number, number>

/** Shows UTC days as local days of the same date: charts have no time zone. */
export function localDays(days: readonly DayCount[]): Days {
  return new Map(days.map(({ day, count }) => [new Date(`${day}T00:00`).getTime(), count]))
}

const INTERVALS: readonly (readonly [History['unit'], CountableTimeInterval])[] = [
  ['day', timeDay],
  ['week', timeMonday],
  ['month', timeMonth],
]
/** A player's wrong clock must not make thousands of bars, so older months are omitted. */
const MAX_PERIODS = 60

/**
 * The days up to now in at most 60 periods without gaps, in the smallest unit that fits.
 * @param now Unix milliseconds
 */
export function historyOf(days: Days, now: number): History | undefined {
  const known = [...days].filter(([day]) => day <= now)
  const first = min(known, ([day]) => new Date(day))
  if (first === undefined) return undefined
  const end = new Date(now)
  const [unit, interval] = INTERVALS.find(([, { count }]) => count(first, end) < MAX_PERIODS) ?? ['month', timeMonth]
  const counts = rollup(
    known,
    (some) => sum(some, ([, count]) => count),
    ([day]) => interval.floor(new Date(day)).getTime(),
  )
  const start = max([interval.floor(first), interval.offset(interval.floor(end), 1 - MAX_PERIODS)])
  const periods = interval.range(start ?? first, new Date(now + 1)).map((date) => {
    const time = date.getTime()
    return { start: time, count: counts.get(time) ?? 0 }
  })
  return { unit, periods }
}
