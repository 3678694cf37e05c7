import { join } from 'node:path'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it, onTestFinished } from 'vitest'
import { jumpingClock, settle, standingClock } from './clocks.ts'
import { fakeService, fish, limited, numbers } from './fake-service.ts'
import { testFolder } from './folders.ts'

const ALEX = 'fish/Alex/earth'

async function openTwo() {
  const path = join(await testFolder(), 'outbox.db')
  const service = fakeService()
  const open = async (clock = jumpingClock().clock) => {
    const client = service.client()
    const outbox = await openOutbox({
      client,
      user: 'Alex',
      gamemode: 'earth',
      path,
      maxBatch: 3,
      clock,
      random: () => 0,
    })
    onTestFinished(() => outbox.close({ signal: AbortSignal.abort() }))
    return outbox
  }
  const time = standingClock()
  const { clock, slept } = jumpingClock()
  return { service, one: await open(time.clock), two: await open(clock), clock, slept, clocks: [time.clock, clock] }
}

it('two processes can add and send concurrently, and each catch is stored once and in order', async () => {
  const { service, one, two, clocks } = await openTwo()
  service.after = () => settle()
  for (const clock of clocks) clock.sleep = () => settle()
  for (let at = 1; at <= 40; at += 2) {
    await one.add(fish(at))
    await two.add(fish(at + 1))
    if (at % 10 === 1) await Promise.all([one.flush(), two.flush()])
  }
  await one.flush()
  expect(service.names(ALEX)).toEqual(numbers(1, 40))
})

it('flush() does not send the next batch until the request of a concurrent process has ended', async () => {
  const { service, one, two, clock, slept } = await openTwo()
  await one.add(fish(1, 5))
  const response = Promise.withResolvers<void>()
  service.after = () => {
    service.after = () => {}
    return response.promise
  }
  const flushing = one.flush().catch((error: unknown) => error)
  await settle()
  const sleep = clock.sleep.bind(clock)
  clock.sleep = async (ms, signal) => {
    await sleep(ms, signal)
    if (slept.length < 3) return
    response.resolve()
    // Close the first outbox, so that its flush sends no second batch.
    await one.close()
  }
  expect(await two.flush()).toMatchObject({ delivered: 2, remaining: 0 })
  expect(slept).toEqual([100, 100, 100])
  expect(await flushing).toMatchObject({ code: 'outbox_closed' })
  expect(service.requests.map(({ names }) => names)).toEqual([numbers(1, 3), numbers(4, 5)])
})

it('flush() ends when a concurrent process has sent all catches', async () => {
  const { service, one, two, clock } = await openTwo()
  await one.add(fish(1, 5))
  const response = Promise.withResolvers<void>()
  service.after = () => response.promise
  const flushing = one.flush()
  await settle()
  clock.sleep = async () => {
    response.resolve()
    await flushing
  }
  expect(await two.flush()).toMatchObject({ delivered: 0, remaining: 0, stopped: [] })
  expect(await flushing).toMatchObject({ delivered: 5 })
})

it('while flush() waits for the rate limit, a second process can send', async () => {
  const { service, one, two, slept } = await openTwo()
  await one.add(fish(1, 5))
  service.before = () => {
    throw limited(Date.parse('2026-01-01T00:01:00Z'))
  }
  const waiting = one.flush().catch((error: unknown) => error)
  await settle()
  service.before = () => {}
  expect(await two.flush()).toMatchObject({ delivered: 5, remaining: 0 })
  expect(slept).toEqual([])
  await one.close({ signal: AbortSignal.abort() })
  await waiting
})

it('flush() stops polling for the lock when the call is aborted', async () => {
  const { service, one, two, clock } = await openTwo()
  await one.add(fish(1))
  service.before = () => new Promise(() => {})
  const flushing = one.flush().catch(() => {})
  await settle()
  const aborted = new AbortController()
  clock.sleep = async () => aborted.abort(new Error('enough'))
  await expect(two.flush({ signal: aborted.signal })).rejects.toThrow('enough')
  await one.close({ signal: AbortSignal.abort() })
  await flushing
})

it('flush() resends the token of an earlier flush() call that was aborted during its request', async () => {
  const { service, one, two } = await openTwo()
  await one.add(fish(1, 5))
  service.after = () => {
    service.after = () => {}
    return new Promise(() => {})
  }
  const aborted = new AbortController()
  const flushing = expect(one.flush({ signal: aborted.signal })).rejects.toThrow('enough')
  await settle()
  aborted.abort(new Error('enough'))
  await flushing
  expect(await two.flush()).toMatchObject({ delivered: 5 })
  expect(service.requests[1]?.token).toBe(service.requests[0]?.token)
  expect(service.names(ALEX)).toEqual(numbers(1, 5))
})
