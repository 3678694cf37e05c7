import {
  caughtSince,
  type DayCount,
  type Entry,
  includes,
  type Kind,
  latestOf,
  latestTimeOf,
  mergeSummaries,
  type Species,
  type Summary,
  summarize,
  withDays,
  withEntries,
} from './summary.ts'

/** The fish and crabs of a player in one gamemode, or in all. */
export interface Collection {
  readonly fish: Summary
  readonly crab: Summary
}

interface GamemodeCollection extends Collection {
  readonly gamemode: string
}

/** The collection of a player. */
export interface Cabinet {
  /** The player's name in its original letter case, which may differ from the letter case in the address. */
  readonly user: string
  readonly gamemodes: readonly GamemodeCollection[]
  /** Catches by UTC day, the earliest first. */
  readonly days: readonly DayCount[]
  /** Streaks in days. */
  readonly streak: { readonly current: number; readonly longest: number }
}

/** A catch that was just stored. */
export interface Caught extends Entry {
  readonly kind: Kind
  readonly gamemode: string
}

/** A species that was caught while the page was open. */
export interface Fresh extends Species {
  readonly kind: Kind
  readonly gamemode: string
  readonly added: number
}

const KINDS: readonly Kind[] = ['fish', 'crab']
const NOTHING: Collection = { fish: summarize([]), crab: summarize([]) }

/** Returns the collection of a gamemode, or of all gamemodes together if `gamemode` is omitted. */
export function collectionOf({ gamemodes }: Cabinet, gamemode?: string): Collection {
  if (gamemode !== undefined) return gamemodes.find((one) => one.gamemode === gamemode) ?? NOTHING
  const caught = gamemodes.filter((one) => totalOf(one) > 0)
  const [only = NOTHING, ...others] = caught
  if (others.length === 0) return only
  const all = (kind: Kind) => mergeSummaries(caught.map((one) => one[kind]))
  return { fish: all('fish'), crab: all('crab') }
}

/** The number of all catches. */
export function totalOf({ fish, crab }: Collection): number {
  return fish.total + crab.total
}

/** When the last fish or crab was caught. */
export function latestCatchOf({ fish, crab }: Collection): string | undefined {
  return latestTimeOf(fish, crab)
}

/** Returns a copy of the cabinet with the catches added. */
export function withCatches(cabinet: Cabinet, caught: readonly Caught[]): Cabinet {
  if (caught.length === 0) return cabinet
  const gamemodes = cabinet.gamemodes.map((one) => {
    const of = (kind: Kind) => caught.filter((each) => each.kind === kind && each.gamemode === one.gamemode)
    return { ...one, fish: withEntries(one.fish, of('fish')), crab: withEntries(one.crab, of('crab')) }
  })
  return { ...cabinet, gamemodes, days: withDays(cabinet.days, caught) }
}

/** Whether a cabinet has a catch of the same species that is as late as the given catch, or later. */
export function hasCatch(cabinet: Cabinet, { kind, gamemode, ...entry }: Caught): boolean {
  return includes(collectionOf(cabinet, gamemode)[kind], entry)
}

/** The catches between two reads of a cabinet, by species. */
export function freshOf(before: Cabinet, now: Cabinet): readonly Fresh[] {
  return now.gamemodes.flatMap(({ gamemode, ...collection }) =>
    KINDS.flatMap((kind) =>
      caughtSince(collectionOf(before, gamemode)[kind], collection[kind]).map((one) => ({ ...one, kind, gamemode })),
    ),
  )
}
