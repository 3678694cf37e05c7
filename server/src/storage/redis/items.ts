import { endOfBase, pageOf } from '../paging.ts'
import type { StorageDriver } from '../types.ts'
import type { Connection } from './connection.ts'
import { INDEX_PATTERN, indexKey, itemPrefix, stockKey } from './keys.ts'

/** Most keys that one script looks at, so that Redis answers others in between. */
const MOST_KEYS = 10_000
/** Most keys of one step of what goes through all of them. */
const STEP_KEYS = 1000

type ItemOperations =
  | 'hasItem'
  | 'getItem'
  | 'setItem'
  | 'removeItem'
  | 'setItemIfAbsent'
  | 'removeItemIf'
  | 'replaceItemIf'
  | 'listItems'
  | 'countItems'
  | 'getKeys'

interface RedisItems extends Pick<StorageDriver, ItemOperations> {
  getItem(key: string): Promise<string | null>
}

/**
 * Items as unstorage's own driver keeps them. Writes go through scripts instead, which keep an index of the keys as
 * well: a listing needs no `SCAN` over all that is in Redis.
 */
export function createRedisItems({ client, stock, call, write, run, primaries }: Connection): RedisItems {
  const get = (key: string) => run(async () => (await stock.getItem(stockKey(key))) as string | null)
  const keysOf = (key: string) => [itemPrefix(key) + key, indexKey(key)]
  const set = async (key: string, value: string, ...condition: string[]) =>
    (await write('fishSetItem', keysOf(key), [key, value, ...condition])) === 1

  /** The indexes that may hold keys of a base; all there are for an empty one. Never part of a request. */
  async function indexesOf(base: string): Promise<string[]> {
    if (base) return [indexKey(base)]
    const found = new Set<string>()
    for (const node of await run(async () => primaries())) {
      let cursor = '0'
      do {
        const [next, keys] = await run(() => node.scan(cursor, 'MATCH', INDEX_PATTERN, 'COUNT', STEP_KEYS))
        for (const key of keys) found.add(key)
        cursor = next
      } while (cursor !== '0')
    }
    return [...found]
  }

  const boundsOf = (base: string) => (base ? [`[${base}`, `(${endOfBase(base)}`] : ['-', '+']) as [string, string]

  return {
    hasItem: (key) => run(async () => stock.hasItem(stockKey(key), {})),
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
      const found: { key: string; value: string }[] = []
      let from = after >= base ? `(${after}` : start
      while (from && found.length <= limit) {
        const wanted = limit + 1 - found.length
        const args = [from, end, itemPrefix(base), wanted, contains, base.length + 1, MOST_KEYS]
        const [next = '', ...flat] = (await call('fishListItems', [indexKey(base)], args)) as string[]
        for (let at = 0; at + 1 < flat.length; at += 2) found.push({ key: flat[at] ?? '', value: flat[at + 1] ?? '' })
        from = next
      }
      return pageOf(found, limit)
    },

    async countItems(base) {
      const [start, end] = boundsOf(base)
      return run(() => client.zlexcount(indexKey(base), start, end))
    },

    async getKeys(base = '') {
      const [start, end] = boundsOf(base)
      const keys: string[] = []
      for (const index of await indexesOf(base)) {
        let from = start
        let step: string[]
        do {
          step = await run(() => client.zrangebylex(index, from, end, 'LIMIT', 0, STEP_KEYS))
          keys.push(...step)
          from = `(${step.at(-1)}`
        } while (step.length === STEP_KEYS)
      }
      return keys.sort()
    },
  }
}
