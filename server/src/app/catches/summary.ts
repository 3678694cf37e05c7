import { type CrabSummary, type FishSummary, type Kind, RARITY_LABELS, type RarityLabel } from '@fish-crab/sdk/contract'
import type { SpeciesTally } from '../../storage/core/types.ts'

type SummaryHead = Pick<FishSummary, 'user' | 'gamemode'>

export function summaryOf(kind: 'fish', head: SummaryHead, tallies: readonly SpeciesTally[]): FishSummary
export function summaryOf(kind: Kind, head: SummaryHead, tallies: readonly SpeciesTally[]): FishSummary | CrabSummary
export function summaryOf(kind: Kind, head: SummaryHead, tallies: readonly SpeciesTally[]): FishSummary | CrabSummary {
  const sorted = tallies.toSorted(byCount)
  const totals = { ...head, total: sum(tallies), unique: new Set(tallies.map(({ name }) => name)).size }
  const species = sorted.map(({ name, label, count, first, last }) => ({
    name,
    ...(kind === 'fish' ? { rarity: label as RarityLabel } : {}),
    count,
    firstCaughtAt: new Date(first).toISOString(),
    lastCaughtAt: new Date(last).toISOString(),
  }))
  if (kind === 'crab') return { ...totals, species }
  const byRarity = Object.fromEntries(
    RARITY_LABELS.map((rarity) => [rarity, sum(tallies.filter(({ label }) => label === rarity))]),
  ) as FishSummary['byRarity']
  return { ...totals, byRarity, species: species as FishSummary['species'] }
}

function sum(tallies: readonly SpeciesTally[]): number {
  return tallies.reduce((total, { count }) => total + count, 0)
}

function byCount(one: SpeciesTally, other: SpeciesTally): number {
  return other.count - one.count || compare(one.name, other.name) || compare(one.label ?? '', other.label ?? '')
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
