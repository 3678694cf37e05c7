import { decodeKeyPart } from '../keys.ts'
import type { Leader, StorageDriver, Tally } from '../types.ts'
import type { Connection } from './connection.ts'
import { allBuckets, collectionName } from './keys.ts'

/** More entries first, then the owner whose id comes first. */
function byRank(one: Leader, other: Leader): number {
  return other.count - one.count || (one.owner < other.owner ? -1 : 1)
}

function toLeaders(flat: readonly string[]): Leader[] {
  const leaders: Leader[] = []
  for (let at = 0; at + 1 < flat.length; at += 2) leaders.push({ owner: flat[at] ?? '', count: -Number(flat[at + 1]) })
  return leaders
}

function toTally([field, count]: readonly [string, number]): Tally {
  const [kind = '', gamemode = '', label = ''] = field.split(':').map(decodeKeyPart)
  return { kind, gamemode, label: label || null, count }
}

/**
 * The sums that the scripts keep together with the records, read from each bucket and put together here: each read
 * costs the same few commands, however much is stored.
 */
export function createRedisTallies({ client, run }: Connection): Pick<StorageDriver, 'tallies' | 'leaders'> {
  return {
    async tallies() {
      const buckets = await run(() => Promise.all(allBuckets().map(({ tallies }) => client.hgetall(tallies))))
      const sums = new Map<string, number>()
      for (const [field, count] of buckets.flatMap((bucket) => Object.entries(bucket))) {
        sums.set(field, (sums.get(field) ?? 0) + Number(count))
      }
      return [...sums].map(toTally)
    },

    async leaders({ kind, gamemode, limit }) {
      const board = collectionName(kind, gamemode)
      const buckets = await run(() =>
        Promise.all(allBuckets().map(({ leaders }) => client.zrange(leaders + board, 0, limit - 1, 'WITHSCORES'))),
      )
      return buckets.flatMap(toLeaders).sort(byRank).slice(0, limit)
    },
  }
}
