import { RAREST_FIRST } from '../../data/species-list.ts'
import { tintOf } from '../../parts/creature.tsx'

/** Explains the marks on the cards of species. */
export function PipLegend() {
  return (
    <details class="pip-legend">
      <summary>What the marks mean</summary>
      <ul>
        {RAREST_FIRST.map((rarity) => (
          <li key={rarity} class={tintOf(rarity)}>
            <span class="pip" aria-hidden="true" /> {rarity}
          </li>
        ))}
        <li>
          <span class="pip missing" aria-hidden="true" /> Not caught
        </li>
      </ul>
      <p class="quiet">The number below a mark is how often the species was caught in that rarity.</p>
    </details>
  )
}
