import type { Profile, RarityLabel } from '@fish-crab/sdk'
import {
  caughtSince,
  compareText,
  type Entry,
  type Kind,
  mergeSummaries,
  NO_CATCHES,
  rarestOf,
  type Species,
  type Summary,
  withEntries,
} from './summary.ts'

/** The fish and crabs of a player in one gamemode, or in all. */
export interface Collection {
  readonly fish: Summary
  readonly crab: Summary
}

/** The number of catches of a UTC day. */
export type DayCount = Readonly<Profile['days'][number]>

/**
 * The profile of a player with all species. Streamed catches are added by the rules of the service, except to the
 * streak, which is that of the last load.
 */
export interface PlayerProfile
  extends Readonly<
    Pick<Profile, 'user' | 'total' | 'firstCaughtAt' | 'lastCaughtAt' | 'bestDay' | 'streak' | 'knownSpecies'>
  > {
  /** The catches that were stored last, the newest first. */
  readonly latest: readonly Caught[]
  /** Absent if the service does not list all species. */
  readonly unique?: number | undefined
  /** The fish of each rarity. */
  readonly byRarity: Readonly<Partial<Record<RarityLabel, number>>>
  readonly rarest: readonly Species[]
  readonly days: readonly DayCount[]
  readonly gamemodes: readonly (Collection & { readonly gamemode: string })[]
}

/** A catch that was just stored. */
export interface Caught extends Entry {
  readonly kind: Kind
  readonly gamemode: string
}

/** A species that was caught while the page was open. */
export interface Fresh extends Pick<Species, 'name' | 'rarity'> {
  readonly kind: Kind
  readonly gamemode: string
  readonly added: number
}

const KINDS: readonly Kind[] = ['fish', 'crab']
const RAREST = 5
const LATEST = 5

/** The profile of a player without catches. */
export function emptyProfile(user: string, gamemodes: readonly string[]): PlayerProfile {
  const streak = { current: 0, longest: 0 }
  const collections = gamemodes.map((gamemode) => ({ gamemode, fish: NO_CATCHES, crab: NO_CATCHES }))
  return { user, total: 0, unique: 0, byRarity: {}, rarest: [], latest: [], days: [], streak, gamemodes: collections }
}

/** Converts a profile as the service sends it. */
export function playerProfileOf({ gamemodes, latest, ...profile }: Profile): PlayerProfile {
  const collections = gamemodes.map(({ gamemode, fish, crab }) => {
    return { gamemode, fish: summaryOf(fish), crab: summaryOf(crab) }
  })
  return { ...profile, latest: latest.map(({ id: _, ...caught }) => caught), gamemodes: collections }
}

interface ListedSummary extends Pick<Summary, 'total'> {
  readonly unique?: number | undefined
  readonly species?: Summary['species'] | undefined
}

function summaryOf({ total, unique, species = [] }: ListedSummary): Summary {
  return { total, unique, species }
}

/** Returns the collection of a gamemode, or of all gamemodes together if `gamemode` is omitted. */
export function collectionOf({ gamemodes }: PlayerProfile, gamemode?: string): Collection {
  const chosen = gamemodes.filter((one) => (gamemode === undefined ? totalOf(one) > 0 : one.gamemode === gamemode))
  const [only, ...others] = chosen
  if (only && others.length === 0) return only
  const all = (kind: Kind) => mergeSummaries(chosen.map((one) => one[kind]))
  return { fish: all('fish'), crab: all('crab') }
}

/** The number of all catches. */
export function totalOf({ fish, crab }: Collection): number {
  return fish.total + crab.total
}

/** The number of fish or crabs in all gamemodes. */
export function kindTotal({ gamemodes }: PlayerProfile, kind: Kind): number {
  return gamemodes.reduce((sum, one) => sum + one[kind].total, 0)
}

/** Counts species by rarity, in addition to the counts before. */
export function countByRarity(species: readonly Pick<Species, 'rarity' | 'count'>[], before = {}) {
  const counts: Partial<Record<RarityLabel, number>> = { ...before }
  for (const { rarity, count } of species) if (rarity) counts[rarity] = (counts[rarity] ?? 0) + count
  return counts
}

/** Returns a copy of the profile with the catches added. */
export function withCatches(profile: PlayerProfile, caught: readonly Caught[]): PlayerProfile {
  if (caught.length === 0) return profile
  const gamemodes = profile.gamemodes.map((one) => {
    const of = (kind: Kind) => caught.filter((each) => each.kind === kind && each.gamemode === one.gamemode)
    return { ...one, fish: withEntries(one.fish, of('fish')), crab: withEntries(one.crab, of('crab')) }
  })
  const { fish, crab } = collectionOf({ ...profile, gamemodes })
  const times = [profile.firstCaughtAt, profile.lastCaughtAt, ...caught.map(({ caughtAt }) => caughtAt)]
  const sorted = times.filter((time) => time !== undefined).sort()
  const days = withDays(profile.days, caught)
  return {
    ...profile,
    gamemodes,
    total: profile.total + caught.length,
    unique: fish.unique === undefined || crab.unique === undefined ? profile.unique : fish.unique + crab.unique,
    byRarity: countByRarity(
      caught.map(({ rarity }) => ({ rarity, count: 1 })),
      profile.byRarity,
    ),
    rarest: fish.unique === undefined ? profile.rarest : rarestOf(fish.species, RAREST),
    latest: [...[...caught].reverse(), ...profile.latest].slice(0, LATEST),
    firstCaughtAt: sorted[0],
    lastCaughtAt: sorted.at(-1),
    days,
    bestDay: days.reduce((best, one) => (isBetter(one, best) ? one : best), profile.bestDay),
  }
}

function isBetter({ day, count }: DayCount, best: DayCount | undefined): boolean {
  return !best || count > best.count || (count === best.count && day < best.day)
}

/** Counts more catches by their UTC days. */
function withDays(days: readonly DayCount[], entries: readonly Entry[]): readonly DayCount[] {
  const counts = new Map(days.map(({ day, count }) => [day, count]))
  for (const { caughtAt } of entries) {
    const day = caughtAt.slice(0, 'YYYY-MM-DD'.length)
    counts.set(day, (counts.get(day) ?? 0) + 1)
  }
  return Array.from(counts, ([day, count]) => ({ day, count })).sort((one, other) => compareText(one.day, other.day))
}

/** Whether a profile has a catch of the same species that is as late as the given catch, or later. */
export function hasCatch({ gamemodes }: PlayerProfile, { kind, gamemode, name, rarity, caughtAt }: Caught): boolean {
  const species = gamemodes.find((one) => one.gamemode === gamemode)?.[kind].species
  const known = species?.find((one) => one.name === name && one.rarity === rarity)
  return known !== undefined && known.lastCaughtAt >= caughtAt
}

/** The catches between two reads of a profile, by species. */
export function freshOf(before: PlayerProfile, now: PlayerProfile): readonly Fresh[] {
  return now.gamemodes.flatMap(({ gamemode, ...collection }) =>
    KINDS.flatMap((kind) =>
      caughtSince(collectionOf(before, gamemode)[kind], collection[kind]).map((one) => ({ ...one, kind, gamemode })),
    ),
  )
}
