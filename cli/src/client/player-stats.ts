import type { Client, Crab, Fish, Gamemode } from '@fish-crab/sdk'
import { RARITIES, type RarityLabel } from '@fish-crab/sdk/constants'
import type { Bar } from '../output/chart.ts'
import { type CollectionCounts, type CountRow, countRows, readGamemodes, type SpeciesRow } from './counts.ts'

/** A catch with what it belongs to. */
interface PlayerCatch {
  readonly kind: 'fish' | 'crab'
  readonly gamemode: Gamemode
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  /** ISO 8601. */
  readonly caughtAt: string
}

export interface PlayerCatches {
  /** In the spelling of the service. */
  readonly user: string
  readonly gamemodes: readonly Gamemode[]
  readonly catches: readonly PlayerCatch[]
}

interface ReadOptions {
  readonly user: string
  readonly gamemodes: readonly Gamemode[]
  readonly signal: AbortSignal
}

/** One request for each kind and gamemode. */
export async function readCatches(client: Client, { user, gamemodes, signal }: ReadOptions): Promise<PlayerCatches> {
  const collections = await readGamemodes(gamemodes, signal, async (each, aborted) => {
    const options = { user, gamemode: each, detail: 'full', signal: aborted } as const
    const [{ user: name, fish }, { crab }] = await Promise.all([client.fish.list(options), client.crabs.list(options)])
    const withKind = (kind: PlayerCatch['kind'], list: readonly (Detailed<Fish> | Detailed<Crab>)[]) =>
      list.map((one): PlayerCatch => ({ ...one, kind, gamemode: each }))
    return { name, catches: [...withKind('fish', fish), ...withKind('crab', crab)] }
  })
  return {
    user: collections[0]?.name ?? user,
    gamemodes,
    catches: collections.flatMap(({ catches }) => catches),
  }
}

type Detailed<Entry> = Entry & { readonly caughtAt: string }

interface Rarest {
  readonly name: string
  readonly rarity: RarityLabel
  /** How often it was caught. */
  readonly count: number
  readonly gamemode: Gamemode
  readonly caughtAt: string
}

interface DayCount {
  /** A local day, such as `2026-11-23`. */
  readonly day: string
  readonly count: number
}

export interface PlayerStats extends CollectionCounts {
  readonly user: string
  /** ISO 8601. */
  readonly since: string | null
  /** Species that were caught for the first time, ever. */
  readonly firsts: number
  readonly rarest: Rarest | null
  readonly bestDay: DayCount | null
  /** Local days in a row with a catch: up to today or yesterday, and at most. */
  readonly streak: { readonly current: number; readonly longest: number }
}

interface Period {
  /** In milliseconds since 1970. */
  readonly since: number | undefined
  readonly now: number
}

export function playerStats({ user, gamemodes, catches }: PlayerCatches, { since, now }: Period): PlayerStats {
  const selected = catchesSince(catches, since)
  const days = countDays(selected)
  return {
    user,
    since: since === undefined ? null : new Date(since).toISOString(),
    ...countCatches(gamemodes, selected),
    firsts: firstsIn(catches, since),
    rarest: rarestOf(selected),
    bestDay: bestOf(days),
    streak: streakOf(days, now),
  }
}

function catchesSince(catches: readonly PlayerCatch[], since = Number.NEGATIVE_INFINITY): readonly PlayerCatch[] {
  return catches.filter(({ caughtAt }) => Date.parse(caughtAt) >= since)
}

function countCatches(gamemodes: readonly Gamemode[], catches: readonly PlayerCatch[]): CollectionCounts {
  const counts = (kind: PlayerCatch['kind']) => {
    const own = catches.filter((one) => one.kind === kind)
    const byGamemode = gamemodes.map((each) => [each, own.filter(({ gamemode }) => gamemode === each).length])
    return {
      total: own.length,
      unique: new Set(own.map(({ name }) => name)).size,
      byGamemode: Object.fromEntries(byGamemode),
    }
  }
  // Crabs have no rarity.
  const byRarity = RARITIES.map(({ label }) => [label, catches.filter(({ rarity }) => rarity === label).length])
  return { fish: { ...counts('fish'), byRarity: Object.fromEntries(byRarity) }, crab: counts('crab') }
}

/** The species of all gamemodes together, fish before crabs, most caught first, then by name. */
export function speciesRows({ catches }: PlayerCatches, since: number | undefined): readonly SpeciesRow[] {
  const groups = Map.groupBy(catchesSince(catches, since), ({ kind, name, rarity }) =>
    JSON.stringify([kind, name, rarity]),
  )
  const rows = [...groups.values()].flatMap(([first, ...rest]): SpeciesRow[] => {
    if (!first) return []
    const { kind, name, rarity, caughtAt } = first
    // ISO 8601 in UTC, so that text is ordered as time.
    const times = [caughtAt, ...rest.map((one) => one.caughtAt)].sort()
    const [firstCaughtAt = '', lastCaughtAt = ''] = [times[0], times.at(-1)]
    return [{ kind, name, ...(rarity && { rarity }), count: times.length, firstCaughtAt, lastCaughtAt }]
  })
  return rows.sort((one, other) => {
    if (one.kind !== other.kind) return one.kind === 'fish' ? -1 : 1
    return other.count - one.count || (one.name < other.name ? -1 : 1)
  })
}

function firstsIn(catches: readonly PlayerCatch[], since = Number.NEGATIVE_INFINITY): number {
  const groups = Map.groupBy(catches, ({ kind, name }) => JSON.stringify([kind, name]))
  return [...groups.values()].filter((group) => group.every(({ caughtAt }) => Date.parse(caughtAt) >= since)).length
}

/** The fish of the highest rarity, of these the one caught least often, of these the first. */
function rarestOf(catches: readonly PlayerCatch[]): Rarest | null {
  const fish = catches.filter((one) => one.kind === 'fish' && one.rarity !== undefined)
  const most = highest(fish.map(({ rarity }) => rankOf(rarity)))
  const rare = fish.filter(({ rarity }) => rankOf(rarity) === most)
  const groups = [...Map.groupBy(rare, ({ name }) => name).values()]
  const [group] = groups
    .map((each) => each.toSorted((one, other) => Date.parse(one.caughtAt) - Date.parse(other.caughtAt)))
    .sort(
      (one, other) =>
        one.length - other.length || Date.parse(one[0]?.caughtAt ?? '') - Date.parse(other[0]?.caughtAt ?? ''),
    )
  const [first] = group ?? []
  if (!first?.rarity) return null
  const { name, rarity, gamemode, caughtAt } = first
  return { name, rarity, count: group?.length ?? 0, gamemode, caughtAt }
}

/** Not `Math.max(...)`: a call has too few arguments for a large collection. */
function highest(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY)
}

function rankOf(label: RarityLabel | undefined): number {
  return RARITIES.findIndex((rarity) => rarity.label === label)
}

function dayName(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}

/** By the calendar: a day may have 23 or 25 hours. */
function daysBefore(at: number, days: number): Date {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days)
}

function countDays(catches: readonly PlayerCatch[]): ReadonlyMap<string, number> {
  const days = new Map<string, number>()
  for (const { caughtAt } of catches) {
    const day = dayName(new Date(caughtAt))
    days.set(day, (days.get(day) ?? 0) + 1)
  }
  return days
}

function bestOf(days: ReadonlyMap<string, number>): DayCount | null {
  const count = highest([...days.values()])
  const [day] = [...days]
    .filter((one) => one[1] === count)
    .map(([name]) => name)
    .sort()
  return day === undefined ? null : { day, count }
}

function streakOf(days: ReadonlyMap<string, number>, now: number): PlayerStats['streak'] {
  const lengthUpTo = (at: number) => {
    let length = 0
    while (days.has(dayName(daysBefore(at, length)))) length += 1
    return length
  }
  const current = lengthUpTo(now) || lengthUpTo(daysBefore(now, 1).getTime())
  let longest = 0
  for (const day of days.keys()) {
    const at = new Date(`${day}T12:00`).getTime()
    // Only the last day of each streak.
    if (!days.has(dayName(daysBefore(at, -1)))) longest = Math.max(longest, lengthUpTo(at))
  }
  return { current, longest }
}

export function playerRows(stats: PlayerStats): readonly CountRow[] {
  const { firsts, rarest, bestDay, streak } = stats
  const [totals, parts] = [true, false].map((isTotal) =>
    countRows(stats).filter(({ by }) => (by === 'total' || by === 'unique') === isTotal),
  )
  const about = (by: CountRow['by'], label: string | null, count: number): CountRow => ({
    kind: 'all',
    by,
    label,
    count,
  })
  return [
    ...(totals ?? []),
    about('firsts', null, firsts),
    ...(rarest
      ? [{ ...about('rarest', `${rarest.name}, ${rarest.rarity}`, rarest.count), kind: 'fish' as const }]
      : []),
    ...(bestDay ? [about('best day', bestDay.day, bestDay.count)] : []),
    about('streak in days', 'current', streak.current),
    about('streak in days', 'longest', streak.longest),
    ...(parts ?? []),
  ]
}

const CHART_DAYS = 14

/** The last two weeks, or fewer with a later `since`. */
export function dayBars({ catches }: PlayerCatches, { since, now }: Period): readonly Bar[] {
  const counts = countDays(catchesSince(catches, since))
  const days = Array.from({ length: CHART_DAYS }, (_, index) => daysBefore(now, CHART_DAYS - 1 - index))
  return days
    .filter((day) => since === undefined || daysBefore(day.getTime(), -1).getTime() > since)
    .map((day) => ({ label: dayName(day), value: counts.get(dayName(day)) ?? 0 }))
}
