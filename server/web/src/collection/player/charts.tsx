import type { Gamemode } from '@fish-crab/sdk/constants'
import { collectionOf, countByRarity, type PlayerProfile } from '../../data/profile.ts'
import type { SpeciesEntry } from '../../data/species-list.ts'
import { RarityBars } from '../../parts/rarity-bars.tsx'
import { HistoryChart } from './history-chart.tsx'
import { Milestones } from './milestones.tsx'

interface ChartsProps {
  readonly profile: PlayerProfile
  /** The species of all gamemodes. */
  readonly entries: readonly SpeciesEntry[]
  /** @default all */
  readonly gamemode: Gamemode | undefined
}

/** The history of a player, and the fish of a gamemode by rarity. */
export function Charts({ profile, entries, gamemode }: ChartsProps) {
  const counts = gamemode === undefined ? profile.byRarity : countByRarity(collectionOf(profile, gamemode).fish.species)
  return (
    <>
      <Milestones entries={entries} profile={profile} />
      <div class="charts">
        {Object.values(counts).some((count) => count > 0) && (
          <section class="panel" aria-labelledby="rarities">
            <h2 id="rarities">Rarities</h2>
            <RarityBars counts={counts} />
          </section>
        )}
        <HistoryChart days={profile.days} />
      </div>
    </>
  )
}
