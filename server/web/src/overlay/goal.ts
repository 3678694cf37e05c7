import type { OverlayOptions } from '../data/overlay-options.ts'
import type { DayCount, Fresh } from '../data/profile.ts'

/** The catches of a local day that count for a goal. */
export interface GoalCount {
  readonly day: string
  readonly count: number
}

const localDay = (now: number) => new Date(now).toDateString()

/**
 * Returns the count at the time an overlay is opened. A goal for one kind or rarity starts at 0, because profiles count
 * the catches of a UTC day only for all gamemodes, kinds and rarities together.
 */
export function startGoal(
  days: readonly DayCount[],
  { kind, rarity }: Pick<OverlayOptions, 'kind' | 'rarity'>,
  now: number,
): GoalCount {
  const today = new Date(now).toISOString().slice(0, 'YYYY-MM-DD'.length)
  const isAll = kind === undefined && rarity === undefined
  return { day: localDay(now), count: isAll ? (days.find(({ day }) => day === today)?.count ?? 0) : 0 }
}

/** Adds new catches to the count, which restarts at local midnight. */
export function withCounted(
  goal: GoalCount,
  fresh: readonly Fresh[],
  { rarity }: Pick<OverlayOptions, 'rarity'>,
  now: number,
): GoalCount {
  const day = localDay(now)
  const counted = fresh.filter((one) => rarity === undefined || one.rarity === rarity)
  const before = day === goal.day ? goal.count : 0
  return { day, count: counted.reduce((sum, { added }) => sum + added, before) }
}
