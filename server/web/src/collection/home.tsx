import { DEMO_QUERY } from '../data/address.ts'
import { RARITY_ORDER } from '../data/list.ts'
import { Drawing, shapeOf } from '../parts/drawings.tsx'
import { PlayerSearch } from './search.tsx'

export function Home() {
  return (
    <div class="home">
      <p class="shoal">
        <Drawing shape="silver" />
        <Drawing shape="gold" />
        <Drawing shape="crab" />
      </p>
      <h1>Fish and Crab Collection</h1>
      <p class="lead">Look up what a player has caught: every species, how often, and when.</p>
      <PlayerSearch isLarge />
      <p>
        Or look at the <a href={`/${DEMO_QUERY}`}>demo collection</a>.
      </p>
      <section aria-labelledby="legend">
        <h2 id="legend">Seven rarities, and crabs</h2>
        <ul class="legend">
          {RARITY_ORDER.toReversed().map((rarity) => (
            <li key={rarity} class={shapeOf(rarity)}>
              <Drawing shape={shapeOf(rarity)} />
              {rarity}
            </li>
          ))}
          <li class="crab">
            <Drawing shape="crab" />
            Crab
          </li>
        </ul>
      </section>
    </div>
  )
}
