import { RARITIES } from './rarities.ts'

/**
 * What a leaderboard can count: catches, species, or the fish of a rarity by its number, from the most common rarity to
 * the rarest.
 */
export const LEADERBOARD_FIGURES = ['catches', 'species', '5', '1', '2', '3', '4', '6', '7'] as const

export type LeaderboardFigure = (typeof LEADERBOARD_FIGURES)[number]

/** The period of a leaderboard that covers all catches. Any other period is a UTC month, such as `2026-11`. */
export const ALL_TIME = 'all'

/** A UTC month. */
export const MONTH_PATTERN = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/

/** The label of a figure that is a rarity. @example rarityOfFigure('7') // 'Mythical' */
export function rarityOfFigure(figure: LeaderboardFigure): (typeof RARITIES)[number]['label'] | undefined {
  return RARITIES.find(({ value }) => String(value) === figure)?.label
}

/** Whether a leaderboard exists: species are not counted by month, and crabs have no rarity. */
export function isLeaderboard(board: {
  readonly kind: string
  readonly by: LeaderboardFigure
  readonly period: string
}): boolean {
  if (board.by === 'species') return board.period === ALL_TIME
  return board.by === 'catches' || board.kind === 'fish'
}
