import type { RarityLabel } from '@fish-crab/sdk'
import { milestonesTexts as texts } from '../texts/milestones.ts'
import type { PlayerProfile } from './profile.ts'
import type { SpeciesEntry } from './species-list.ts'
import { compareText, RARITY_ORDER } from './summary.ts'

/** An event in the history of a collection. */
export interface Milestone {
  /** ISO 8601: a time, or a day such as `2026-01-31`. */
  readonly at: string
  readonly title: string
  /** The species of the milestone, if it has one. */
  readonly species?: Pick<SpeciesEntry, 'kind' | 'name' | 'rarity'>
}

const ROUND_NUMBERS = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]
/** Rarities whose first catch is a milestone. */
const RARE: readonly RarityLabel[] = RARITY_ORDER.slice(RARITY_ORDER.indexOf('Gold'))

/** The milestones of a collection, the latest first. */
export function milestonesOf(
  entries: readonly SpeciesEntry[],
  { days, bestDay }: Pick<PlayerProfile, 'days' | 'bestDay'>,
): readonly Milestone[] {
  const byFirst = [...entries].sort((one, other) => compareText(one.firstCaughtAt, other.firstCaughtAt))
  const milestones: Milestone[] = byFirst.flatMap((species, index) => {
    const title =
      index === 0 ? texts.firstCatch : ROUND_NUMBERS.includes(index + 1) ? texts.species(index + 1) : undefined
    return title === undefined ? [] : [{ at: species.firstCaughtAt, title, species }]
  })
  milestones.push(...firstsOf(entries))
  if (bestDay && bestDay.count > 1 && days.length > 1) {
    milestones.push({ at: bestDay.day, title: texts.bestDay(bestDay.count) })
  }
  return milestones.sort((one, other) => compareText(other.at, one.at))
}

/** The first catch of each rare rarity. */
function firstsOf(entries: readonly SpeciesEntry[]): readonly Milestone[] {
  const firsts = new Map<RarityLabel, Milestone>()
  for (const { kind, name, rarities } of entries) {
    for (const { rarity, firstCaughtAt: at } of rarities) {
      if (rarity === undefined || !RARE.includes(rarity)) continue
      const first = firsts.get(rarity)
      if (!first || at < first.at)
        firsts.set(rarity, { at, title: texts.first(rarity), species: { kind, name, rarity } })
    }
  }
  return [...firsts.values()]
}
