import { createStorage, type FishStorage, itemKey } from '@fish-crab/server/storage'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, type RedisServer, startRedis, until } from '../../../scripts/test-support/redis-server.ts'
import { startWire } from '../../../scripts/test-support/wire.ts'
import { newCollection, newRecord, readNames } from '../storage-suite/samples.ts'

/** A long timeout, since a replica may be slow on a busy machine. */
const UNHURRIED_MS = 60_000

const UNAVAILABLE = { name: 'StorageError', code: 'unavailable' }

const works = (operation: () => Promise<unknown>) => () =>
  operation().then(
    () => true,
    () => false,
  )

describeWithRedis('a storage on a Redis with a replica', () => {
  let primary: RedisServer
  let replica: RedisServer
  let cutWire: () => void
  beforeEach(async () => {
    primary = await startRedis({ appendfsync: 'always', 'repl-diskless-sync-delay': '0' })
    onTestFinished(() => primary.stop())
    const wire = await startWire(primary.port)
    cutWire = wire.cut
    replica = await startRedis({ replicaof: `127.0.0.1 ${wire.port}` })
    onTestFinished(() => replica.stop())
    await until(async () => /state=online/.test(await primary.admin.info('replication')))
  })
  const open = async (options: { replicas?: number; timeoutMs?: number; url?: string } = {}) => {
    const storage = await createStorage({ driver: 'redis', url: primary.url, replicas: 1, ...options })
    onTestFinished(() => storage.dispose())
    return storage
  }

  test.each([0, 1])(
    'switches to the new primary at the same address after a failover (%i replicas)',
    async (replicas) => {
      const address = await startWire(primary.port)
      const [storage, collection] = [
        await open({ url: `redis://127.0.0.1:${address.port}`, replicas }),
        newCollection(),
      ]
      const append = (plain: string) => storage.append(collection, newRecord({ dedupeKey: plain, entries: [plain] }))
      await until(works(() => append('before')))
      await until(async () => (await replica.admin.dbsize()) === (await primary.admin.dbsize()))
      address.lead(replica.port)
      await replica.admin.replicaof('NO', 'ONE')
      await primary.admin.replicaof('127.0.0.1', replica.port)
      await until(works(() => storage.ping()))
      await until(works(() => append('after')))
      const window = { durationMs: 300_000, limit: 25, now: Date.now() }
      expect(await storage.countInWindow('one', window)).toMatchObject({ count: 1 })
      expect(await readNames(await open({ url: replica.url, replicas: 0 }), collection)).toEqual(['before', 'after'])
    },
  )

  test('also switches to the new primary for reads if only the connection for writes is lost', async () => {
    const address = await startWire(primary.port)
    const [storage, key] = [await open({ url: `redis://127.0.0.1:${address.port}` }), itemKey('user', 'a')]
    await until(works(() => storage.items.setItem(key, 'old')))
    address.lead(replica.port)
    await replica.admin.replicaof('NO', 'ONE')
    // The old primary has no link to the new primary, so without a switch, reads would return stale data forever.
    await primary.admin.replicaof('127.0.0.1', '1')
    const clients = String(await primary.admin.call('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n')
    const writer = clients.find((line) => line.includes(' cmd=wait '))
    await primary.admin.call('CLIENT', 'KILL', 'ID', String(/^id=(\d+)/.exec(writer ?? '')?.[1]))
    await (await open({ url: replica.url, replicas: 0 })).items.setItem(key, 'new')
    await until(async () => (await storage.items.getItem(key).catch(() => 'failed')) === 'new')
  })

  test('keeps the idle connection for writes alive', async () => {
    const storage = await open({ timeoutMs: 500 })
    await until(works(() => storage.items.setItem(itemKey('user', 'a'), 'x')))
    const clients = async () => String(await primary.admin.call('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n')
    const writer = (await clients()).find((line) => line.includes(' cmd=wait '))
    const id = String(/^id=\d+ /.exec(writer ?? '')?.[0])
    await until(async () => (await clients()).some((line) => line.startsWith(id) && line.includes(' cmd=ping ')))
  })

  test('closes only after running reads have ended', async () => {
    const [storage, key] = [await open(), itemKey('user', 'a')]
    await until(works(() => storage.items.setItem(key, 'x')))
    await primary.admin.call('CLIENT', 'PAUSE', '50', 'ALL')
    const [value] = await Promise.all([storage.items.getItem(key), storage.dispose()])
    expect(value).toBe('x')
  })

  test('does not open if the server is a replica, even if the replica accepts writes', async () => {
    await until(async () => (await replica.admin.dbsize()) === (await primary.admin.dbsize()))
    const before = await replica.admin.dbsize()
    for (const readOnly of ['yes', 'no']) {
      await replica.admin.config('SET', 'replica-read-only', readOnly)
      await expect(createStorage({ driver: 'redis', url: replica.url })).rejects.toMatchObject({ code: 'read_only' })
    }
    expect(await replica.admin.dbsize()).toBe(before)
  })

  test('does not open if the Redis user lacks the permission to wait for the replica', async () => {
    await primary.admin.call('ACL', 'SETUSER', 'waiter', 'on', '>password', '~*', '&*', '+@all', '-wait')
    const url = primary.url.replace('//', '//waiter:password@')
    await expect(open({ url })).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: expect.stringContaining('lacks permissions: WAIT'),
    })
  })

  test('reports that a failover may lose writes if writes do not wait for the replica', async () => {
    const storage = await open({ replicas: 0 })
    expect(storage.durability).toBe(
      'Redis keeps writes with appendonly always: an acknowledged write survives a crash and a power loss. A failover may lose acknowledged writes; set FISH_REDIS_WAIT=1 to wait for a replica.',
    )
    expect(storage.warnings).toEqual([])
  })

  test('acknowledges a write only if a replica has the write, and stores a repeated token only once', async () => {
    await replica.kill()
    await until(async () => /connected_slaves:0/.test(await primary.admin.info('replication')))
    const [storage, collection] = [await open({ timeoutMs: 400 }), newCollection()]
    expect(storage.durability).toMatch(/when 1 replica of its primary has it; a primary has 0 now, so writes fail\.$/)
    const record = newRecord({ dedupeKey: 'token', entries: ['caught'] })
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(storage.append(collection, { ...record, id: `${attempt}` })).rejects.toMatchObject({
        ...UNAVAILABLE,
        message: expect.stringMatching(/reached 0 of 1 Redis replicas \(FISH_REDIS_WAIT\)\. It can be sent again/),
      })
    }
    await expect(storage.ping()).rejects.toMatchObject(UNAVAILABLE)
    expect(await readNames(storage, collection)).toEqual(['caught'])
    await replica.start()
    await until(works(() => storage.append(collection, record)))
    expect(await storage.append(collection, record)).toEqual({ outcome: 'replayed', id: '0' })
    expect(await readNames(storage, collection)).toEqual(['caught'])
  })

  test('does not acknowledge writes while the replica is frozen, but handles reads, and stores a repeated token only once', async () => {
    const [storage, collection] = [await open({ timeoutMs: 1000 }), newCollection()]
    await (await open({ timeoutMs: UNHURRIED_MS })).append(
      collection,
      newRecord({ dedupeKey: 'before', entries: ['before'] }),
    )
    replica.freeze()
    onTestFinished(() => replica.thaw())
    const during = newRecord({ dedupeKey: 'during', entries: ['during'] })
    const writes: (() => Promise<unknown>)[] = [
      () => storage.append(collection, during),
      // The first write has stored this record on the primary, but not on the replica.
      () => storage.append(collection, { ...during, id: 'another' }),
      () => storage.findRecord(collection.owner, 'during'),
      () => storage.items.setItem(itemKey('user', 'a'), 'x'),
      () => storage.setItemIfAbsent(itemKey('user', 'b'), 'x'),
      () => storage.removeRecord(collection, 'none'),
      () => storage.removeOwner('nobody'),
      () => storage.ping(),
    ]
    for (const write of writes) {
      const order: string[] = []
      const outcome = write().finally(() => order.push('write'))
      const rejected = expect(outcome, String(write)).rejects.toMatchObject(UNAVAILABLE)
      expect((await readNames(storage, collection))[0]).toBe('before')
      await storage.countInWindow('reader', { durationMs: 1000, limit: 25, now: Date.now() })
      order.push('reads')
      await rejected
      // Reads do not wait for the replica.
      expect(order).toEqual(['reads', 'write'])
    }
    replica.thaw()
    await until(
      async () => (await storage.append(collection, during).catch(() => ({ outcome: '' }))).outcome === 'replayed',
    )
    expect(await storage.findRecord(collection.owner, 'during')).toBe(during.id)
    expect(await readNames(storage, collection)).toEqual(['before', 'during'])
    await until(() =>
      storage.ping().then(
        () => true,
        () => false,
      ),
    )
  })

  describe.each([
    [1, 'loses none'],
    [0, 'loses some'],
  ])('that takes over under load (FISH_REDIS_WAIT=%i)', (replicas, outcome) => {
    test(`${outcome} of the acknowledged writes`, async () => {
      const storage = await open({ replicas })
      if (replicas === 1) {
        expect(storage.durability).toMatch(/survives a crash.* acknowledged when 1 replica of its primary has it\.$/)
        expect(storage.warnings).toEqual([])
      }
      const collections = Array.from({ length: 16 }, () => newCollection())
      const acknowledged: string[] = []
      const load = collections.map(async (collection, index) => {
        for (let i = 0; ; i += 1) {
          await storage.append(collection, newRecord({ entries: [`${index}-${i}`] }))
          acknowledged.push(`${index}-${i}`)
        }
      })
      const settled = Promise.allSettled(load)
      await until(async () => acknowledged.length > 200)
      cutWire()
      const cut = performance.now()
      await until(async () => performance.now() - cut > 40)
      await primary.kill()
      await settled
      await replica.admin.replicaof('NO', 'ONE')
      const after: FishStorage = await open({ url: replica.url, replicas: 0 })
      const kept = new Set((await Promise.all(collections.map((one) => readNames(after, one)))).flat())
      const lost = acknowledged.filter((entry) => !kept.has(entry))
      if (replicas === 0) expect(lost.length).toBeGreaterThan(0)
      else expect(lost).toEqual([])
    })
  })
})
