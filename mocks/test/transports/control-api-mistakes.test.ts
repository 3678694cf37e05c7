import { createMock } from '@fish-crab/mocks'
import { expect, it } from 'vitest'

/** A mock that is served, and a way to steer it. */
async function served() {
  const mock = await createMock({ startAt: 0 })
  const { url } = await mock.serve()
  const steer = (what: string, body: BodyInit) =>
    fetch(`${url}/__mock/${what}`, {
      method: 'POST',
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    })
  return { mock, steer, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() }
}

it('a clock that shall go where no Date is says so, and stays', async () => {
  await using world = await served()
  const answer = await world.steer('clock', JSON.stringify({ advanceMs: Number.MAX_SAFE_INTEGER }))
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ code: 'invalid_payload', details: [{ path: '' }] })
  expect(world.mock.clock.now()).toBe(0)
})

it('a fault that would wait longer than timers do is refused', async () => {
  await using world = await served()
  expect((await world.steer('faults', JSON.stringify({ fault: { latencyMs: 2 ** 31 } }))).status).toBe(400)
  expect(world.mock.faults).toEqual([])
})

it('a body that is larger than any that steers is refused', async () => {
  await using world = await served()
  const answer = await world.steer('clock', ' '.repeat(256 * 1024 + 1))
  expect(answer.status).toBe(413)
  expect(await answer.json()).toMatchObject({ code: 'payload_too_large' })
})
