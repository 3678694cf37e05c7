import type { RarityLabel } from '@fish-crab/sdk'
import { rollup, sum } from 'd3-array'
import type { DayCount, Species, Summary } from '../../data/summary.ts'
import { plural } from '../../parts/format.ts'
import { RarityBars } from '../../parts/rarity-bars.tsx'
import { HistoryChart } from './history-chart.tsx'

interface ChartsProps {
  readonly fish: Summary
  readonly rarity: RarityLabel | undefined
  readonly onRarity: (rarity: RarityLabel | undefined) => void
  readonly days: readonly DayCount[] | undefined
}

/** The fish of a collection by rarity, and all catches over time. */
export function Charts({ fish, days, rarity, onRarity }: ChartsProps) {
  return (
    <>
      <RarityChart fish={fish} selected={rarity} onSelect={onRarity} />
      {days && <HistoryChart days={days} />}
    </>
  )
}

interface RarityChartProps {
  readonly fish: Summary
  readonly selected: RarityLabel | undefined
  readonly onSelect: (rarity: RarityLabel | undefined) => void
}

/** Bars that also select what the list shows. */
function RarityChart({ fish, selected, onSelect }: RarityChartProps) {
  const rarityOf = ({ rarity = 'Unknown/Other' }: Species) => rarity
  const counts = rollup(fish.species, (some) => sum(some, ({ count }) => count), rarityOf)
  const species = rollup(fish.species, (some) => some.length, rarityOf)
  return (
    <section class="panel" aria-labelledby="rarities">
      <h2 id="rarities">Rarities</h2>
      <RarityBars
        counts={counts}
        buttonOf={(rarity, count) => {
          const share = (count / fish.total) * 100
          const percent = share > 0 && share < 1 ? 'under 1 %' : `${Math.round(share)} %`
          return {
            title: `${plural(species.get(rarity) ?? 0, 'species', 'species')}, ${percent} of all fish`,
            isPressed: selected === rarity,
            onClick: () => onSelect(selected === rarity ? undefined : rarity),
          }
        }}
      />
    </section>
  )
}
