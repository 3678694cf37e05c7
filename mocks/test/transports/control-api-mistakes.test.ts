import { createMock } from '@fish-crab/mocks'
import { expect, it } from 'vitest'

/** Serves a mock, and returns the mock with a function that posts to the control API. */
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

it('the control API rejects an invalid clock change, and the clock stays unchanged', async () => {
  await using served = await serveMock()
  const response = await served.control('clock', JSON.stringify({ advanceMs: Number.MAX_SAFE_INTEGER }))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'invalid_payload', details: [{ path: '' }] })
  expect(served.mock.clock.now()).toBe(0)
})

it('the control API rejects a fault whose delay exceeds the range of timers', async () => {
  await using served = await serveMock()
  expect((await served.control('faults', JSON.stringify({ fault: { latencyMs: 2 ** 31 } }))).status).toBe(400)
  expect(served.mock.faults).toEqual([])
})

it('the control API rejects a body that is too large', async () => {
  await using served = await serveMock()
  const response = await served.control('clock', ' '.repeat(256 * 1024 + 1))
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ code: 'payload_too_large' })
})
