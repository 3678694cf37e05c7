import type { RarityLabel } from '@fish-crab/sdk'
import type { DayCount, PlayerProfile } from './profile.ts'
import type { SpeciesEntry, SpeciesName } from './species-list.ts'
import { compareText, type Entry, type Kind, type Species } from './summary.ts'

/** The catches of a species in one gamemode. */
export interface GamemodeCount {
  readonly gamemode: string
  readonly count: number
}

/** Returns the gamemodes in which a species was caught. @param species in its own spelling */
export function gamemodesOf({ gamemodes }: PlayerProfile, { kind, name }: SpeciesName): readonly GamemodeCount[] {
  return gamemodes.flatMap(({ gamemode, ...collection }) => {
    const same = collection[kind].species.filter((one) => one.name === name)
    const count = same.reduce((sum, one) => sum + one.count, 0)
    return count > 0 ? [{ gamemode, count }] : []
  })
}

/** The time from the first to the last catch of a rarity, in percent of the time of all rarities. */
export interface Span {
  readonly start: number
  readonly end: number
}

const MIDDLE = 50

/** Places the catches of a rarity on the time axis of its species. */
export function spanOf(row: Species, whole: Pick<Species, 'firstCaughtAt' | 'lastCaughtAt'>): Span {
  const [first, last] = [Date.parse(whole.firstCaughtAt), Date.parse(whole.lastCaughtAt)]
  const at = (time: string) => (last > first ? (100 * (Date.parse(time) - first)) / (last - first) : MIDDLE)
  return { start: at(row.firstCaughtAt), end: at(row.lastCaughtAt) }
}

/** The tallies of a species to show: one for each rarity of a fish, and one for a crab. */
export interface RarityRow {
  /** Absent for crabs. */
  readonly rarity: RarityLabel | undefined
  /** Absent if the species was not caught in this rarity. */
  readonly caught: Species | undefined
}

/** Returns a row for each rarity. @param entry absent if the player has not caught the species */
export function rarityRows(
  kind: Kind,
  entry: SpeciesEntry | undefined,
  rarities: readonly RarityLabel[],
): readonly RarityRow[] {
  if (kind === 'crab') return [{ rarity: undefined, caught: entry }]
  return rarities.map((rarity) => ({ rarity, caught: entry?.rarities.find((one) => one.rarity === rarity) }))
}

/** Maximum number of catches that a page loads to count those of one species by day. */
const MAX_LOADED = 5000

/**
 * Returns the gamemodes whose catches have to be loaded to count those of a species by day, or none if there are too
 * many catches.
 */
export function loadedGamemodes(
  profile: PlayerProfile,
  kind: Kind,
  caughtIn: readonly GamemodeCount[],
): readonly string[] {
  const names = new Set(caughtIn.map(({ gamemode }) => gamemode))
  const total = profile.gamemodes.reduce((sum, one) => sum + (names.has(one.gamemode) ? one[kind].total : 0), 0)
  return total <= MAX_LOADED ? [...names] : []
}

/** Counts the catches of a species by UTC day. */
export function daysOf(entries: readonly Entry[], name: string): readonly DayCount[] {
  const counts = new Map<string, number>()
  for (const entry of entries) {
    if (entry.name !== name) continue
    const day = entry.caughtAt.slice(0, 'YYYY-MM-DD'.length)
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  return Array.from(counts, ([day, count]) => ({ day, count })).sort((one, other) => compareText(one.day, other.day))
}
