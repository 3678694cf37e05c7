import { min, rollup, sum } from 'd3-array'
import { type CountableTimeInterval, timeDay, timeMonday, timeMonth } from 'd3-time'
import type { DayCount } from './profile.ts'

/** Catches of one day, week or month. */
export interface Period {
  /** The start of the period, in Unix milliseconds. */
  readonly start: number
  readonly count: number
}

/** Catches over time. */
export interface History {
  readonly unit: 'day' | 'week' | 'month'
  readonly periods: readonly Period[]
}

/** The number of catches by day. Each key is a local midnight in Unix milliseconds. */
export type Days = ReadonlyMap<number, number>

/** Converts UTC days to local days with the same date, because charts have no time zone. */
export function localDays(days: readonly DayCount[]): Days {
  return new Map(days.map(({ day, count }) => [new Date(`${day}T00:00`).getTime(), count]))
}

const INTERVALS: readonly (readonly [History['unit'], CountableTimeInterval])[] = [
  ['day', timeDay],
  ['week', timeMonday],
  ['month', timeMonth],
]
/**
 * Maximum number of bars. Older months are omitted, since a player's wrong clock could otherwise cause thousands of
 * bars.
 */
const MAX_PERIODS = 60
/** Minimum number of bars, so that the first days of a player already are a history. */
const MIN_PERIODS = 14

/**
 * Groups the days up to now into 14 to 60 consecutive periods of the smallest unit that fits.
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
  const startOf = (length: number) => interval.offset(interval.floor(end), 1 - length)
  const start = new Date(Math.max(+startOf(MAX_PERIODS), Math.min(+startOf(MIN_PERIODS), +interval.floor(first))))
  const periods = interval.range(start, new Date(now + 1)).map((date) => {
    const time = date.getTime()
    return { start: time, count: counts.get(time) ?? 0 }
  })
  return { unit, periods }
}
