import { type CrabSummary, type FishSummary, type Kind, RARITY_LABELS, type RarityLabel } from '@fish-crab/sdk/contract'
import type { SpeciesTally } from '../../storage/core/types.ts'
import { type Slices, sortInSlices } from '../core/slices.ts'

type SummaryHead = Pick<FishSummary, 'user' | 'gamemode' | 'total'>

export async function summaryOf(
  kind: Kind,
  head: SummaryHead,
  tallies: readonly SpeciesTally[],
  slices: Slices,
): Promise<FishSummary | CrabSummary> {
  const names = new Set<string>()
  const byRarity = createRarityCounts()
  for await (const slice of slices(tallies)) {
    for (const { name, label, count } of slice) {
      names.add(name)
      byRarity.add(label, count)
    }
  }
  const totals = { ...head, unique: names.size }
  const species = await listSpecies(kind, tallies, slices)
  return kind === 'crab' ? { ...totals, species } : { ...totals, byRarity: byRarity.counts, species }
}

/** The species of a collection as responses list them: most caught first. */
export async function listSpecies(
  kind: Kind,
  tallies: readonly SpeciesTally[],
  slices: Slices,
): Promise<FishSummary['species']> {
  const species: FishSummary['species'] = []
  for await (const slice of slices(await sortInSlices(tallies, byCount, slices))) {
    for (const tally of slice) species.push(toSpecies(kind, tally))
  }
  return species
}

/** A crab has no rarity. */
export function toSpecies(
  kind: Kind,
  { name, label, count, first, last }: SpeciesTally,
): FishSummary['species'][number] {
  return {
    name,
    ...((kind === 'fish' ? { rarity: label } : {}) as { rarity: RarityLabel }),
    count,
    firstCaughtAt: new Date(first).toISOString(),
    lastCaughtAt: new Date(last).toISOString(),
  }
}

export function createRarityCounts() {
  const counts = Object.fromEntries(RARITY_LABELS.map((label) => [label, 0])) as FishSummary['byRarity']
  return {
    counts,
    add(label: string | null, count: number): void {
      if (label !== null && label in counts) counts[label as RarityLabel] += count
    },
  }
}

function byCount(one: SpeciesTally, other: SpeciesTally): number {
  return other.count - one.count || compareText(one.name, other.name) || compareText(one.label ?? '', other.label ?? '')
}

export function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
