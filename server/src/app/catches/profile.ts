import { type Gamemode, type Kind, type Profile, RARITY_LABELS, type RarityLabel } from '@fish-crab/sdk/contract'
import type { CollectionTallies, SpeciesTally } from '../../storage/core/types.ts'
import { type Slices, sortInSlices } from '../core/slices.ts'
import { knownKey } from './species-census.ts'
import { compareText, createRarityCounts, listSpecies, toSpecies } from './summary.ts'

/** The data of one collection for a profile. */
export interface ProfiledCollection extends CollectionTallies {
  readonly kind: Kind
  readonly gamemode: Gamemode
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
  /** The keys of the known species by {@link knownKey}. @default none are known */
  readonly known?: ReadonlySet<string> | undefined
  readonly slices: Slices
}

type CollectionProfile = Profile['gamemodes'][number]['fish']

const RAREST = 5
export const LATEST = 5
const DAYS = 366
const NONE: ReadonlySet<string> = new Set()

export async function profileOf(collections: readonly ProfiledCollection[], options: ProfileOptions): Promise<Profile> {
  const { user, gamemodes, today, withSpecies, known = NONE, slices } = options
  const fish: FishTallies = new Map()
  const crabs = new Set<string>()
  const caughtKnown = new Set<string>()
  const rarities = createRarityCounts()
  const times: Times[] = []

  async function profileCollection(one: ProfiledCollection): Promise<CollectionProfile> {
    const { kind, count, species, days, latest } = one
    const unique = new Set<string>()
    const found: Times = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
    for await (const slice of slices(species ?? [])) {
      for (const tally of slice) {
        if (!unique.has(tally.name)) {
          unique.add(tally.name)
          const key = known.size > 0 ? knownKey(kind, tally.name) : ''
          if (known.has(key)) caughtKnown.add(key)
        }
        found.first = Math.min(found.first, tally.first)
        found.last = Math.max(found.last, tally.last)
        if (kind === 'crab') crabs.add(tally.name)
        else {
          rarities.add(tally.label, tally.count)
          addFish(fish, tally)
        }
      }
    }
    if (!species) {
      for (const { entry } of latest) found.last = Math.max(found.last, Date.parse(entry.caughtAt))
      for await (const slice of slices(days ?? [])) for (const day of slice) rarities.add(day.label, day.count)
    }
    times.push(found)
    const figures = { total: count, ...formatTimes(found, 'last') }
    if (!species || !days) return { ...figures, complete: false }
    const listed = withSpecies ? { species: await listSpecies(kind, species, slices) } : {}
    return { ...figures, unique: unique.size, ...listed }
  }

  const profiles = new Map<string, CollectionProfile>()
  const keyOf = ({ kind, gamemode }: Pick<ProfiledCollection, 'kind' | 'gamemode'>) => `${kind} ${gamemode}`
  for (const one of collections) profiles.set(keyOf(one), await profileCollection(one))
  const profileIn = (kind: Kind, gamemode: Gamemode): CollectionProfile =>
    profiles.get(keyOf({ kind, gamemode })) ?? { total: 0, unique: 0, ...(withSpecies ? { species: [] } : {}) }
  const isListed = collections.every(({ species }) => species)
  const days = await mergeDays(collections, slices)
  return {
    user,
    total: collections.reduce((sum, { count }) => sum + count, 0),
    unique: fish.size + crabs.size,
    ...formatTimes(
      {
        first: Math.min(...times.map(({ first }) => first)),
        last: Math.max(...times.map(({ last }) => last)),
      },
      'first',
      'last',
    ),
    byRarity: rarities.counts,
    gamemodes: gamemodes.map((gamemode) => ({
      gamemode,
      fish: profileIn('fish', gamemode),
      crab: profileIn('crab', gamemode),
    })),
    rarest: await rarestOf(fish, slices),
    latest: collections
      .flatMap(({ latest }) => latest)
      .toSorted((one, other) => other.sequence - one.sequence)
      .slice(0, LATEST)
      .map(({ entry }) => entry),
    days: days.slice(-DAYS),
    ...(await reviewDays(days, today, slices)),
    ...(known.size > 0 && isListed ? { knownSpecies: { total: known.size, caught: caughtKnown.size } } : {}),
  }
}

/** Unix times in milliseconds; infinite without catches. */
interface Times {
  first: number
  last: number
}

function formatTimes(times: Times, ...wanted: readonly (keyof Times)[]) {
  const known = wanted.filter((time) => Number.isFinite(times[time]))
  return Object.fromEntries(known.map((time) => [`${time}CaughtAt`, new Date(times[time]).toISOString()]))
}

/** The fish of all gamemodes by name: one tally for each label. */
type FishTallies = Map<string, SpeciesTally[]>

function addFish(fish: FishTallies, tally: SpeciesTally): void {
  const { name, label } = tally
  const ofName = fish.get(name)
  if (!ofName) {
    fish.set(name, [tally])
    return
  }
  const at = ofName.findIndex((one) => one.label === label)
  const known = ofName[at]
  if (!known) ofName.push(tally)
  else {
    const [first, last] = [Math.min(known.first, tally.first), Math.max(known.last, tally.last)]
    ofName[at] = { name, label, count: known.count + tally.count, first, last }
  }
}

async function rarestOf(fish: FishTallies, slices: Slices): Promise<Profile['rarest']> {
  let rarest: SpeciesTally[] = []
  for await (const slice of slices(fish.values())) {
    rarest = [...rarest, ...slice.flat()].sort(byRarity).slice(0, RAREST)
  }
  return rarest.map((tally) => toSpecies('fish', tally))
}

function byRarity(one: SpeciesTally, other: SpeciesTally): number {
  const rank = ({ label }: SpeciesTally) => RARITY_LABELS.indexOf(label as RarityLabel)
  return rank(other) - rank(one) || one.count - other.count || compareText(one.name, other.name)
}

/** Sums the counts of each day, and returns the earliest day first. */
async function mergeDays(collections: readonly ProfiledCollection[], slices: Slices): Promise<Profile['days']> {
  const merged = new Map<string, number>()
  for (const { days } of collections) {
    for await (const slice of slices(days ?? [])) {
      for (const { day, count } of slice) merged.set(day, (merged.get(day) ?? 0) + count)
    }
  }
  const days: Profile['days'] = []
  for await (const slice of slices(merged)) for (const [day, count] of slice) days.push({ day, count })
  const sorted = await sortInSlices(days, (one, other) => compareText(one.day, other.day), slices)
  return [...sorted]
}

const DAY_MS = 24 * 60 * 60 * 1000

/** @param days the earliest day first */
async function reviewDays(
  days: Profile['days'],
  today: string,
  slices: Slices,
): Promise<Pick<Profile, 'bestDay' | 'streak'>> {
  let bestDay: Profile['bestDay']
  let [longest, run, before] = [0, 0, Number.NaN]
  for await (const slice of slices(days)) {
    for (const one of slice) {
      if (!bestDay || one.count > bestDay.count) bestDay = one
      const at = Date.parse(one.day)
      run = at - before === DAY_MS ? run + 1 : 1
      longest = Math.max(longest, run)
      before = at
    }
  }
  const isCurrent = Date.parse(today) - before <= DAY_MS
  return { ...(bestDay ? { bestDay } : {}), streak: { current: isCurrent ? run : 0, longest } }
}

export function totalsOf({ gamemodes }: Profile) {
  const sum = (kind: 'fish' | 'crab') => gamemodes.reduce((total, one) => total + one[kind].total, 0)
  return { fish: sum('fish'), crabs: sum('crab') }
}
