import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type OutboxEvent, openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it } from 'vitest'
import { settle, standingClock } from './clocks.ts'
import { fakeService, fish, limited, lost, refusal } from './fake-service.ts'
import { testFolder } from './folders.ts'

async function start(path = ':memory:') {
  const service = fakeService()
  const time = standingClock()
  const events: OutboxEvent[] = []
  const outbox = await openOutbox({
    client: service.client(),
    user: 'Alex',
    gamemode: 'earth',
    path,
    lingerMs: 2000,
    clock: time.clock,
    random: () => 0,
    onEvent: (event) => events.push(event),
  })
  outbox.start()
  await settle()
  return { outbox, service, events, ...time }
}

it('start() immediately sends the catches that were added before', async () => {
  const path = join(await testFolder(), 'outbox.db')
  const before = await openOutbox({ path, user: 'Alex', gamemode: 'earth' })
  await before.add(fish(1))
  const { outbox, service } = await start(path)
  expect(service.requests).toHaveLength(1)
  await outbox.close()
})

it('a started outbox waits lingerMs after an add, and then sends all catches that were added meanwhile in one request', async () => {
  const { outbox, service, advance } = await start()
  await outbox.add(fish(1))
  await advance(1999)
  await outbox.add(fish(2, 3))
  expect(service.requests).toHaveLength(0)
  await advance(1)
  expect(service.requests.map(({ names }) => names)).toEqual([['1', '2', '3']])
  await outbox.add(fish(4))
  await advance(2000)
  expect(service.requests).toHaveLength(2)
  await outbox.close()
})

it('lingerMs can be a function that returns the wait before each request', async () => {
  const service = fakeService()
  const { clock, advance } = standingClock()
  let lingerMs = 2000
  const options = { client: service.client(), user: 'Alex', gamemode: 'earth', path: ':memory:', clock } as const
  await using outbox = await openOutbox({ ...options, lingerMs: () => lingerMs })
  outbox.start()
  await settle()
  await outbox.add(fish(1))
  await advance(2000)
  lingerMs = 60_000
  await outbox.add(fish(2))
  await advance(59_999)
  expect(service.requests).toHaveLength(1)
  await advance(1)
  expect(service.requests).toHaveLength(2)
})

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  'a catch added %d microtasks after a delivery is sent without waiting for the next poll',
  async (turns) => {
    const { outbox, service, advance } = await start()
    await outbox.add(fish(1))
    const unsubscribe = outbox.subscribe(async ({ type }) => {
      if (type !== 'delivered') return
      unsubscribe()
      for (let turn = 0; turn < turns; turn += 1) await undefined
      await outbox.add(fish(2))
    })
    await advance(2000)
    await advance(2000)
    expect(service.names('fish/Alex/earth')).toEqual(['1', '2'])
    await outbox.close()
  },
)

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  'a catch added %d microtasks after start() is sent soon, and close() then resolves at once',
  async (turns) => {
    const service = fakeService()
    const client = service.client()
    await using outbox = await openOutbox({ client, path: ':memory:', user: 'Alex', gamemode: 'earth', lingerMs: 5 })
    outbox.start()
    for (let turn = 0; turn < turns; turn += 1) await undefined
    await outbox.add(fish(1))
    await expect.poll(() => service.requests.length, { interval: 5 }).toBe(1)
    const closed = outbox.close().then(() => 'closed')
    expect(await Promise.race([closed, settle().then(() => 'still open')])).toBe('closed')
  },
)

it('stop() resolves at once even if the given clock ignores signals', async () => {
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) }
  const outbox = await openOutbox({ path: ':memory:', clock })
  outbox.start()
  await settle()
  const stopped = outbox.stop().then(() => 'stopped')
  expect(await Promise.race([stopped, settle().then(() => 'still running')])).toBe('stopped')
  await outbox.close()
})

it('a started outbox doubles its wait after each failure up to 300 s, and resets its wait after a success', async () => {
  const { outbox, service, events, advance, nextSleep } = await start()
  service.before = () => {
    throw lost()
  }
  await outbox.add(fish(1))
  await advance(2000)
  const waits: number[] = []
  for (let failure = 0; failure < 11; failure += 1) {
    await outbox.add(fish(failure + 2))
    await settle()
    waits.push(nextSleep())
    await advance(nextSleep())
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1000))
  expect(events).toContainEqual({ type: 'waiting', until: expect.any(Date), error: expect.any(Error) })
  service.before = () => {}
  await advance(nextSleep())
  expect(await outbox.status()).toMatchObject({ pending: 0 })

  service.before = () => {
    throw refusal('storage_error')
  }
  await outbox.add(fish(99))
  await advance(2000)
  expect(nextSleep()).toBe(1000)
  await outbox.close()
})

it('a started outbox waits until the rate limit ends', async () => {
  const { outbox, service, clock, advance, nextSleep } = await start()
  const resetAt = clock.now() + 123_000
  service.before = () => {
    if (clock.now() < resetAt) throw limited(resetAt)
  }
  await outbox.add(fish(1))
  await advance(2000)
  expect(nextSleep()).toBe(121_000)
  await advance(121_000)
  expect(service.names('fish/Alex/earth')).toEqual(['1'])
  await outbox.close()
})

it('a started outbox polls every 30 s for catches that other processes have added', async () => {
  const path = join(await testFolder(), 'outbox.db')
  const { outbox, service, advance } = await start(path)
  await using other = await openOutbox({ path, user: 'Alex', gamemode: 'earth' })
  await other.add(fish(1))
  await advance(29_999)
  expect(service.requests).toHaveLength(0)
  await advance(1)
  expect(service.requests).toHaveLength(1)
  await outbox.close()
})

it('a started outbox reports an error of its file and continues', async () => {
  const path = join(await testFolder(), 'outbox.db')
  const { outbox, service, events, advance } = await start(path)
  await outbox.add(fish(1))
  const db = new DatabaseSync(path)
  db.exec('ALTER TABLE collections RENAME TO missing')
  await advance(2000)
  expect(events).toContainEqual({ type: 'error', error: expect.objectContaining({ code: 'outbox_unavailable' }) })
  db.exec('ALTER TABLE missing RENAME TO collections')
  db.close()
  await advance(1000)
  expect(service.requests).toHaveLength(1)
  await outbox.close()
})

it('stop() keeps the catches that wait in the outbox, and the outbox can be started again', async () => {
  const { outbox, service, advance } = await start()
  await outbox.add(fish(1))
  await outbox.stop()
  await advance(60_000)
  expect(service.requests).toHaveLength(0)
  outbox.start()
  await settle()
  expect(service.requests).toHaveLength(1)
  await outbox.close()
})

it('a subscriber receives events until it unsubscribes', async () => {
  const { outbox } = await start()
  const heard: string[] = []
  const unsubscribe = outbox.subscribe(({ type }) => heard.push(type))
  await outbox.add(fish(1))
  unsubscribe()
  await outbox.add(fish(2))
  expect(heard).toEqual(['added'])
  await outbox.close()
})
