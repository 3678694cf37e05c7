import { HEADERS } from '@fish-crab/sdk/contract'
import { createMemoryStorage } from '@fish-crab/server/app'
import { type Collection, type ReadRange, wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { newRecord, recordOf } from '../storage-suite/samples.ts'
import { asRoot } from './administration.ts'
import { SALMON, write } from './catches.ts'
import { expectError } from './errors.ts'
import { namesOf, openEvents, readEvents, requestEvents } from './event-stream.ts'
import { createMemoryService } from './memory-service.ts'
import { ADDRESS_HEADER, type TestService, UNLIMITED } from './test-service.ts'
import { createTimers } from './timers.ts'

const INTERVALS = { heartbeatMs: 15_000, checkMs: 5000 }

describe('event streams', () => {
  it('get comments every 15 s, and use timers only while a stream is open', async () => {
    const timers = createTimers()
    const service = await createMemoryService({ ...UNLIMITED, schedule: timers.schedule })
    expect(timers.intervals).toEqual([])
    const [one, other] = [await openEvents(service), await openEvents(service)]
    await Promise.all([one.ready(), other.ready()])
    expect(timers.intervals.sort()).toEqual([15_000, 5000])
    for (let round = 0; round < 3; round += 1) {
      const comments = [one.comment(), other.comment()]
      await Promise.resolve()
      timers.run(INTERVALS.heartbeatMs)
      expect(await Promise.all(comments)).toEqual([{ event: 'comment' }, { event: 'comment' }])
    }
    await one.close()
    expect(timers.intervals).toHaveLength(2)
    await other.close()
    expect(timers.intervals).toEqual([])
  })

  it('of many clients get heartbeats in batches, and other requests are served in between', async () => {
    const timers = createTimers()
    const streams = { perClient: 120 }
    const service = await createMemoryService({ ...UNLIMITED, schedule: timers.schedule, streams })
    const listeners = await Promise.all(Array.from({ length: 120 }, () => openEvents(service)))
    await Promise.all(listeners.map((listener) => listener.ready()))
    let comments = 0
    const all = Promise.all(listeners.map((listener) => listener.comment().then(() => (comments += 1))))
    await Promise.resolve()
    timers.run(INTERVALS.heartbeatMs)
    for (const count of [50, 100]) {
      await expect.poll(() => timers.intervals, { interval: 1 }).toContain(0)
      expect(comments).toBe(count)
      timers.run(0)
    }
    await all
    await expect.poll(() => timers.intervals, { interval: 1 }).toContain(INTERVALS.heartbeatMs)
  })

  it('of many clients get removals and the deletion of the user in batches', async () => {
    const timers = createTimers()
    const streams = { perClient: 120 }
    const service = await createMemoryService({ ...UNLIMITED, schedule: timers.schedule, streams })
    const listeners = await Promise.all(Array.from({ length: 120 }, () => openEvents(service)))
    await Promise.all(listeners.map((listener) => listener.ready()))
    const caught = Promise.all(listeners.map((listener) => listener.next()))
    await write(service, 'fish', SALMON)
    const toldInTurns = async (told: Promise<unknown>) => {
      for (let turn = 0; turn < 2; turn += 1) {
        await expect.poll(() => timers.intervals, { interval: 1 }).toContain(0)
        timers.run(0)
      }
      await told
    }
    await toldInTurns(caught)
    const [{ id }] = (await caught).map((event) => event?.data) as [{ id: string }]

    const admin = await asRoot(service)
    let removals = 0
    const removed = listeners.map(async (listener) => {
      expect((await listener.next())?.event).toBe('removed')
      removals += 1
    })
    await admin('DELETE', `/admin/users/Alex/fish/${id}?gamemode=earth`)
    await expect.poll(() => timers.intervals, { interval: 1 }).toContain(0)
    expect(removals).toBe(50)
    await toldInTurns(Promise.all(removed))

    const deleted = Promise.all(listeners.map((listener) => listener.rest()))
    await admin('DELETE', '/admin/users/Alex')
    await toldInTurns(deleted)
    for (const events of await deleted) expect(events).toEqual([{ event: 'deleted', data: {} }])
  })

  it('deliver every catch even if the storage sends no signals, since a regular check finds new catches', async () => {
    const timers = createTimers()
    const storage = wrapDriver({ ...createMemoryDriver(), onChange: () => () => {} })
    const service = await createMemoryService({ ...UNLIMITED, storage, schedule: timers.schedule })
    const stream = await openEvents(service)
    await stream.ready()
    await write(service, 'fish', SALMON)
    await write(service, 'crab', { fish: 'crab' })
    timers.run(INTERVALS.checkMs)
    expect(namesOf(await stream.catches(2)).sort()).toEqual(['Salmon', 'crab'])
    await write(service, 'crab', { fish: 'again' })
    await expect.poll(() => timers.intervals).toContain(INTERVALS.checkMs)
    timers.run(INTERVALS.checkMs)
    expect(namesOf(await stream.catches(1))).toEqual(['again'])
  })

  it('end if the store is replaced, and cannot be resumed in the new store', async () => {
    const storage = createMemoryStorage()
    const timers = createTimers()
    const service = await createMemoryService({ ...UNLIMITED, storage, schedule: timers.schedule })
    const stream = await openEvents(service)
    const { id } = await stream.ready()
    timers.run(INTERVALS.checkMs)
    await write(service, 'fish', SALMON)
    expect((await stream.next())?.event).toBe('catch')
    await expect.poll(() => timers.intervals).toContain(INTERVALS.checkMs)

    await storage.items.setItem('setting:store', 'another-one')
    await expect(service.app.verifyStore()).rejects.toMatchObject({ code: 'replaced' })
    timers.run(INTERVALS.checkMs)
    expect(await stream.rest()).toEqual([])
    await storage.items.removeItem('user:alex')
    const restarted = await createMemoryService({ ...UNLIMITED, storage, schedule: timers.schedule })
    await storage.items.setItem('user:alex', JSON.stringify({ ...restarted.alex, id: service.alex.id }))
    await expectError(await requestEvents(restarted, { lastEventId: id }), 'invalid_event_id')
    const next = await (await openEvents(restarted)).ready()
    expect((await openEvents(restarted, { lastEventId: next.id })).response.status).toBe(200)
  })

  it('continue after a failure of the storage', async () => {
    const timers = createTimers()
    const inner = createMemoryDriver()
    let isFailing = false
    const storage = wrapDriver({
      ...inner,
      version: (collection) => (isFailing ? Promise.reject(new Error('down')) : inner.version(collection)),
    })
    const service = await createMemoryService({ ...UNLIMITED, storage, schedule: timers.schedule })
    const stream = await openEvents(service)
    await stream.ready()
    isFailing = true
    await write(service, 'fish', SALMON)
    timers.run(INTERVALS.checkMs)
    isFailing = false
    await expect.poll(() => timers.intervals).toContain(INTERVALS.checkMs)
    timers.run(INTERVALS.checkMs)
    expect(namesOf(await stream.catches(1))).toEqual(['Salmon'])
  })

  it('share one read of the storage after a change, however many streams are open', async () => {
    const inner = createMemoryDriver()
    let reads = 0
    const storage = wrapDriver({
      ...inner,
      read(...args) {
        reads += 1
        return inner.read(...args)
      },
    })
    const streams = { perClient: 100 }
    const service = await createMemoryService({ ...UNLIMITED, storage, streams })
    const all = await Promise.all(Array.from({ length: 100 }, () => openEvents(service, { query: '&kind=fish' })))
    await Promise.all(all.map((stream) => stream.ready()))
    const catches = all.map((stream) => stream.catches(1))
    await new Promise(setImmediate)
    reads = 0
    await write(service, 'fish', SALMON)
    for (const events of await Promise.all(catches)) expect(namesOf(events)).toEqual(['Salmon'])
    expect(reads).toBe(1)
  })

  it('deliver all events in order to a client that reads late', async () => {
    const service = await createMemoryService(UNLIMITED)
    const stream = await openEvents(service)
    const names = Array.from({ length: 40 }, (_, at) => `fish ${at}`)
    for (const name of names) await write(service, 'fish', { fish: name, rarity: 1 })
    expect(namesOf(await stream.catches(40))).toEqual(names)
  })

  it('close after some heartbeats if the client never reads', async () => {
    const timers = createTimers()
    const open: number[] = []
    const metrics = {
      observeRequest() {},
      observeRateLimit() {},
      observeStorage() {},
      observeStreams: (count: number) => open.push(count),
      render: async () => ({ body: '', contentType: '' }),
    }
    const service = await createMemoryService({ schedule: timers.schedule, metrics })
    const response = await requestEvents(service)
    for (let round = 0; round < 5; round += 1) {
      await expect.poll(() => timers.intervals, { interval: 1 }).toContain(INTERVALS.heartbeatMs)
      timers.run(INTERVALS.heartbeatMs)
    }
    expect(open).toEqual([1, 0])
    await expect(response.text()).rejects.toThrow('does not read')
    expect(timers.intervals).toEqual([])
  })

  it('close before unread events fill the memory if the client never reads', async () => {
    const service = await createMemoryService(UNLIMITED)
    const user = await service.app.users.find('Alex')
    const collection = { owner: String(user?.id), kind: 'fish', gamemode: 'earth' }
    const response = await requestEvents(service)
    for (let round = 0; round < 1001; round += 1) {
      const record = newRecord()
      await service.storage.append(collection, record)
      await service.storage.removeRecord(collection, record.id)
    }
    await expect(response.text()).rejects.toThrow('does not read')
  })

  it('continue with the next new catch if the given event id, which may be forged, is in the future', async () => {
    const service = await createMemoryService(UNLIMITED)
    await write(service, 'fish', SALMON)
    const { id } = await (await openEvents(service)).ready()
    const forged = String(id).replaceAll(/\.\w+/g, `.${(1000).toString(36)}.5`)
    expect(forged).not.toBe(id)
    const stream = await openEvents(service, { lastEventId: forged })
    expect((await stream.ready()).id).toBe(id)
  })

  it('contain catches that are stored while the stream opens', async () => {
    const inner = createMemoryDriver()
    let isOpening = false
    const storage = wrapDriver({
      ...inner,
      async latest(collection, count) {
        const latest = await inner.latest(collection, count)
        if (isOpening && collection.kind === 'fish') await inner.append(collection, recordOf('Koi'))
        return latest
      },
    })
    const { schedule } = createTimers()
    const service = await createMemoryService({ ...UNLIMITED, storage, schedule })
    isOpening = true
    const stream = await openEvents(service)
    isOpening = false
    expect(namesOf(await stream.catches(1))).toEqual(['Koi'])
  })

  it('do not count against the limit if they cannot be opened', async () => {
    const service = await createMemoryService({ ...UNLIMITED, streams: { total: 1, perClient: 1 } })
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expectError(await requestEvents(service, { lastEventId: 'x' }), 'invalid_event_id')
    }
    await (await openEvents(service)).ready()
  })

  it('all end when the host closes the streams, and can be opened again', async () => {
    const service = await createMemoryService(UNLIMITED)
    const streams = [await openEvents(service), await openEvents(service)]
    service.app.closeStreams()
    for (const stream of streams) expect(await stream.rest()).toEqual([])
    await (await openEvents(service)).ready()
  })

  it('are refused while the host stops', async () => {
    const service = await createMemoryService({ isAccepting: () => false })
    const response = await requestEvents(service)
    expect(response.headers.get('retry-after')).toBe('1')
    await expectError(response, 'unavailable')
  })

  it('end when the request is aborted', async () => {
    const service = await createMemoryService(UNLIMITED)
    const controller = new AbortController()
    const response = await service.request('/events?name=Alex&gamemode=earth', { signal: controller.signal })
    const text = response.text()
    controller.abort()
    await expect(text).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('of all clients have a limit, and a tenth of them is for clients with an API key', async () => {
    const service = await createMemoryService({ ...UNLIMITED, streams: { total: 20, perClient: 20 } })
    const withKey = { headers: { [HEADERS.apiKey]: service.alex.apiKey } }
    for (let count = 0; count < 18; count += 1) await openEvents(service)
    const refused = await requestEvents(service)
    expect(refused.headers.get(HEADERS.retryAfter)).toBe('10')
    await expectError(refused, 'too_many_streams')
    await openEvents(service, withKey)
    await openEvents(service, withKey)
    await expectError(await requestEvents(service, withKey), 'too_many_streams')
  })

  it('of one key have a limit, whichever addresses they come from', async () => {
    const service = await createMemoryService({ ...UNLIMITED, masterApiKey: 'a-master-key-of-a-test' })
    for (const apiKey of [service.alex.apiKey, 'a-master-key-of-a-test']) {
      const from = (at: number) => ({ headers: { [HEADERS.apiKey]: apiKey, [ADDRESS_HEADER]: `198.51.100.${at}` } })
      for (let count = 0; count < 10; count += 1) await openEvents(service, from(count))
      await expectError(await requestEvents(service, from(10)), 'too_many_streams')
    }
    await openEvents(service)
  })

  it('of one /48 are at most a tenth of all, so that one home network cannot take all places', async () => {
    const service = await createMemoryService(UNLIMITED)
    const from = (address: string) => ({ headers: { [ADDRESS_HEADER]: address } })
    for (let at = 0; at < 200; at += 1) await openEvents(service, from(`2001:db8:7:${at % 20}::1`))
    await expectError(await requestEvents(service, from('2001:db8:7:ff::1')), 'too_many_streams')
    await openEvents(service, from('2001:db8:8::1'))
    await openEvents(service, from('192.0.2.77'))
    await openEvents(service, { headers: { ...from('2001:db8:7::1').headers, [HEADERS.apiKey]: service.alex.apiKey } })
  })
})

it('an event stream skips missed catches if all of them were removed, does not read the catches again, and delivers new catches', async () => {
  const storage = createMemoryDriver()
  let reads = 0
  const counted = wrapDriver({
    ...storage,
    read(...args: Parameters<typeof storage.read>) {
      reads += 1
      return storage.read(...args)
    },
  })
  const service = await createMemoryService({ ...UNLIMITED, storage: counted })
  const stream = await openEvents(service, { query: '&kind=fish' })
  const { id } = await stream.ready()
  await stream.close()
  const saved = (await (await write(service, 'fish', { fish: 'Cod', rarity: 1 })).json()) as { id: string }
  const admin = await asRoot(service)
  const resumed = await openEvents(service, { query: '&kind=fish', lastEventId: id })
  await admin('DELETE', `/admin/users/Alex/fish/${saved.id}?gamemode=earth`)
  const events = [(await resumed.ready()).event, (await resumed.next())?.event]
  expect(events).toEqual(['ready', 'removed'])
  const next = resumed.catches(1)
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  await write(service, 'fish', { fish: 'Koi', rarity: 1 })
  expect(namesOf(await next)).toEqual(['Koi'])
  expect(reads).toBeLessThan(10)
})

describe('a stream of all gamemodes', () => {
  const all = async (service: TestService, lastEventId?: string) => {
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const response = await service.request('/events?name=Alex&follow=false', { headers })
    return (await readEvents(response).rest()).filter(({ event }) => event !== 'retry')
  }

  it('resumes after the operator has added one gamemode and removed another', async () => {
    const storage = createMemoryStorage()
    const first = await createMemoryService({ ...UNLIMITED, storage, gamemodes: ['earth', 'sky'] })
    const [ready] = await all(first)
    await write(first, 'fish', { fish: 'a', rarity: 1 }, { gamemode: 'earth' })
    await write(first, 'fish', { fish: 'b', rarity: 1 }, { gamemode: 'sky' })
    const [, earth, sky] = await all(first, ready?.id)
    expect(namesOf([earth, sky].filter((event) => event !== undefined)).sort()).toEqual(['a', 'b'])

    await storage.items.removeItem('user:alex')
    const second = await createMemoryService({ ...UNLIMITED, storage, gamemodes: ['moon', 'earth'] })
    await storage.items.setItem('user:alex', JSON.stringify({ ...second.alex, id: first.alex.id }))
    const entries = [{ name: 'on the moon', caughtAt: new Date(0).toISOString(), rarity: 'Gold' }]
    await storage.append({ owner: first.alex.id, kind: 'fish', gamemode: 'moon' }, newRecord({ entries }))
    expect(namesOf((await all(second, sky?.id)).slice(1))).toEqual(['on the moon'])
  })

  it('has event ids of at most 1 KB for 32 gamemodes with catches of both kinds', async () => {
    const storage = createMemoryStorage()
    const gamemodes = Array.from({ length: 32 }, (_, index) => `gamemode-with-a-long-name-${index}`)
    const service = await createMemoryService({ ...UNLIMITED, storage, gamemodes })
    for (const gamemode of gamemodes) {
      for (const kind of ['fish', 'crab']) {
        await storage.append({ owner: service.alex.id, kind, gamemode }, recordOf('Koi', 'Cod'))
      }
    }
    const [ready] = await all(service)
    expect(ready?.id?.match(/-/g)).toHaveLength(64)
    // A sequence of seven digits is enough for 78 billion records.
    expect(ready?.id?.replaceAll(/\.\w+/g, '.zzzzzzz').length).toBeLessThanOrEqual(1024)
  })

  it('reads its catches in turns of the client, one turn at a time', async () => {
    const driver = createMemoryDriver()
    let [running, most] = [0, 0]
    const storage = wrapDriver({
      ...driver,
      async *read(collection: Collection, range?: ReadRange) {
        // Reads of new catches, which all streams share, have no limit.
        const isCatchUp = range?.entries !== undefined
        if (isCatchUp) running += 1
        most = Math.max(most, running)
        try {
          await new Promise(setImmediate)
          yield* driver.read(collection, range)
        } finally {
          if (isCatchUp) running -= 1
        }
      },
    })
    const service = await createMemoryService({ ...UNLIMITED, storage })
    const [ready] = await all(service)
    for (const gamemode of ['earth', 'survival', 'oneblock']) {
      for (const kind of ['fish', 'crab']) {
        await storage.append({ owner: service.alex.id, kind, gamemode }, recordOf(`${gamemode} ${kind}`))
      }
    }
    expect(namesOf((await all(service, ready?.id)).slice(1))).toHaveLength(6)
    expect(most).toBe(1)
  })
})

it('an event stream whose storage fails logs each cause once, with the collection, and again after a recovery', async () => {
  const driver = createMemoryDriver()
  let failure: string | undefined
  const lines: Readonly<Record<string, unknown>>[] = []
  const storage = wrapDriver({
    ...driver,
    version: async (collection) => {
      if (failure !== undefined) throw new Error(failure)
      return driver.version(collection)
    },
  })
  const timers = createTimers()
  const logger = { info() {}, error() {}, warn: (fields: Readonly<Record<string, unknown>>) => void lines.push(fields) }
  const service = await createMemoryService({ ...UNLIMITED, storage, schedule: timers.schedule, logger })
  const stream = await openEvents(service)
  await stream.ready()
  const checkAgain = async () => {
    await expect.poll(() => timers.intervals).toContain(INTERVALS.checkMs)
    timers.run(INTERVALS.checkMs)
    await expect.poll(() => timers.intervals).toContain(INTERVALS.checkMs)
  }
  for (const cause of ['down', 'down', undefined, 'down', 'full']) {
    failure = cause
    await checkAgain()
  }
  expect(lines.map(({ kind, gamemode, err }) => [kind, gamemode, (err as Error).message])).toEqual([
    ['fish', 'earth', 'down'],
    ['fish', 'earth', 'down'],
    ['fish', 'earth', 'full'],
  ])
})
