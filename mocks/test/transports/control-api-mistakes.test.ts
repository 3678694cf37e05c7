import { createMock } from '@fish-crab/mocks'
import { expect, it } from 'vitest'

/** A mock that is served, and a way to control it. */
async function serveMock() {
  const mock = await createMock({ startAt: 0 })
  const { url } = await mock.serve()
  const control = (what: string, body: BodyInit) =>
    fetch(`${url}/__mock/${what}`, {
      method: 'POST',
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    })
  return { mock, control, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() }
}

it('an invalid clock change is an error and has no effect', async () => {
  await using served = await serveMock()
  const response = await served.control('clock', JSON.stringify({ advanceMs: Number.MAX_SAFE_INTEGER }))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'invalid_payload', details: [{ path: '' }] })
  expect(served.mock.clock.now()).toBe(0)
})

it('a fault with a delay beyond the range of timers is rejected', async () => {
  await using served = await serveMock()
  expect((await served.control('faults', JSON.stringify({ fault: { latencyMs: 2 ** 31 } }))).status).toBe(400)
  expect(served.mock.faults).toEqual([])
})

it('a body that is too large is rejected', async () => {
  await using served = await serveMock()
  const response = await served.control('clock', ' '.repeat(256 * 1024 + 1))
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ code: 'payload_too_large' })
})
