import { createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { describeStorage } from './conformance.ts'
import { describeWithRedis, type RedisServer, startRedis } from './redis-server.ts'
import { newCollection, newRecord, readAll, readEntries } from './samples.ts'

describeWithRedis('one Redis server', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())
  const open = () => createStorage({ driver: 'redis', url: server.url })

  describeStorage('redis', async () => {
    const storage = await open()
    const reopen = async () => {
      await storage.dispose()
      return open()
    }
    return { storage, reopen }
  })

  describe('shared by many processes', () => {
    let processes: FishStorage[] = []
    beforeAll(async () => {
      processes = await Promise.all(Array.from({ length: 4 }, open))
    })
    afterAll(() => Promise.all(processes.map((one) => one.dispose())))

    test('never counts a 26th time within a limit of 25, though their clocks differ', async () => {
      const now = Date.now()
      const counts = processes.flatMap((storage, index) =>
        Array.from({ length: 100 }, () =>
          storage.countInWindow('shared', { durationMs: 300_000, limit: 25, now: now + index * 400 }),
        ),
      )
      const answers = await Promise.all(counts)
      expect(answers.filter(({ count }) => count <= 25)).toHaveLength(25)
      expect(new Set(answers.map(({ resetAt }) => resetAt)).size).toBe(1)
      expect(await processes[0]?.peekWindow('shared', { durationMs: 300_000, limit: 25, now })).toMatchObject({
        count: 26,
      })
    })

    test('lets a window go some time after its end, so that memory stays bounded', async () => {
      const window = { durationMs: 300_000, limit: 25, now: Date.now() }
      await processes[0]?.countInWindow('bounded', window)
      const [left = 0] = await Promise.all(
        (await server.admin.keys('fish:window:*bounded')).map((key) => server.admin.pttl(key)),
      )
      expect(left).toBeGreaterThan(300_000)
      expect(left).toBeLessThanOrEqual(360_000)
    })

    test('opens a new window when the clock was set back beyond reason, and keeps it for a small step', async () => {
      const window = { durationMs: 1000, limit: 3, now: 10_000_000 }
      await processes[0]?.countInWindow('back', window)
      expect(await processes[1]?.countInWindow('back', { ...window, now: window.now - 900 })).toMatchObject({
        count: 2,
      })
      const later = await processes[2]?.countInWindow('back', { ...window, now: window.now - 60_000 })
      expect(later).toEqual({ count: 1, resetAt: window.now - 59_000 })
    })

    test('stores 200 tokens that two of them send four times once each, with one id each', async () => {
      const collection = newCollection()
      const sent = Array.from({ length: 4 }, (_, round) =>
        Array.from({ length: 200 }, async (_, token) => {
          const result = await processes[round % 2]?.append(collection, newRecord({ dedupeKey: `token ${token}` }))
          return { token, result }
        }),
      ).flat()
      const ids = new Map<number, Set<unknown>>()
      for (const { token, result } of await Promise.all(sent)) {
        ids.set(token, (ids.get(token) ?? new Set()).add(result && 'id' in result && result.id))
      }
      expect([...ids.values()].map((set) => set.size)).toEqual(Array(200).fill(1))
      for (const storage of processes) expect(await readEntries(storage, collection)).toHaveLength(200)
    })

    test('sees at once what another one has written or removed', async () => {
      const [one, other] = processes as [FishStorage, FishStorage]
      const [key, collection] = [itemKey('user', 'seen'), newCollection()]
      expect(await one.setItemIfAbsent(key, 'one')).toBe(true)
      expect(await other.setItemIfAbsent(key, 'other')).toBe(false)
      expect(await other.replaceItemIf(key, 'one', 'two')).toBe(true)
      expect(await one.items.getItem(key)).toBe('two')
      await one.append(collection, newRecord())
      await other.removeOwner(collection.owner)
      expect(await one.append(collection, newRecord())).toEqual({ outcome: 'owner_removed' })
      await other.items.removeItem(key)
      expect((await one.listItems({ base: 'user:', limit: 9 })).items).toEqual([])
    })
  })

  describe('in everyday use', () => {
    let storage: FishStorage
    beforeEach(async () => {
      storage = await open()
      onTestFinished(() => storage.dispose())
    })

    test('goes on when Redis forgets all scripts', async () => {
      const collection = newCollection()
      await storage.append(collection, newRecord())
      await server.admin.script('FLUSH')
      await Promise.all(Array.from({ length: 50 }, () => storage.append(collection, newRecord())))
      expect(await readEntries(storage, collection)).toHaveLength(51)
    })

    test('lists without looking at the 20,000 keys of other applications, and touches none of them', async () => {
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

      await storage.items.clear()
      expect(await storage.items.getKeys()).toEqual([])
      const others = await server.admin.eval("return #redis.call('KEYS', '*' .. ARGV[1])", 0, '0')
      expect(others).toBeGreaterThanOrEqual(2000)
      expect(await server.admin.get('fishy:3')).toBe('other')
    })

    test('puts nothing outside its own prefix', async () => {
      const before = new Set(await server.admin.keys('*'))
      await storage.append(newCollection(), newRecord())
      await storage.items.setItem(itemKey('user', 'prefixed'), 'x')
      await storage.countInWindow('prefixed', { durationMs: 1000, limit: 1, now: Date.now() })
      const added = (await server.admin.keys('*')).filter((key) => !before.has(key))
      expect(added.length).toBeGreaterThanOrEqual(4)
      expect(added.filter((key) => !key.startsWith('fish:'))).toEqual([])
    })

    test('searches through more names than one script may look at', async () => {
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
      await storage.items.clear('many:')
      expect(await storage.items.getKeys('many:')).toEqual([])
    })

    test('reads a collection of 20,000 records in chunks of which none is large', async () => {
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

    test('refuses data of a newer version and leaves it as it is', async () => {
      await server.admin.set('fish:schema', '2')
      onTestFinished(async () => void (await server.admin.set('fish:schema', '1')))
      await expect(open()).rejects.toMatchObject({ code: 'newer_schema', message: expect.stringContaining('Update') })
      expect(await server.admin.get('fish:schema')).toBe('2')
    })

    test('says that it is full and stores nothing then, but still reads and removes', async () => {
      const collection = newCollection()
      await storage.append(collection, newRecord())
      await server.admin.config('SET', 'maxmemory', '1')
      onTestFinished(async () => void (await server.admin.config('SET', 'maxmemory', '0')))
      await expect(storage.append(collection, newRecord())).rejects.toMatchObject({ code: 'full' })
      await expect(storage.items.setItem(itemKey('full', 'a'), 'x')).rejects.toMatchObject({ code: 'full' })
      expect(await readEntries(storage, collection)).toHaveLength(1)
      await storage.removeOwner(collection.owner)
      expect(await readEntries(storage, collection)).toEqual([])
      expect((await storage.listItems({ base: 'full:', limit: 9 })).items).toEqual([])
    })
  })
})
