import { createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import type { Redis } from 'ioredis'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, type RedisServer, startRedis, until } from '../../../scripts/test-support/redis-server.ts'
import { newCollection, newRecord, operationsOf, readNames, recordOf } from '../storage-suite/samples.ts'

const UNAVAILABLE = { name: 'StorageError', code: 'unavailable' }

const window = { durationMs: 300_000, limit: 25, now: 1_700_000_000_000 }

const responses = (storage: FishStorage) => () =>
  storage.ping().then(
    () => true,
    () => false,
  )

describeWithRedis('a storage on a failing Redis', () => {
  let server: RedisServer
  beforeEach(async () => {
    server = await startRedis({ appendfsync: 'always' })
    onTestFinished(() => server.stop())
  })
  const open = async (timeoutMs?: number) => {
    const storage = await createStorage({ driver: 'redis', url: server.url, ...(timeoutMs ? { timeoutMs } : {}) })
    onTestFinished(() => storage.dispose())
    return storage
  }

  test('fails a ping within a second while Redis is frozen, with the default timeouts', async () => {
    const storage = await open()
    server.freeze()
    const error = await storage.ping().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('did not respond within') })
    expect(Number(/within (\d+) ms/.exec((error as Error).message)?.[1])).toBeLessThanOrEqual(1000)
  })

  test('loads its scripts again after a different client has removed the scripts', async () => {
    const [storage, collection] = [await open(), newCollection()]
    await storage.append(collection, newRecord({ dedupeKey: 'before' }))
    await server.admin.script('FLUSH')
    const appended = Array.from({ length: 3 }, (_, token) =>
      storage.append(collection, newRecord({ dedupeKey: `${token}` })),
    )
    expect(await Promise.all(appended)).toMatchObject(appended.map(() => ({ outcome: 'stored' })))
    expect(await readNames(storage, collection)).toHaveLength(4)
  })

  test('never lets an operation hang while Redis is frozen, and recovers by itself', async () => {
    const storage = await open(800)
    await storage.items.setItem(itemKey('kept', 'a'), 'x')
    server.freeze()
    for (let round = 0; round < 2; round += 1) {
      // The operations fail before Redis is thawed.
      await Promise.all(
        operationsOf(storage).map((run) => expect(run(), String(run)).rejects.toMatchObject(UNAVAILABLE)),
      )
    }
    server.thaw()
    await until(responses(storage))
    expect(await storage.items.getItem(itemKey('kept', 'a'))).toBe('x')
    for (const run of operationsOf(storage)) await run()
  })

  test('limits the number of pending operations', async () => {
    const storage = await open(800)
    server.freeze()
    const results = await Promise.allSettled(
      Array.from({ length: 10_000 }, () => storage.countInWindow('flood', { ...window, limit: 100_000 })),
    )
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10_000)
    server.thaw()
    await until(responses(storage))
    expect((await storage.peekWindow('flood', { ...window, limit: 100_000 })).count).toBeLessThan(5000)
  })

  test('fails operations immediately while Redis is dead, and works again by itself after Redis restarts', async () => {
    const storage = await open()
    await server.kill()
    // The operations fail immediately, so no error reports a timeout.
    const outOfReach = { ...UNAVAILABLE, message: expect.stringContaining('unreachable') }
    await Promise.all(operationsOf(storage).map((run) => expect(run(), String(run)).rejects.toMatchObject(outOfReach)))
    await expect(storage.ping()).rejects.toMatchObject(outOfReach)
    await server.start()
    await until(responses(storage))
    for (const run of operationsOf(storage)) await run()
  })

  test('can be closed while Redis is frozen or dead', async () => {
    const [frozen, dead] = [await open(800), await open(800)]
    server.freeze()
    const write = frozen.append(newCollection(), newRecord())
    await Promise.all([expect(write).rejects.toMatchObject(UNAVAILABLE), frozen.dispose()])
    await server.kill()
    await dead.ping().catch(() => {})
    await dead.dispose()
    await expect(dead.ping()).rejects.toMatchObject({ code: 'closed' })
  })

  test.each([
    [
      'is a replica',
      'read_only',
      (admin) => admin.replicaof('127.0.0.1', '1'),
      (admin) => admin.replicaof('NO', 'ONE'),
    ],
    [
      'evicts users and catches',
      'unavailable',
      (admin) => admin.config('SET', 'maxmemory-policy', 'allkeys-lru'),
      (admin) => admin.config('SET', 'maxmemory-policy', 'noeviction'),
    ],
    [
      'is full',
      'full',
      (admin) => admin.config('SET', 'maxmemory', '1'),
      (admin) => admin.config('SET', 'maxmemory', '0'),
    ],
  ] as [string, string, (admin: Redis) => Promise<unknown>, (admin: Redis) => Promise<unknown>][])(
    'fails a ping if Redis responds but accepts no writes, because it %s',
    async (_, code, spoil, mend) => {
      const storage = await open()
      await spoil(server.admin)
      await expect(storage.ping()).rejects.toMatchObject({ name: 'StorageError', code })
      // A connection to a replica is replaced, since the same address may now lead to the primary.
      await until(async () => (await storage.items.getItem(itemKey('kept', 'a')).catch(() => 'failed')) === null)
      await mend(server.admin)
      await until(responses(storage))
    },
  )

  test('fails a ping while the Redis user lacks the permission for a required command', async () => {
    const storage = await open()
    await server.admin.call('ACL', 'SETUSER', 'default', '-@list', '-@stream', '-@hash')
    const refusal = { message: expect.stringMatching(/lacks permissions/) }
    await expect(storage.append(newCollection(), newRecord())).rejects.toMatchObject(refusal)
    await expect(storage.ping()).rejects.toMatchObject(refusal)
    await server.admin.call('ACL', 'SETUSER', 'default', '+@all')
    await storage.append(newCollection(), newRecord())
    await until(responses(storage))
  })

  test('fails a ping after its own catches have filled Redis, until catches are accepted again', async () => {
    const storage = await open()
    const large = 'x'.repeat(20_000)
    const used = Number(/used_memory:(\d+)/.exec(await server.admin.info('memory'))?.[1])
    await server.admin.config('SET', 'maxmemory', String(used + 4_000_000))
    const fill = async (): Promise<unknown> => {
      for (;;) await storage.append(newCollection(), recordOf(large))
    }
    await expect(fill()).rejects.toMatchObject({ code: 'full' })
    for (let probes = 0; probes < 3; probes += 1) {
      const [probed, tried] = [performance.now(), fill().catch((error: unknown) => error)]
      expect(await tried).toMatchObject({ code: 'full' })
      await expect(storage.ping()).rejects.toMatchObject({ code: 'full' })
      // The result of a probe is valid for a second.
      await until(async () => performance.now() - probed > 1001)
    }
    await server.admin.config('SET', 'maxmemory', String(used + 8_000_000))
    await until(responses(storage))
    await storage.append(newCollection(), recordOf(large))
  })

  test('sends at most one probe per second, however often ping() is called', async () => {
    const storage = await open()
    const writes = async () => Number(/cmdstat_set:calls=(\d+)/.exec(await server.admin.info('commandstats'))?.[1] ?? 0)
    const [before, started] = [await writes(), performance.now()]
    for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 20 }, () => storage.ping()))
    const seconds = (performance.now() - started) / 1000
    expect((await writes()) - before).toBeGreaterThan(0)
    expect((await writes()) - before).toBeLessThanOrEqual(1 + Math.floor(seconds))
  })

  test('works again as soon as Redis has loaded its data', async () => {
    // The delay is in microseconds. Redis loads the small keys first, so its estimate halfway is several minutes.
    const delay = { 'key-load-delay': '4000', 'loading-process-events-interval-bytes': '1024', rdbcompression: 'no' }
    const slow = await startRedis(delay)
    onTestFinished(() => slow.stop())
    const storage = await createStorage({ driver: 'redis', url: slow.url })
    onTestFinished(() => storage.dispose())
    await slow.admin.eval("for i = 1, 300 do redis.call('SET', 'small' .. i, string.rep('x', 100)) end", 0)
    await slow.admin.select(1)
    await slow.admin.eval("for i = 1, 10 do redis.call('SET', 'large' .. i, string.rep('x', 1000000)) end", 0)
    await slow.admin.bgrewriteaof()
    await until(async () => /aof_rewrite_in_progress:0/.test(await slow.admin.info('persistence')))
    await slow.kill()
    await slow.start()
    // A client that relied on the estimate of Redis would wait for 10 s.
    const late = new Promise((resolve) => setTimeout(resolve, 5000, 'late').unref())
    expect(await Promise.race([until(responses(storage)), late])).toBe(undefined)
  })

  test('reports in one sentence that Redis is unreachable at the start', async () => {
    await server.kill()
    await expect(open()).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: expect.stringMatching(/^Redis is unreachable: .*ECONNREFUSED.*\.$/),
    })
  })
})
