import { rollup, sum } from 'd3-array'
import type { DayCount, Summary } from '../../data/summary.ts'
import { RarityBars } from '../../parts/rarity-bars.tsx'
import { HistoryChart } from './history-chart.tsx'

interface ChartsProps {
  readonly fish: Summary
  readonly days: readonly DayCount[]
}

/** The fish of a collection by rarity, and all catches over time. */
export function Charts({ fish, days }: ChartsProps) {
  const counts = rollup(
    fish.species,
    (some) => sum(some, ({ count }) => count),
    ({ rarity = 'Unknown/Other' }) => rarity,
  )
  return (
    <>
      {fish.total > 0 && (
        <section class="panel" aria-labelledby="rarities">
          <h2 id="rarities">Rarities</h2>
          <RarityBars counts={counts} />
        </section>
      )}
      <HistoryChart days={days} />
    </>
  )
}
