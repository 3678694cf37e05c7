import { createMock } from '@fish-crab/mocks'
import { expect, it } from 'vitest'

// On a clock that stands still, a request that misses its moment waits for ever.
it('latency is over for a request that just came when the clock is moved on', async () => {
  const mock = await createMock({ startAt: 0 })
  mock.fail({ latencyMs: 60_000 })
  const answer = mock.fetch('/status')
  await mock.clock.advance(60_000)
  expect((await answer).status).toBe(200)
})

it('latency goes on for the rest of its time when the clock is moved by a part of it', async () => {
  const mock = await createMock({ startAt: 0 })
  mock.fail({ latencyMs: 60_000 })
  const order: string[] = []
  const answer = mock.fetch('/status').then(() => order.push('answer'))
  await mock.clock.advance(40_000)
  await new Promise((resolve) => setTimeout(resolve, 5))
  order.push('moved')
  await mock.clock.advance(20_000)
  await answer
  expect(order).toEqual(['moved', 'answer'])
})

it('latency is over for a request that just came when the world is reset', async () => {
  const mock = await createMock({ startAt: 0 })
  await mock.clock.advance(1000)
  mock.fail({ latencyMs: 60_000 })
  const answer = mock.fetch('/status')
  await mock.reset()
  expect((await answer).status).toBe(200)
  expect(mock.requests).toEqual([])
})
