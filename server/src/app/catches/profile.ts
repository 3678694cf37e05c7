import { type Gamemode, type Kind, type Profile, RARITY_LABELS, type RarityLabel } from '@fish-crab/sdk/contract'
import type { DayTally, SpeciesTally } from '../../storage/core/types.ts'
import { summaryOf } from './summary.ts'

/** The data of one collection for a profile. */
export interface ProfiledCollection {
  readonly kind: Kind
  readonly gamemode: Gamemode
  readonly species: readonly SpeciesTally[]
  readonly days: readonly DayTally[]
  /** The latest stored entries, newest first, each with the sequence of its record. */
  readonly latest: readonly { readonly sequence: number; readonly entry: Profile['latest'][number] }[]
}

interface ProfileOptions {
  readonly user: string
  /** All gamemodes, in the display order of the service. */
  readonly gamemodes: readonly Gamemode[]
  /** The current UTC day, such as `2026-01-31`. */
  readonly today: string
  readonly withSpecies: boolean
}

const RAREST = 5
export const LATEST = 5
const DAYS = 366

export function profileOf(collections: readonly ProfiledCollection[], options: ProfileOptions): Profile {
  const { user, gamemodes, today, withSpecies } = options
  const speciesOf = (kind: Kind) => mergeSpecies(collections.filter((one) => one.kind === kind))
  const fish = summaryOf('fish', { user, gamemode: '' }, speciesOf('fish'))
  const crab = summaryOf('crab', { user, gamemode: '' }, speciesOf('crab'))
  const days = mergeDays(collections)
  const bestDay = days.toSorted((one, other) => other.count - one.count || order(one.day, other.day))[0]
  const figures = (kind: Kind, gamemode: Gamemode) => {
    const one = collections.find((each) => each.kind === kind && each.gamemode === gamemode)
    const { total, unique, species } = summaryOf(kind, { user, gamemode }, one?.species ?? [])
    return { total, unique, ...lastOf(one?.species ?? []), ...(withSpecies ? { species } : {}) }
  }
  const all = collections.flatMap(({ species }) => species)
  // With many species, `Math.min(...)` would exceed the maximum number of arguments.
  const first = all.reduce((earliest, one) => Math.min(earliest, one.first), Number.POSITIVE_INFINITY)
  return {
    user,
    total: fish.total + crab.total,
    unique: fish.unique + crab.unique,
    ...(all.length > 0 ? { firstCaughtAt: new Date(first).toISOString() } : {}),
    ...lastOf(all),
    byRarity: fish.byRarity,
    gamemodes: gamemodes.map((gamemode) => ({
      gamemode,
      fish: figures('fish', gamemode) as Profile['gamemodes'][number]['fish'],
      crab: figures('crab', gamemode),
    })),
    rarest: fish.species.toSorted(byRarity).slice(0, RAREST),
    latest: collections
      .flatMap(({ latest }) => latest)
      .toSorted((one, other) => other.sequence - one.sequence)
      .slice(0, LATEST)
      .map(({ entry }) => entry),
    days: days.slice(-DAYS),
    ...(bestDay ? { bestDay } : {}),
    streak: streakOf(days, today),
  }
}

function byRarity(one: Profile['rarest'][number], other: Profile['rarest'][number]): number {
  const rank = (label: RarityLabel) => RARITY_LABELS.indexOf(label)
  return rank(other.rarity) - rank(one.rarity) || one.count - other.count || order(one.name, other.name)
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

function lastOf(species: readonly SpeciesTally[]): { lastCaughtAt?: string } {
  if (species.length === 0) return {}
  return {
    lastCaughtAt: new Date(
      species.reduce((last, one) => Math.max(last, one.last), Number.NEGATIVE_INFINITY),
    ).toISOString(),
  }
}

function mergeSpecies(collections: readonly Pick<ProfiledCollection, 'species'>[]): SpeciesTally[] {
  const merged = new Map<string, SpeciesTally>()
  for (const one of collections.flatMap(({ species }) => species)) {
    const key = JSON.stringify([one.name, one.label])
    const { count, first, last } = merged.get(key) ?? { ...one, count: 0 }
    merged.set(key, {
      ...one,
      count: count + one.count,
      first: Math.min(first, one.first),
      last: Math.max(last, one.last),
    })
  }
  return [...merged.values()]
}

/** Sums the counts of each day, and returns the earliest day first. */
function mergeDays(collections: readonly Pick<ProfiledCollection, 'days'>[]): Profile['days'] {
  const merged = new Map<string, number>()
  for (const { day, count } of collections.flatMap(({ days }) => days)) merged.set(day, (merged.get(day) ?? 0) + count)
  return Array.from(merged, ([day, count]) => ({ day, count })).sort((one, other) => order(one.day, other.day))
}

const DAY_MS = 24 * 60 * 60 * 1000

function streakOf(days: Profile['days'], today: string): Profile['streak'] {
  let longest = 0
  let run = 0
  let before = Number.NaN
  for (const { day } of days) {
    const at = Date.parse(day)
    run = at - before === DAY_MS ? run + 1 : 1
    longest = Math.max(longest, run)
    before = at
  }
  const isCurrent = Date.parse(today) - before <= DAY_MS
  return { current: isCurrent ? run : 0, longest }
}
