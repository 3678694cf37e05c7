import { rollup, sum } from 'd3-array'
import type { BookEntry } from '../../data/book.ts'
import type { DayCount, Summary } from '../../data/summary.ts'
import { RarityBars } from '../../parts/rarity-bars.tsx'
import { HistoryChart } from './history-chart.tsx'
import { Milestones } from './milestones.tsx'

interface ChartsProps {
  /** The species of all gamemodes. */
  readonly book: readonly BookEntry[]
  readonly fish: Summary
  readonly days: readonly DayCount[]
}

/** The history of a player, and the fish of a collection by rarity. */
export function Charts({ book, fish, days }: ChartsProps) {
  const counts = rollup(
    fish.species,
    (some) => sum(some, ({ count }) => count),
    ({ rarity = 'Unknown/Other' }) => rarity,
  )
  return (
    <>
      <Milestones book={book} days={days} />
      <div class="charts">
        {fish.total > 0 && (
          <section class="panel" aria-labelledby="rarities">
            <h2 id="rarities">Rarities</h2>
            <RarityBars counts={counts} />
          </section>
        )}
        <HistoryChart days={days} />
      </div>
    </>
  )
}
