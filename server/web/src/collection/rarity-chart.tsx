import type { RarityLabel } from '@fish-crab/sdk'
import { RARITY_ORDER } from '../data/list.ts'
import type { Summary } from '../data/summary.ts'
import { Drawing, shapeOf } from '../parts/drawings.tsx'
import { formatNumber, plural } from '../parts/format.ts'

interface RarityChartProps {
  readonly fish: Summary
  readonly selected: RarityLabel | undefined
  readonly onSelect: (rarity: RarityLabel | undefined) => void
}

/** How many fish of each rarity: bars that also select what the list shows. */
export function RarityChart({ fish, selected, onSelect }: RarityChartProps) {
  const totals = new Map<RarityLabel, { count: number; species: number }>()
  for (const { rarity = 'Unknown/Other', count } of fish.species) {
    const { count: sum = 0, species = 0 } = totals.get(rarity) ?? {}
    totals.set(rarity, { count: sum + count, species: species + 1 })
  }
  const most = Math.max(1, ...[...totals.values()].map(({ count }) => count))
  return (
    <section class="panel" aria-labelledby="rarities">
      <h2 id="rarities">Rarities</h2>
      <ul class="bars">
        {RARITY_ORDER.toReversed().map((rarity) => {
          const { count = 0, species = 0 } = totals.get(rarity) ?? {}
          const share = fish.total === 0 ? 0 : (count / fish.total) * 100
          const percent = share > 0 && share < 1 ? 'under 1 %' : `${Math.round(share)} %`
          return (
            <li key={rarity}>
              <button
                type="button"
                class={`bar ${shapeOf(rarity)}`}
                aria-pressed={selected === rarity}
                disabled={count === 0}
                title={`${plural(species, 'species', 'species')}, ${percent} of all fish`}
                onClick={() => onSelect(selected === rarity ? undefined : rarity)}
              >
                <Drawing shape={shapeOf(rarity)} />
                <span class="bar-label">{rarity}</span>
                <span class="bar-track" aria-hidden="true">
                  <span class="bar-fill" style={{ width: `${(count / most) * 100}%` }} />
                </span>
                <span class="bar-count">
                  {formatNumber(count)}
                  <span class="visually-hidden"> fish</span>
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
