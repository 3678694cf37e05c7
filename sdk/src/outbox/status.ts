import type { OutboxStatus } from './outbox.ts'
import type { CollectionCounts } from './store.ts'

/** Sums up the counts of all collections. */
export function summarize(counts: readonly CollectionCounts[]): OutboxStatus {
  const sum = (field: 'queued' | 'sealed' | 'setAside') => counts.reduce((total, one) => total + one[field], 0)
  const times = counts.flatMap(({ oldestAt }) => (oldestAt === undefined ? [] : [oldestAt]))
  return {
    queued: sum('queued'),
    sealed: sum('sealed'),
    setAside: sum('setAside'),
    ...(times.length === 0 ? {} : { oldest: new Date(Math.min(...times)) }),
    collections: counts.map(({ kind, user, gamemode, queued, sealed, setAside }) => ({
      kind,
      user,
      gamemode,
      queued,
      sealed,
      setAside,
    })),
  }
}
