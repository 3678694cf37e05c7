import type { RarityLabel } from '@fish-crab/sdk'
import { RAREST_FIRST } from '../data/species-list.ts'
import { catchesTexts } from '../texts/catches.ts'
import { Bar } from './bar.tsx'
import { tintOf } from './creature.tsx'
import { formatNumber } from './format.ts'

/** A bar of fewer fish is shorter than its track, so that one catch does not look like many. */
const LEAST_SCALE = 10

/** The number of fish of each rarity, rarest first. */
export function RarityBars({ counts }: { readonly counts: Readonly<Partial<Record<RarityLabel, number>>> }) {
  const most = Math.max(LEAST_SCALE, ...Object.values(counts))
  return (
    <ul class="bars">
      {RAREST_FIRST.map((rarity) => {
        const count = counts[rarity] ?? 0
        return (
          <li key={rarity} class={`bar ${tintOf(rarity)}`}>
            <span class="pip" aria-hidden="true" />
            <span class="bar-label">{rarity}</span>
            <Bar percent={(count / most) * 100} />
            <span class="bar-count">
              {formatNumber(count)}
              <span class="visually-hidden"> {catchesTexts.labels.fish()}</span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}
