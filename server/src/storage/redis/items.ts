import { endOfBase, pageOf } from '../core/paging.ts'
import type { StorageDriver } from '../core/types.ts'
import type { Connection } from './connection.ts'
import { INDEX_PATTERN, indexKey, itemPrefix, unstorageKey } from './keys.ts'
import { rowsOf } from './scripts.ts'

/** Maximum number of keys that one script reads, so that Redis can respond to other clients in between. */
const MAX_KEYS = 10_000

/**
 * Items in the layout of unstorage's driver, which reads the items. The driver cannot write conditionally. A listing of
 * the driver scans all of Redis (1.5 s for 10 of 500,000 keys), and only one node of a cluster. Therefore scripts write
 * the items, and update an index for listings.
 */
export function createRedisItems({ client, unstorageDriver, call, write, run, primaries }: Connection) {
  const get = (key: string) => run(async () => (await unstorageDriver.getItem(unstorageKey(key))) as string | null)
  const keysOf = (key: string) => [itemPrefix(key) + key, indexKey(key)]
  const set = async (key: string, value: string, ...condition: string[]) =>
    (await write('fishSetItem', keysOf(key), [key, value, ...condition])) === 1

  const boundsOf = (base: string) => (base ? [`[${base}`, `(${endOfBase(base)}`] : ['-', '+']) as [string, string]

  return {
    hasItem: (key) => run(async () => unstorageDriver.hasItem(unstorageKey(key), {})),
    getItem: get,
    async setItem(key, value) {
      await set(key, value, 'always')
    },
    async removeItem(key) {
      await write('fishRemoveItem', keysOf(key), [key])
    },
    setItemIfAbsent: (key, value) => set(key, value, 'absent'),
    replaceItemIf: (key, expected, value) => set(key, value, 'equal', expected),
    async removeItemIf(key, value) {
      return (await write('fishRemoveItem', keysOf(key), [key, value])) === 1
    },

    async listItems({ base, after = '', limit, contains = '' }) {
      const [start, end] = boundsOf(base)
      const matches: { key: string; value: string }[] = []
      let from = after >= base ? `(${after}` : start
      while (from && matches.length <= limit) {
        const wanted = limit + 1 - matches.length
        const args = [from, end, itemPrefix(base), wanted, contains, base.length + 1, MAX_KEYS]
        const [next = '', ...flat] = (await call('fishListItems', [indexKey(base)], args)) as string[]
        matches.push(...rowsOf<[string, string]>(flat, 2).map(([key, value]) => ({ key, value })))
        from = next
      }
      return pageOf(matches, limit)
    },

    async countItems(base) {
      const [start, end] = boundsOf(base)
      return run(() => client.zlexcount(indexKey(base), start, end))
    },

    // A slow scan is acceptable, because no request calls `getKeys`.
    getKeys: (base = '') =>
      run(async () => {
        const indexes = base ? [indexKey(base)] : []
        for (const node of base ? [] : primaries()) {
          for await (const keys of node.scanStream({ match: INDEX_PATTERN })) indexes.push(...keys)
        }
        const found = await Promise.all(indexes.map((index) => client.zrangebylex(index, ...boundsOf(base))))
        return found.flat().sort()
      }),
  } satisfies Partial<StorageDriver>
}
