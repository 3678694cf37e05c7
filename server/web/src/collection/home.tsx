import type { RarityLabel } from '@fish-crab/sdk'
import { ALL_TIME, RARITIES } from '@fish-crab/sdk/constants'
import { useEffect, useState } from 'preact/hooks'
import type { Board, Leader } from '../../../src/page-data.ts'
import { DEMO_PATH, LEADERBOARD_PATH, playerPath } from '../data/address.ts'
import { readVisits, type Visit } from '../data/visits.ts'
import { Creature, LateCreature, tintOf } from '../parts/creature.tsx'
import { homeTexts as texts } from '../texts/home.tsx'
import { Leaders } from './leaderboard.tsx'
import { Emblem } from './player/head.tsx'
import { PlayerSearch } from './search.tsx'

const MOST_FISH: Board = { kind: 'fish', by: 'catches', period: ALL_TIME }

const EXAMPLES: Readonly<Record<RarityLabel, string>> = {
  Mythical: 'Leviathan',
  Platinum: 'Koi',
  Diamond: 'Sturgeon',
  Gold: 'Salmon',
  Silver: 'Herring',
  Bronze: 'Cod',
  'Unknown/Other': 'Boot',
}

interface HomeProps {
  /** The first players of the leaderboard. @default the leaderboard is not public, or not counted yet */
  readonly leaders: readonly Leader[] | undefined
}

export function Home({ leaders }: HomeProps) {
  return (
    <div class="home">
      <section class="banner home-head">
        <div class="who">
          <h1>{texts.title}</h1>
          <p>{texts.lead}</p>
          <PlayerSearch isLarge />
        </div>
        <p class="shoal" aria-hidden="true">
          <Creature kind="fish" name="Leviathan" rarity="Mythical" />
          <Creature kind="fish" name="Koi" rarity="Gold" />
          <Creature kind="crab" name="crab" />
        </p>
        <SeenPlayers />
      </section>
      {leaders && leaders.length > 0 && (
        <section class="panel" aria-labelledby="leaders">
          <h2 id="leaders">{texts.leaders}</h2>
          <Leaders board={MOST_FISH} leaders={leaders} players={leaders.length} />
          <p>
            <a href={LEADERBOARD_PATH}>{texts.leaderboard}</a>
          </p>
        </section>
      )}
      <section aria-labelledby="legend">
        <h2 id="legend">{texts.legendTitle}</h2>
        <p class="quiet">{texts.legend}</p>
        <ul class="legend">
          {[...RARITIES].reverse().map(({ label, catchWord }) => (
            <li key={label} class={`card ${tintOf(label)}`}>
              <div class="card-picture">
                <LateCreature kind="fish" name={EXAMPLES[label]} rarity={label} />
              </div>
              <strong class="card-rarity">{label}</strong>
              <span class="quiet">{catchWord ?? texts.otherWords}</span>
            </li>
          ))}
          <li class="card crab">
            <div class="card-picture">
              <LateCreature kind="crab" name="crab" />
            </div>
            <strong class="card-rarity">{texts.crab}</strong>
            <span class="quiet">{texts.crabWord}</span>
          </li>
        </ul>
      </section>
      <section class="start panel" aria-labelledby="start">
        <h2 id="start">{texts.startTitle}</h2>
        <ol>
          {texts.start.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p class="quiet">{texts.terminal}</p>
      </section>
    </div>
  )
}

const MAX_SEEN = 5

/** The last players whose pages this device has shown. The demo collection holds their place in the first view. */
function SeenPlayers() {
  const [visits, setVisits] = useState<readonly Visit[]>([])
  useEffect(() => setVisits(readVisits().slice(0, MAX_SEEN)), [])
  return (
    <ul class="seen" aria-label={visits.length > 0 ? texts.seen : undefined}>
      {visits.map(({ user, rarest }) => (
        <li key={user}>
          <a href={playerPath(user)}>
            <Emblem user={user} rarest={{ rarity: rarest }} />
            {user}
          </a>
        </li>
      ))}
      <li key={DEMO_PATH}>
        <a href={DEMO_PATH}>{texts.demo}</a>
      </li>
    </ul>
  )
}
