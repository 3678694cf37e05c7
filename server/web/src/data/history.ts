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

/** The local midnight before a time. */
export function dayOf(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}

/** Counts times by local day. */
export function countDays(times: Iterable<string>): Map<number, number> {
  const days = new Map<number, number>()
  for (const time of times) {
    const day = dayOf(Date.parse(time))
    if (!Number.isNaN(day)) days.set(day, (days.get(day) ?? 0) + 1)
  }
  return days
}

const DAY_MS = 86_400_000
const MAX_DAYS = 45
const MAX_WEEKS = 60
/** A wrong clock of a player must not make thousands of bars: older months are left out. */
const MAX_MONTHS = 60

/**
 * The days up to now in at most 60 periods without gaps, in the smallest unit that fits.
 * @param now Unix milliseconds
 */
export function historyOf(days: Days, now: number): History | undefined {
  const known = [...days.keys()].filter((day) => day <= now)
  if (known.length === 0) return undefined
  const first = known.reduce((one, other) => Math.min(one, other))
  const span = Math.round((dayOf(now) - first) / DAY_MS) + 1
  const unit = span <= MAX_DAYS ? 'day' : span <= MAX_WEEKS * 7 ? 'week' : 'month'
  const counts = new Map<number, number>()
  for (const day of known) {
    const start = startOf(unit, day)
    counts.set(start, (counts.get(start) ?? 0) + (days.get(day) ?? 0))
  }
  const periods: Period[] = []
  for (
    let start = startOf(unit, now);
    start >= startOf(unit, first) && periods.length < MAX_MONTHS;
    start = startOf(unit, start - 1)
  ) {
    periods.unshift({ start, count: counts.get(start) ?? 0 })
  }
  return { unit, periods }
}

/** Of a week, Monday. */
function startOf(unit: History['unit'], time: number): number {
  const date = new Date(dayOf(time))
  if (unit === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7))
  if (unit === 'month') date.setDate(1)
  return date.getTime()
}
