import { randomUUID } from 'node:crypto'
import { createMemoryStorage, createStorage, type FishStorage } from '@fish-crab/server/storage'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithRedis, type RedisServer, startRedis } from './redis-server.ts'
import { newRecord } from './samples.ts'

const few = (...names: string[]) => fc.constantFrom(...names)
const place = { owner: few('a', 'b', 'c', 'd'), kind: few('fish', 'crab'), gamemode: few('earth', 'o:dd %') }
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('append' as const),
      ...place,
      token: few('1', '2', '3', ''),
      labels: fc.dictionary(few('Gold', 'Odd: %=1 2', 'é'), fc.integer({ min: 1, max: 3 })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('remove' as const), ...place, nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('removeOwner' as const), owner: place.owner }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** What one storage answers to all operations, and what its sums are afterwards. */
async function play(storage: FishStorage, world: string, operations: readonly Operation[], ids: readonly string[]) {
  const answers: unknown[] = []
  const placeOf = ({ owner, kind, gamemode }: { owner: string; kind: string; gamemode: string }) => {
    return { owner: `${world}${owner}`, kind: `${world}${kind}`, gamemode }
  }
  for (const [at, one] of operations.entries()) {
    if (one.type === 'append') {
      const record = newRecord({ id: ids[at] ?? '', dedupeKey: one.token || null, count: 3, labels: one.labels })
      answers.push(await storage.append(placeOf(one), record))
    } else if (one.type === 'remove') {
      answers.push(await storage.removeRecord(placeOf(one), ids[one.nth] ?? ''))
    } else {
      answers.push(await storage.removeOwner(`${world}${one.owner}`))
    }
  }
  const tallies = (await storage.tallies()).filter(({ kind }) => kind.startsWith(world))
  const boards = []
  for (const kind of ['fish', 'crab']) {
    for (const gamemode of [undefined, 'earth', 'o:dd %']) {
      boards.push(await storage.leaders({ kind: world + kind, gamemode, limit: 3 }))
    }
  }
  return { answers, tallies: tallies.map((tally) => JSON.stringify(tally)).sort(), boards }
}

describeWithRedis('sums in Redis', () => {
  let server: RedisServer
  let storage: FishStorage
  beforeAll(async () => {
    server = await startRedis()
    storage = await createStorage({ driver: 'redis', url: server.url })
  })
  afterAll(async () => {
    await storage.dispose()
    await server.stop()
  })

  test('are the same as in memory after any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const [world, ids] = [randomUUID(), operations.map(() => randomUUID())]
        const redis = await play(storage, world, operations, ids)
        expect(redis).toEqual(await play(createMemoryStorage(), world, operations, ids))
      }),
      { numRuns: 60 },
    )
  })

  test('leave nothing behind when all owners are removed, but that they were', async () => {
    await server.admin.flushall()
    const owners = Array.from({ length: 20 }, () => randomUUID())
    for (const owner of owners) {
      await storage.append({ owner, kind: 'fish', gamemode: 'earth' }, newRecord({ labels: { Gold: 1 } }))
      await storage.removeOwner(owner)
    }
    const keys = await server.admin.keys('*')
    expect(keys.filter((key) => !key.endsWith(':about'))).toEqual([])
    expect(keys).toHaveLength(20)
  })
})
