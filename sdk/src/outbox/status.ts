import type { OutboxStatus } from './outbox.ts'
import type { CollectionCounts } from './store.ts'

/** Sums up the counts of all collections. */
export function summarize(counts: readonly CollectionCounts[]): OutboxStatus {
  const sum = (field: 'queued' | 'frozen' | 'dead') => counts.reduce((total, one) => total + one[field], 0)
  const times = counts.flatMap(({ oldestAt }) => (oldestAt === undefined ? [] : [oldestAt]))
  return {
    queued: sum('queued'),
    frozen: sum('frozen'),
    dead: sum('dead'),
    ...(times.length === 0 ? {} : { oldest: new Date(Math.min(...times)) }),
    collections: counts.map(({ kind, user, gamemode, queued, frozen, dead }) => ({
      kind,
      user,
      gamemode,
      queued,
      frozen,
      dead,
    })),
  }
}
