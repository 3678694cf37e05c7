import { createMock, type Mock, type MockOptions } from '@fish-crab/mocks'
import { startStandaloneMock } from '@fish-crab/mocks/standalone'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished } from 'vitest'

const START = Date.UTC(2026, 0, 1)
const LONG_MS = 60_000
const SHORT_MS = 40

/** A transport that delays the next request, with the controls of the mock's clock. */
interface LateTransport {
  readonly send: (init?: RequestInit) => Promise<Response>
  readonly advance: (milliseconds: number) => unknown
  /** Returns the number of requests that the mock has received. */
  readonly arrived: () => number | Promise<number>
}
type Open = (latencyMs: number, time: Pick<MockOptions, 'startAt'>) => Promise<LateTransport>

async function lateMock(latencyMs: number, time: Pick<MockOptions, 'startAt'>): Promise<Mock> {
  const mock = await createMock(time)
  mock.fail({ latencyMs })
  return mock
}

const controlsOf = (mock: Mock) => ({ advance: mock.clock.advance, arrived: () => mock.requests.length })

const TRANSPORTS: Readonly<Record<string, Open>> = {
  async direct(latencyMs, time) {
    const mock = await lateMock(latencyMs, time)
    return { ...controlsOf(mock), send: (init) => mock.fetch('/status', init) }
  },

  async handlers(latencyMs, time) {
    const mock = await lateMock(latencyMs, time)
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    onTestFinished(() => network.close())
    return { ...controlsOf(mock), send: (init) => fetch(`${mock.origin}/status`, init) }
  },

  async intercepted(latencyMs, time) {
    const mock = await lateMock(latencyMs, time)
    await mock.listen()
    onTestFinished(() => mock[Symbol.asyncDispose]())
    return { ...controlsOf(mock), send: (init) => fetch(`${mock.origin}/status`, init) }
  },

  async served(latencyMs, time) {
    const mock = await lateMock(latencyMs, time)
    const { url } = await mock.serve()
    onTestFinished(() => mock[Symbol.asyncDispose]())
    return { ...controlsOf(mock), send: (init) => fetch(`${url}/status`, init) }
  },

  async standalone(latencyMs, time) {
    const { url, close } = await startStandaloneMock(time)
    onTestFinished(close)
    const steer = (what: string, body: object) =>
      fetch(`${url}/__mock/${what}`, { method: 'POST', body: JSON.stringify(body) })
    await steer('faults', { fault: { latencyMs } })
    return {
      send: (init) => fetch(`${url}/status`, init),
      advance: (advanceMs) => steer('clock', { advanceMs }),
      arrived: async () => (await (await fetch(`${url}/__mock/requests`)).json()).requests.length,
    }
  },
}

describe.each(Object.entries(TRANSPORTS))('latency on the %s transport', (_, open) => {
  it('lasts while the clock is stopped, and ends when the clock is advanced', async () => {
    const { send, advance, arrived } = await open(LONG_MS, { startAt: START })
    const order: string[] = []
    const response = send().finally(() => order.push('late'))
    await expect.poll(arrived, { interval: 5 }).toBe(1)
    await advance(LONG_MS / 10)
    // This second request must complete before the delayed request.
    await send().finally(() => order.push('not late'))
    await advance(LONG_MS)
    expect(await response).toMatchObject({ status: 200 })
    expect(order).toEqual(['not late', 'late'])
  })

  it('takes real time on a running clock', async () => {
    const { send } = await open(SHORT_MS, {})
    const startedAt = performance.now()
    expect((await send()).status).toBe(200)
    // Timers may fire slightly early.
    expect(performance.now() - startedAt).toBeGreaterThan(SHORT_MS - 2)
  })

  it('ends early if a running clock is advanced', async () => {
    const { send, advance, arrived } = await open(LONG_MS, {})
    const response = send()
    await expect.poll(arrived, { interval: 5 }).toBe(1)
    await advance(LONG_MS)
    expect((await response).status).toBe(200)
  })

  it('ends when the client aborts', async () => {
    const { send, arrived } = await open(LONG_MS, { startAt: START })
    const giveUp = new AbortController()
    const response = send({ signal: giveUp.signal })
    const rejected = expect(response).rejects.toThrow('enough')
    await expect.poll(arrived, { interval: 5 }).toBe(1)
    giveUp.abort(new Error('enough'))
    await rejected
    expect((await send()).status).toBe(200)
  })
})
