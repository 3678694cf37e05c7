import type { Client } from '@fish-crab/sdk'
import { useEffect, useState } from 'preact/hooks'
import type { Leader } from '../../../src/page-data.ts'
import { playerPath } from '../data/address.ts'
import { readLastKnown } from '../data/last-known.ts'
import type { Kind } from '../data/summary.ts'
import { Bar } from '../parts/bar.tsx'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatNumber } from '../parts/format.ts'
import { useSite } from '../parts/site-context.ts'
import { Empty } from './empty.tsx'

const PLACES = 50

interface LeaderboardPageProps {
  readonly client: Client
  readonly kind: Kind
  readonly drawn: DrawnLeaders | undefined
  readonly onKind: (kind: Kind) => void
}

/** The leaderboard from which the server has drawn the page. */
interface DrawnLeaders {
  readonly kind: Kind
  readonly leaders: readonly Leader[]
}

export function LeaderboardPage({ client, kind, drawn, onKind }: LeaderboardPageProps) {
  if (!useSite().hasLeaderboard) {
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
        <Leaders
          client={client}
          kind={kind}
          limit={PLACES}
          key={kind}
          drawn={drawn?.kind === kind ? drawn.leaders : undefined}
        />
      </section>
    </>
  )
}

interface LeadersProps {
  readonly client: Client
  readonly kind: Kind
  readonly limit: number
  readonly drawn?: readonly Leader[] | undefined
}

/**
 * The players with the most catches. The last player of this device is marked. Loading the leaderboard takes one
 * request.
 */
export function Leaders({ client, kind, limit, drawn }: LeadersProps) {
  const [leaders, setLeaders] = useState<readonly Leader[] | 'failed' | undefined>(drawn)
  const [own, setOwn] = useState<string>()
  useEffect(() => setOwn(readLastKnown()?.profile.user), [])
  useEffect(() => {
    if (drawn) return undefined
    const left = new AbortController()
    client.leaderboard({ kind, limit, signal: left.signal }).then(
      ({ leaderboard }) => setLeaders(leaderboard),
      () => left.signal.aborted || setLeaders('failed'),
    )
    return () => left.abort()
  }, [client, kind, limit, drawn])
  if (leaders === undefined) return <div class="placeholder" />
  if (leaders === 'failed') return <p class="quiet">The leaderboard could not be loaded. Reload the page later.</p>
  if (leaders.length === 0) return <p class="quiet">Nobody has caught anything yet.</p>
  const most = leaders[0]?.count ?? 1
  return (
    <ol class="leaders">
      {leaders.map(({ name, count }, index) => (
        <li key={name} class={`${tintOf(MEDALS[index] ?? 'Unknown/Other')} ${name === own ? 'own' : ''}`}>
          <span class="place">{index + 1}</span>
          <Creature kind="fish" name={name} rarity={MEDALS[index] ?? 'Unknown/Other'} />
          <a href={playerPath(name)}>{name}</a>
          <Bar percent={(count / most) * 100} />
          <span class="number">{formatNumber(count)}</span>
        </li>
      ))}
    </ol>
  )
}

const MEDALS = ['Gold', 'Silver', 'Bronze'] as const
