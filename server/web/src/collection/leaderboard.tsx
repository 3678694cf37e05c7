import type { Client } from '@fish-crab/sdk'
import { useEffect, useState } from 'preact/hooks'
import { playerPath } from '../data/address.ts'
import { readLastKnown } from '../data/last-known.ts'
import { hasLeaderboard } from '../data/site.ts'
import type { Kind } from '../data/summary.ts'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatNumber } from '../parts/format.ts'
import { Empty } from './empty.tsx'

const PLACES = 50

interface LeaderboardPageProps {
  readonly client: Client
  readonly kind: Kind
  readonly onKind: (kind: Kind) => void
}

export function LeaderboardPage({ client, kind, onKind }: LeaderboardPageProps) {
  if (!hasLeaderboard()) {
    return (
      <Empty title="No leaderboard">
        <p>The owner of this server does not show who has caught the most.</p>
      </Empty>
    )
  }
  return (
    <>
      <h1>Leaderboard</h1>
      <div class="segments">
        {(['fish', 'crab'] as const).map((one) => (
          <button key={one} type="button" aria-pressed={kind === one} onClick={() => onKind(one)}>
            {one === 'fish' ? 'Fish' : 'Crabs'}
          </button>
        ))}
      </div>
      <section class="panel" aria-label="Players with the most catches">
        <Leaders client={client} kind={kind} limit={PLACES} key={kind} />
      </section>
    </>
  )
}

interface Leader {
  readonly name: string
  readonly count: number
}

interface LeadersProps {
  readonly client: Client
  readonly kind: Kind
  readonly limit: number
}

/**
 * The players with the most catches. The last player of this device is marked. Loading the leaderboard takes one
 * request.
 */
export function Leaders({ client, kind, limit }: LeadersProps) {
  const [leaders, setLeaders] = useState<readonly Leader[] | 'failed'>()
  useEffect(() => {
    const left = new AbortController()
    client.leaderboard({ kind, limit, signal: left.signal }).then(
      ({ leaderboard }) => setLeaders(leaderboard),
      () => left.signal.aborted || setLeaders('failed'),
    )
    return () => left.abort()
  }, [client, kind, limit])
  if (leaders === undefined) return <div class="placeholder" />
  if (leaders === 'failed') return <p class="quiet">The leaderboard could not be loaded. Reload the page later.</p>
  if (leaders.length === 0) return <p class="quiet">Nobody has caught anything yet.</p>
  const most = leaders[0]?.count ?? 1
  const own = readLastKnown()?.profile.user
  return (
    <ol class="leaders">
      {leaders.map(({ name, count }, index) => (
        <li key={name} class={`${tintOf(MEDALS[index] ?? 'Unknown/Other')} ${name === own ? 'own' : ''}`}>
          <span class="place">{index + 1}</span>
          <Creature kind="fish" name={name} rarity={MEDALS[index] ?? 'Unknown/Other'} />
          <a href={playerPath(name)}>{name}</a>
          <span class="bar-track" aria-hidden="true">
            <span class="bar-fill" style={{ width: `${(count / most) * 100}%` }} />
          </span>
          <span class="number">{formatNumber(count)}</span>
        </li>
      ))}
    </ol>
  )
}

const MEDALS = ['Gold', 'Silver', 'Bronze'] as const
