import type { Profile } from '@fish-crab/sdk'
import type { Bar } from '../../terminal/chart.ts'
import { type CollectionCounts, type CountRow, countRows, type SpeciesRow } from './counts.ts'

function countsOf({ gamemodes, byRarity }: Profile): CollectionCounts {
  const counts = (kind: 'fish' | 'crab') => ({
    total: gamemodes.reduce((total, one) => total + one[kind].total, 0),
    byGamemode: Object.fromEntries(gamemodes.map((one) => [one.gamemode, one[kind].total])),
  })
  return { fish: { ...counts('fish'), byRarity }, crab: counts('crab') }
}

export function profileRows(profile: Profile): readonly CountRow[] {
  const { unique, rarest, bestDay, streak } = profile
  const [totals, parts] = [true, false].map((isTotal) =>
    countRows(countsOf(profile)).filter(({ by }) => (by === 'total') === isTotal),
  )
  const about = (by: CountRow['by'], label: string | null, count: number): CountRow => ({
    kind: 'all',
    by,
    label,
    count,
  })
  const rare = rarest.map(({ name, rarity, count }): CountRow => {
    return { kind: 'fish', by: 'rarest', label: `${name}, ${rarity}`, count }
  })
  return [
    ...(totals ?? []),
    about('unique', null, unique),
    ...rare,
    ...(bestDay ? [about('best day', bestDay.day, bestDay.count)] : []),
    about('streak in days', 'current', streak.current),
    about('streak in days', 'longest', streak.longest),
    ...(parts ?? []),
  ]
}

/** The species of all gamemodes: fish before crabs, then by descending count, then by name. */
export function speciesRows({ gamemodes }: Profile): readonly SpeciesRow[] {
  return (['fish', 'crab'] as const).flatMap((kind) => {
    const species: readonly Omit<SpeciesRow, 'kind'>[] = gamemodes.flatMap((one) => one[kind].species ?? [])
    const groups = Map.groupBy(species, ({ name, rarity }) => JSON.stringify([name, rarity]))
    return [...groups.values()]
      .map((group) => group.reduce(merged))
      .map((one): SpeciesRow => ({ kind, ...one }))
      .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
  })
}

type Species = Omit<SpeciesRow, 'kind'>

function merged(one: Species, other: Species): Species {
  // The times are ISO 8601 in UTC, so sorting the text sorts by time.
  const [firstCaughtAt = '', second = ''] = [one.firstCaughtAt, other.firstCaughtAt].sort()
  const lastCaughtAt = [one.lastCaughtAt, other.lastCaughtAt, second].sort().at(-1) ?? ''
  return { ...one, count: one.count + other.count, firstCaughtAt, lastCaughtAt }
}

const CHART_DAYS = 14
const DAY_MS = 24 * 60 * 60 * 1000

/** Returns one bar for each of the last 14 UTC days. */
export function dayBars({ days }: Profile, now: number): readonly Bar[] {
  const counts = new Map(days.map(({ day, count }) => [day, count]))
  return Array.from({ length: CHART_DAYS }, (_, index) => {
    const label = new Date(now - (CHART_DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    return { label, value: counts.get(label) ?? 0 }
  })
}
