import { wrapDriver } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { SALMON, write } from './catches.ts'
import { expectError } from './errors.ts'
import { namesOf, openEvents, requestEvents } from './event-stream.ts'
import { createMemoryService } from './memory-service.ts'
import { ADDRESS_HEADER, from, UNLIMITED } from './test-service.ts'
import { createTimers } from './timers.ts'

const COLLECTION = '/get/fish?name=Alex&gamemode=earth'
const SUMMARY = `${COLLECTION}&summary=species`
const CRABS = '/get/crab?name=Alex&gamemode=earth&summary=species'
const WAIT_MS = 10_000

/** Starts four large reads, which use all turns until the test ends the reads. */
async function takeTurns(service: Awaited<ReturnType<typeof createSlowService>>) {
  const running = [1, 2, 3, 4].map((client) => service.get(COLLECTION, client))
  await expect.poll(() => service.reading, { interval: 1 }).toHaveLength(4)
  return running
}

/** A service with one fish. Large reads wait until the test ends them. */
async function createSlowService() {
  const storage = createMemoryDriver()
  const timers = createTimers()
  const ended = Promise.withResolvers<void>()
  const reading: string[] = []
  const service = await createMemoryService({
    ...UNLIMITED,
    schedule: timers.schedule,
    storage: wrapDriver({
      ...storage,
      async collectionTallies(...args: Parameters<typeof storage.collectionTallies>) {
        reading.push('summary')
        await ended.promise
        return storage.collectionTallies(...args)
      },
      async *read(...args: Parameters<typeof storage.read>) {
        const { from = 0, entries } = args[1] ?? {}
        // The condition excludes pages, which have a limit, and reads of new entries, which all streams share.
        if (from === 0 && entries !== 2) {
          reading.push('records')
          await ended.promise
        }
        yield* storage.read(...args)
      },
    }),
  })
  await write(service, 'fish', SALMON)
  const { id } = await (await openEvents(service)).ready()
  return {
    ...service,
    timers,
    reading: reading as readonly string[],
    end: ended.resolve,
    /** A forged event id that precedes all events. */
    firstId: String(id).split('-')[0],
    get: (path: string, client: number) => service.request(path, from(`192.0.2.${client}`)),
  }
}

const fromClient = (client: number) => ({ headers: { [ADDRESS_HEADER]: `192.0.2.${client}` } })

test('at most four large reads of any kind run at the same time, and at most one of them for each client', async () => {
  const service = await createSlowService()
  const resumed = await openEvents(service, { ...fromClient(1), lastEventId: service.firstId })
  const caught = resumed.catches(1)
  await expect.poll(() => service.reading, { interval: 1 }).toEqual(['records'])
  const all = [service.get(COLLECTION, 1)]
  for (const [at, path] of [SUMMARY, COLLECTION, CRABS, COLLECTION, SUMMARY].entries()) {
    all.push(service.get(path, 2 + at), service.get(path, 2 + at))
  }
  const sorted = () => service.reading.toSorted()
  await expect.poll(sorted, { interval: 1 }).toEqual(['records', 'records', 'summary', 'summary'])
  expect((await service.get(`${COLLECTION}&limit=1`, 1)).status).toBe(200)
  service.end()
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200))
  expect(namesOf(await caught)).toEqual(['Salmon'])
})

test('a large read that waits 10 s for its turn gets 503 with Retry-After, and a resumed stream that waits 10 s ends with an error', async () => {
  const service = await createSlowService()
  const running = await takeTurns(service)
  const late = [COLLECTION, SUMMARY, CRABS].map((path) => service.get(path, 5))
  const stream = await requestEvents(service, { ...fromClient(5), lastEventId: service.firstId })
  const events = expect(stream.text()).rejects.toThrow('Too many large reads')
  const waits = () => service.timers.intervals.filter((interval) => interval === WAIT_MS)
  await expect.poll(waits, { interval: 1 }).toHaveLength(4)
  service.timers.run(WAIT_MS)
  for (const response of await Promise.all(late)) {
    expect(response.headers.get('retry-after')).toBe('10')
    await expectError(response, 'unavailable')
  }
  await events
  service.end()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

test('a stream stays open while it waits for its turn, even after several heartbeats', async () => {
  const service = await createSlowService()
  const running = await takeTurns(service)
  const stream = await openEvents(service, { ...fromClient(5), lastEventId: service.firstId })
  const caught = stream.catches(1)
  const waits = () => service.timers.intervals.filter((interval) => interval === WAIT_MS)
  await expect.poll(waits, { interval: 1 }).toHaveLength(1)
  for (let round = 0; round < 6; round += 1) {
    await expect.poll(() => service.timers.intervals, { interval: 1 }).toContain(15_000)
    service.timers.run(15_000)
  }
  service.end()
  expect(namesOf(await caught)).toEqual(['Salmon'])
  await Promise.all(running)
})
