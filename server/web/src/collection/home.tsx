import type { RarityLabel } from '@fish-crab/sdk'
import { ALL_TIME, RARITIES } from '@fish-crab/sdk/constants'
import { useMemo } from 'preact/hooks'
import type { Board, Leader } from '../../../src/page-data.ts'
import { DEMO_PATH, LEADERBOARD_PATH, playerPath } from '../data/address.ts'
import { readLastKnown } from '../data/last-known.ts'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatDate, plural } from '../parts/format.ts'
import { useSite } from '../parts/site-context.ts'
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
  const { hasLeaderboard } = useSite()
  return (
    <div class="home">
      <section class="banner home-head">
        <div class="who">
          <h1>Fish and Crab Collection</h1>
          <p>Show every fish and crab that you catch.</p>
          <PlayerSearch isLarge />
          <p>
            Or look at the <a href={DEMO_PATH}>demo collection</a>.
          </p>
        </div>
        <p class="shoal" aria-hidden="true">
          <Creature kind="fish" name="Leviathan" rarity="Mythical" />
          <Creature kind="fish" name="Koi" rarity="Gold" />
          <Creature kind="crab" name="crab" />
        </p>
      </section>
      <LastPlayer />
      {hasLeaderboard && (
        <section class="panel" aria-labelledby="leaders">
          <h2 id="leaders">Most fish</h2>
          {leaders && leaders.length > 0 && <Leaders board={MOST_FISH} leaders={leaders} players={leaders.length} />}
          <p>
            <a href={LEADERBOARD_PATH}>Show the leaderboard</a>
          </p>
        </section>
      )}
      <section aria-labelledby="legend">
        <h2 id="legend">Seven rarities, and crabs</h2>
        <p class="quiet">The first word of a catch in the chat shows the rarity: INSANE CATCH! is a Mythical fish.</p>
        <ul class="legend">
          {[...RARITIES].reverse().map(({ label, catchWord }) => (
            <li key={label} class={`card ${tintOf(label)}`}>
              <div class="card-picture">
                <Creature kind="fish" name={EXAMPLES[label]} rarity={label} />
              </div>
              <strong class="card-rarity">{label}</strong>
              <span class="quiet">{catchWord ?? 'other words'}</span>
            </li>
          ))}
          <li class="card crab">
            <div class="card-picture">
              <Creature kind="crab" name="crab" />
            </div>
            <strong class="card-rarity">Crab</strong>
            <span class="quiet">FISHING</span>
          </li>
        </ul>
      </section>
      <section class="start panel" aria-labelledby="start">
        <h2 id="start">How do I start?</h2>
        <ol>
          <li>Ask the owner of this server for an account. You get a login file, or a name and a password.</li>
          <li>
            Install <code>fish-cli</code>, and log in once: <code>fish-cli login</code>
          </li>
          <li>
            Run <code>fish-cli watch</code> beside the game. The command reads the log of the game, and each catch
            appears here.
          </li>
        </ol>
      </section>
    </div>
  )
}

/** The player whose page this device showed last. Loading the player takes no request. */
function LastPlayer() {
  const known = useMemo(() => readLastKnown(), [])
  if (!known) return null
  const { profile, updatedAt } = known
  return (
    <a class="panel last-player" href={playerPath(profile.user)}>
      <Emblem user={profile.user} rarest={profile.rarest[0]} />
      <span>
        <strong>{profile.user}</strong>
        <span class="quiet">
          {plural(profile.total, 'catch', 'catches')} · seen on {formatDate(updatedAt)}
        </span>
      </span>
    </a>
  )
}
