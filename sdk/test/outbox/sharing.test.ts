import { join } from 'node:path'
import { type OutboxEvent, openOutbox, sqliteStore } from '@fish-crab/sdk/outbox'
import { expect, it } from 'vitest'
import { jumpingClock, settle } from './clocks.ts'
import { fakeService, fish, limited, numbers } from './fake-service.ts'
import { testFolder } from './folders.ts'

const ALEX = 'fish/Alex/earth'

async function openTwo(maxBatch = 3, leaseMs = 1000) {
  const path = join(await testFolder(), 'outbox.db')
  const service = fakeService()
  const { clock, advance, slept } = jumpingClock()
  const open = async () =>
    openOutbox({
      client: service.client(),
      user: 'Alex',
      gamemode: 'earth',
      store: await sqliteStore(path),
      maxBatch,
      leaseMs,
      clock,
      random: () => 0,
    })
  return { service, clock, slept, advance, one: await open(), two: await open() }
}

it('lets two processes add and send at once, each catch once and in order', async () => {
  const { service, one, two } = await openTwo()
  service.after = () => settle()
  for (let at = 1; at <= 40; at += 2) {
    await one.add(fish(at))
    await two.add(fish(at + 1))
    if (at % 10 === 1) await Promise.all([one.flush(), two.flush()])
  }
  await one.flush()
  expect(service.names(ALEX)).toEqual(numbers(1, 40))
  await one.close()
  await two.close()
})

it('gives a collection back after each request', async () => {
  const { one, two } = await openTwo()
  await one.add(fish(1))
  await one.flush()
  await two.add(fish(2))
  expect(await two.flush({ maxWaitMs: 0 })).toMatchObject({ sent: 1, leased: [] })
  await one.close()
  await two.close()
})

it('names the collection that another process is sending', async () => {
  const { service, one, two } = await openTwo()
  await one.add(fish(1))
  let respond = () => {}
  service.after = () =>
    new Promise<void>((resolve) => {
      respond = resolve
    })
  const flushing = one.flush()
  await settle()
  expect(await two.flush({ maxWaitMs: 0 })).toMatchObject({
    sent: 0,
    left: 1,
    leased: [{ collection: { user: 'Alex' } }],
  })
  respond()
  expect(await flushing).toMatchObject({ sent: 1 })
  await one.close()
  await two.close()
})

it('waits for the lease of a process that was killed, then sends its token again', async () => {
  const { service, clock, one, two, slept } = await openTwo()
  await one.add(fish(1, 3))
  service.before = () => {
    service.before = () => {}
    return new Promise(() => {})
  }
  const killed = new AbortController()
  const hanging = expect(one.flush({ signal: killed.signal })).rejects.toThrow('over')
  await settle()
  const events: OutboxEvent[] = []
  two.subscribe((event) => events.push(event))
  const until = new Date(clock.now() + 1000)
  expect(await two.flush()).toMatchObject({ sent: 3, leased: [] })
  expect(slept).toEqual([1000])
  const leased = { type: 'leased', collection: { kind: 'fish', user: 'Alex', gamemode: 'earth' }, until }
  expect(events.filter(({ type }) => type === 'leased')).toEqual([leased])
  expect(service.names(ALEX)).toEqual(numbers(1, 3))
  killed.abort(new Error('over'))
  await hanging
  await one.close()
  await two.close()
})

it('emits a lease when nothing else is to be sent, and again after it sent what came meanwhile', async () => {
  const { service, clock, one, two, slept } = await openTwo(3, 3000)
  await one.add(fish(1))
  service.before = () => {
    service.before = () => {}
    return new Promise(() => {})
  }
  const killed = new AbortController()
  const hanging = expect(one.flush({ signal: killed.signal })).rejects.toThrow('over')
  await settle()
  await two.add({ kind: 'crab', name: 'First' })
  const events: string[] = []
  two.subscribe((event) => {
    if (event.type === 'leased') events.push(`leased ${event.collection.kind} ${event.until.getTime()}`)
    if (event.type === 'sending') events.push(`sending ${event.collection.kind}`)
  })
  const sleep = clock.sleep.bind(clock)
  clock.sleep = async (ms, signal) => {
    await sleep(ms, signal)
    if (slept.length === 1) await two.add({ kind: 'crab', name: 'Second' })
  }
  const leased = `leased fish ${clock.now() + 3000}`
  expect(await two.flush()).toMatchObject({ sent: 3, leased: [] })
  expect(slept).toEqual([1000, 1000, 1000])
  expect(events).toEqual(['sending crab', leased, 'sending crab', leased, 'sending fish'])
  killed.abort(new Error('over'))
  await hanging
  await one.close()
  await two.close()
})

it('waits for the rate limit without polling a lease that ends before it', async () => {
  const { service, clock, one, two, slept } = await openTwo()
  await one.add(fish(1))
  service.before = () => new Promise(() => {})
  const killed = new AbortController()
  const hanging = expect(one.flush({ signal: killed.signal })).rejects.toThrow('over')
  await settle()
  await two.add({ kind: 'crab' })
  const resetAt = clock.now() + 100_000
  service.before = () => {
    if (clock.now() < resetAt) throw limited(resetAt)
  }
  expect(await two.flush()).toMatchObject({ sent: 2, stopped: [], leased: [] })
  expect(slept).toEqual([1000, 99_000])
  killed.abort(new Error('over'))
  await hanging
  await one.close()
  await two.close()
})

it('waits for the rate limit without polling the lease of a collection that was sent meanwhile', async () => {
  const { service, clock, one, two, slept } = await openTwo()
  await one.add(fish(1))
  const sent = Promise.withResolvers<void>()
  service.after = () => sent.promise
  const flushing = expect(one.flush()).rejects.toMatchObject({ code: 'outbox_closed' })
  await settle()
  const closing = one.close()
  await two.add({ kind: 'crab' })
  service.after = () => {}
  const resetAt = clock.now() + 100_000
  service.before = () => {
    if (clock.now() < resetAt) throw limited(resetAt)
  }
  const sleep = clock.sleep.bind(clock)
  clock.sleep = async (ms, signal) => {
    // More of them than any flush needs.
    if (slept.length > 5) throw new Error('It polls.')
    await sleep(ms, signal)
    sent.resolve()
    await settle()
  }
  expect(await two.flush()).toMatchObject({ sent: 1, stopped: [], leased: [] })
  expect(slept).toEqual([1000, 99_000])
  await flushing
  await closing
  await two.close()
})

it('leaves a collection to a process that claims it again: it is alive', async () => {
  const { service, advance, one, two, clock } = await openTwo(1)
  await one.add(fish(1, 2))
  const responses: (() => void)[] = []
  service.after = () => new Promise<void>((resolve) => responses.push(resolve))
  const flushing = one.flush()
  await settle()
  clock.sleep = async () => {
    advance(500)
    responses.shift()?.()
    await settle()
  }
  expect(await two.flush()).toMatchObject({ sent: 0, leased: [{ collection: { user: 'Alex' } }] })
  responses.shift()?.()
  expect(await flushing).toMatchObject({ sent: 2 })
  await one.close()
  await two.close()
})

it('takes over the frozen token of a process that hangs, which then does no harm', async () => {
  const { service, advance, one, two } = await openTwo()
  await one.add(fish(1, 5))
  let goOn = () => {}
  service.before = () => {
    service.before = () => {}
    return new Promise<void>((resolve) => {
      goOn = resolve
    })
  }
  const hanging = one.flush()
  await settle()
  advance(1000)
  expect(await two.flush()).toMatchObject({ sent: 5 })
  expect(service.requests[1]?.token).toBe(service.requests[0]?.token)
  goOn()
  await hanging
  expect(service.names(ALEX)).toEqual(numbers(1, 5))
  expect(await one.status()).toMatchObject({ queued: 0, frozen: 0, dead: 0 })
  await one.close()
  await two.close()
})
