import { createMock } from '@fish-crab/mocks'
import { expect, it } from 'vitest'

// On a stopped clock, a request that misses the end of its latency would wait forever.
it('the latency of a request ends even if the clock is advanced just after the request is sent', async () => {
  const mock = await createMock({ startAt: 0 })
  mock.fail({ latencyMs: 60_000 })
  const response = mock.fetch('/status')
  await mock.clock.advance(60_000)
  expect((await response).status).toBe(200)
})

it('if the clock is advanced by a part of the latency of a request, the response is delayed by the remaining part', async () => {
  const mock = await createMock({ startAt: 0 })
  mock.fail({ latencyMs: 60_000 })
  const order: string[] = []
  const response = mock.fetch('/status').then(() => order.push('response'))
  await mock.clock.advance(40_000)
  await new Promise((resolve) => setTimeout(resolve, 5))
  order.push('moved')
  await mock.clock.advance(20_000)
  await response
  expect(order).toEqual(['moved', 'response'])
})

it('the latency of a request ends if the mock is reset just after the request is sent', async () => {
  const mock = await createMock({ startAt: 0 })
  await mock.clock.advance(1000)
  mock.fail({ latencyMs: 60_000 })
  const response = mock.fetch('/status')
  await mock.reset()
  expect((await response).status).toBe(200)
  expect(mock.requests).toEqual([])
})
