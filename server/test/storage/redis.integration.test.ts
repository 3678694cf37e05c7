import { createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import { describeStorage } from '@fish-crab/server/storage/conformance'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, type RedisServer, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { newCollection, newEntry, newRecord, readAll, readNames } from '../storage-suite/samples.ts'

describeWithRedis('one Redis server', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())
  // A long timeout, since these tests do not test a slow Redis.
  const open = () => createStorage({ driver: 'redis', url: server.url, timeoutMs: 60_000 })

  describeStorage('redis', async () => {
    const storage = await open()
    const reopen = async () => {
      await storage.dispose()
      return open()
    }
    return { storage, reopen }
  })

  describe('in everyday use', () => {
    let storage: FishStorage
    beforeEach(async () => {
      storage = await open()
      onTestFinished(() => storage.dispose())
    })

    test('works after Redis loses all scripts', async () => {
      const collection = newCollection()
      await storage.append(collection, newRecord())
      await server.admin.script('FLUSH')
      await Promise.all(Array.from({ length: 50 }, () => storage.append(collection, newRecord())))
      expect(await readNames(storage, collection)).toHaveLength(51)
    })

    test('lists its own items, but does not read the 20,000 keys of other applications', async () => {
      await server.admin.select(0)
      const fill = "for i = 1, 20000 do redis.call('SET', ARGV[i % 4 + 1] .. i, 'other') end"
      await server.admin.eval(fill, 0, 'user:', 'other:', 'fish', 'fishy:')
      const base = 'neighbour:'
      for (const name of ['a', 'b', 'c']) await storage.items.setItem(itemKey(base, name), name)
      await server.admin.config('RESETSTAT')
      const page = await storage.listItems({ base, limit: 2 })
      expect(page.items.map(({ value }) => value)).toEqual(['a', 'b'])
      const stats = await server.admin.info('commandstats')
      expect(stats).not.toMatch(/cmdstat_(?:scan|keys)\b/)
      expect(stats).toMatch(/cmdstat_zrangebylex:calls=1,/)
      expect(stats).toMatch(/cmdstat_get:calls=3,/)
      expect(await storage.items.getKeys(base)).toHaveLength(3)
    })

    test('leaves only one key for each removed owner, which records the removal', async () => {
      await storage.append(newCollection(), newRecord())
      const before = new Set(await server.admin.keys('*'))
      const owners = Array.from({ length: 20 }, () => newCollection({ kind: 'removed' }))
      const record = newRecord({ dedupeKey: null, entries: [newEntry('Koi', { rarity: 'Gold' })] })
      for (const collection of owners) await storage.append(collection, record)
      expect((await server.admin.keys('*')).length).toBeGreaterThan(before.size + 80)
      for (const { owner } of owners) await storage.removeOwner(owner)
      const added = (await server.admin.keys('*')).filter((key) => !before.has(key))
      expect(added.filter((key) => !/:owner:.*:about$/.test(key))).toEqual([])
      expect(added).toHaveLength(20)
    })

    test('stores no keys outside its own prefix', async () => {
      const before = new Set(await server.admin.keys('*'))
      await storage.append(newCollection(), newRecord())
      await storage.items.setItem(itemKey('user', 'prefixed'), 'x')
      await storage.countInWindow('prefixed', { durationMs: 1000, limit: 1, now: Date.now() })
      const added = (await server.admin.keys('*')).filter((key) => !before.has(key))
      expect(added.length).toBeGreaterThanOrEqual(4)
      expect(added.filter((key) => !key.startsWith('fish:'))).toEqual([])
    })

    test('searches more names than one script may read', async () => {
      const names = Array.from({ length: 12_000 }, (_, i) => `n${String(i).padStart(5, '0')}`)
      for (let at = 0; at < names.length; at += 2000) {
        await Promise.all(names.slice(at, at + 2000).map((name) => storage.items.setItem(itemKey('many', name), name)))
      }
      const find = async (contains: string, limit: number) =>
        (await storage.listItems({ base: 'many:', contains, limit })).items.map(({ value }) => value)
      expect(await find('absent', 5)).toEqual([])
      expect(await find('11999', 5)).toEqual(['n11999'])
      expect(await find('999', 12)).toEqual(names.filter((name) => name.includes('999')).slice(0, 12))
      expect(await storage.items.getKeys('many:')).toHaveLength(12_000)
    })

    test('reads a collection of 20,000 records in small chunks', async () => {
      const collection = newCollection()
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(
          Array.from({ length: 2000 }, () => storage.append(collection, newRecord({ dedupeKey: null }))),
        )
      }
      await server.admin.config('RESETSTAT')
      const records = await readAll(storage, collection)
      expect(records.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20_000 }, (_, i) => i + 1))
      expect(await server.admin.info('commandstats')).toMatch(/cmdstat_(?:evalsha|eval):calls=(?:39|40|41),/)
    })

    test('reads collections over a separate connection, so that small commands do not wait for large reads', async () => {
      const collection = newCollection()
      const monitor = await server.admin.monitor()
      onTestFinished(() => monitor.disconnect())
      const sources = new Map<string, string>()
      monitor.on('monitor', (_, [command, , , key = '']: string[], source: string) => {
        if (/^eval/i.test(command ?? '')) sources.set(key.replace(/.*owner:[^:]*:/, ''), source)
      })
      await storage.append(collection, newRecord())
      await readAll(storage, collection)
      await expect.poll(() => [...sources.keys()].sort()).toEqual(['about', 'records:fish:earth'])
      expect(new Set(sources.values()).size).toBe(2)
    })

    test('refuses data that a newer version wrote, and leaves the data unchanged', async () => {
      await server.admin.set('fish:schema', '2')
      onTestFinished(async () => void (await server.admin.set('fish:schema', '1')))
      await expect(open()).rejects.toMatchObject({ code: 'newer_schema', message: expect.stringContaining('Update') })
      expect(await server.admin.get('fish:schema')).toBe('2')
    })

    test('reports a full Redis and refuses records and new items, but still reads, replaces, counts and removes', async () => {
      const collection = newCollection()
      await storage.append(collection, newRecord())
      await server.admin.config('SET', 'maxmemory', '1')
      onTestFinished(async () => void (await server.admin.config('SET', 'maxmemory', '0')))
      await expect(storage.append(collection, newRecord())).rejects.toMatchObject({ code: 'full' })
      await expect(storage.setItemIfAbsent(itemKey('full', 'a'), 'x')).rejects.toMatchObject({ code: 'full' })
      await storage.items.setItem(itemKey('set', 'a'), 'x')
      expect(await storage.replaceItemIf(itemKey('set', 'a'), 'x', 'y')).toBe(true)
      expect(await storage.countInWindow('public:a', { durationMs: 1000, limit: 5, now: 0 })).toMatchObject({
        count: 1,
      })
      expect(await readNames(storage, collection)).toHaveLength(1)
      await storage.removeOwner(collection.owner)
      expect(await readNames(storage, collection)).toEqual([])
      expect((await storage.listItems({ base: 'full:', limit: 9 })).items).toEqual([])
    })
  })
})
