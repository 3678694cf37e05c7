import type { PlayerProfile } from '../../data/profile.ts'
import type { SpeciesEntry } from '../../data/species-list.ts'
import { RarityBars } from '../../parts/rarity-bars.tsx'
import { catchesTexts } from '../../texts/catches.ts'
import { HistoryChart } from './history-chart.tsx'
import { Milestones } from './milestones.tsx'

interface ChartsProps {
  readonly profile: PlayerProfile
  /** The species of all gamemodes. */
  readonly entries: readonly SpeciesEntry[]
  /** The fish of the shown gamemode. */
  readonly byRarity: PlayerProfile['byRarity']
}

/** The history of a player, and the fish of a gamemode by rarity. */
export function Charts({ profile, entries, byRarity }: ChartsProps) {
  return (
    <>
      <Milestones entries={entries} profile={profile} />
      <div class="charts">
        {Object.values(byRarity).some((count) => count > 0) && (
          <section class="panel" aria-labelledby="rarities">
            <h2 id="rarities">{catchesTexts.rarities}</h2>
            <RarityBars counts={byRarity} />
          </section>
        )}
        <HistoryChart days={profile.days} />
      </div>
    </>
  )
}
