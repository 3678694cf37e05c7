import type { RedisClusterOptions, RedisOptions } from '../../storage/index.ts'
import type { ItemPage, ItemRange, Tally } from '../../storage/types.ts'

/** Where a Redis is. */
export type RedisAddress = RedisOptions | RedisClusterOptions

/** A Redis that is only looked at. */
export interface RedisView {
  readonly items: {
    getItem(key: string): Promise<string | null>
    getKeys(): Promise<readonly string[]>
  }
  listItems(range: ItemRange): Promise<ItemPage>
  tallies(): Promise<readonly Tally[]>
  dispose(): Promise<void>
}

/**
 * Opens a Redis and writes nothing there: to open it as a storage would mark it as one.
 * @throws StorageError what opening it as a storage would throw, and `read_only` where the first write would
 */
export async function viewRedis(options: RedisAddress): Promise<RedisView> {
  // Only who uses Redis loads its client.
  const { openRedis } = await import('../../storage/redis/redis.ts')
  const { refuseEviction } = await import('../../storage/redis/durability.ts')
  const { replicaRefusal } = await import('../../storage/redis/errors.ts')
  const { createRedisItems } = await import('../../storage/redis/items.ts')
  const { checkSchema } = await import('../../storage/redis/redis.ts')
  const { createRedisTallies } = await import('../../storage/redis/records.ts')
  return openRedis(options, async (connection) => {
    const { run, primaries, close } = connection
    await checkSchema(connection)
    for (const node of primaries()) {
      // Who may not ask will see at the first write.
      const report = await run(() => node.info('replication')).catch(() => '')
      if (isReplica(report)) throw replicaRefusal()
      await run(() => refuseEviction(node))
    }
    const items = createRedisItems(connection)
    return {
      items: {
        async getItem(key) {
          const value = await items.getItem(key)
          return typeof value === 'string' ? value : null
        },
        getKeys: async () => items.getKeys('', {}),
      },
      listItems: items.listItems,
      tallies: createRedisTallies(connection).tallies,
      dispose: close,
    }
  })
}

function isReplica(report: string): boolean {
  return /^role:slave\b/m.test(report) && /^slave_read_only:1\b/m.test(report)
}
