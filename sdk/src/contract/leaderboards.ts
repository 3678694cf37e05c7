import { RARITIES } from './rarities.ts'

/**
 * What a leaderboard can count: catches, species, or the fish of a rarity by its number, from the most common rarity to
 * the rarest.
 */
export const LEADERBOARD_FIGURES = ['catches', 'species', '5', '1', '2', '3', '4', '6', '7'] as const

/** What a leaderboard counts, such as `catches` or `7`. */
export type LeaderboardFigure = (typeof LEADERBOARD_FIGURES)[number]

/** The period of a leaderboard that covers all catches. Any other period is a UTC month, such as `2026-11`. */
export const ALL_TIME = 'all'

/** A UTC month. */
export const MONTH_PATTERN = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/

/** The label of a figure that is a rarity. @example rarityOfFigure('7') // 'Mythical' */
export function rarityOfFigure(figure: LeaderboardFigure): (typeof RARITIES)[number]['label'] | undefined {
  return RARITIES.find(({ value }) => String(value) === figure)?.label
}

interface NamedLeaderboard {
  readonly kind: string
  readonly by: LeaderboardFigure
  /** `all`, or a UTC month such as `2026-11`. */
  readonly period: string
}

/**
 * Returns the mistake in a leaderboard that does not exist: species are not counted by month, and crabs have no rarity.
 * @example leaderboardIssue({ kind: 'crab', by: '7', period: 'all' })?.path // 'by'
 */
export function leaderboardIssue({
  kind,
  by,
  period,
}: NamedLeaderboard): { readonly path: 'period' | 'by'; readonly message: string } | undefined {
  if (by === 'species') {
    return period === ALL_TIME
      ? undefined
      : { path: 'period', message: 'Must be all, because species are not counted by month' }
  }
  return by === 'catches' || kind === 'fish'
    ? undefined
    : { path: 'by', message: 'Must be catches or species, because crabs have no rarity' }
}

/**
 * The query of the page of a leaderboard, without default values. Empty for catches of fish of all time.
 * @example leaderboardSearch({ kind: 'fish', by: '7', period: '2026-11' }) // '?by=7&period=2026-11'
 */
export function leaderboardSearch({
  kind,
  by,
  gamemode,
  period,
}: NamedLeaderboard & { readonly gamemode?: string | undefined }): string {
  const query = new URLSearchParams({
    ...(kind !== 'fish' && { kind }),
    ...(by !== 'catches' && { by }),
    ...(gamemode !== undefined && { gamemode }),
    ...(period !== ALL_TIME && { period }),
  })
  return query.size > 0 ? `?${query}` : ''
}
