import { setTimeout as pause } from 'node:timers/promises'
import { createMock, type Mock, type MockOptions } from '@fish-crab/mocks'
import { startStandaloneMock } from '@fish-crab/mocks/standalone'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const START = Date.UTC(2026, 0, 1)
const LONG_MS = 60_000
const SHORT_MS = 40

/** A lane whose next request is late, and the clock by which it is. */
interface LateLane {
  readonly send: (init?: RequestInit) => Promise<Response>
  readonly advance: (milliseconds: number) => unknown
}
type Open = (latencyMs: number, time: Pick<MockOptions, 'startAt'>) => Promise<LateLane>

async function lateMock(latencyMs: number, time: Pick<MockOptions, 'startAt'>): Promise<Mock> {
  const mock = await createMock(time)
  mock.fail({ latencyMs })
  return mock
}

const LANES: Readonly<Record<string, Open>> = {
  async direct(latencyMs, time) {
    const { fetch, clock } = await lateMock(latencyMs, time)
    return { send: (init) => fetch('/status', init), advance: clock.advance }
  },

  async handlers(latencyMs, time) {
    const mock = await lateMock(latencyMs, time)
    const network = setupServer(...mock.handlers())
    network.listen({ onUnhandledFrame: 'error' })
    onTestFinished(() => network.close())
    return { send: (init) => fetch(`${mock.origin}/status`, init), advance: mock.clock.advance }
  },

  async intercepted(latencyMs, time) {
    const mock = await lateMock(latencyMs, time)
    await mock.listen()
    onTestFinished(() => mock[Symbol.asyncDispose]())
    return { send: (init) => fetch(`${mock.origin}/status`, init), advance: mock.clock.advance }
  },

  async served(latencyMs, time) {
    const mock = await lateMock(latencyMs, time)
    const { url } = await mock.serve()
    onTestFinished(() => mock[Symbol.asyncDispose]())
    return { send: (init) => fetch(`${url}/status`, init), advance: mock.clock.advance }
  },

  async standalone(latencyMs, time) {
    const { url, close } = await startStandaloneMock(time)
    onTestFinished(close)
    const steer = (what: string, body: object) =>
      fetch(`${url}/__mock/${what}`, { method: 'POST', body: JSON.stringify(body) })
    await steer('faults', { fault: { latencyMs } })
    return { send: (init) => fetch(`${url}/status`, init), advance: (advanceMs) => steer('clock', { advanceMs }) }
  },
}

describe.each(Object.entries(LANES))('latency on the %s lane', (_, open) => {
  it('lasts while the clock stands still, and is over when that is moved on', async () => {
    const { send, advance } = await open(LONG_MS, { startAt: START })
    const answered = vi.fn()
    const answer = send().then(answered)
    await pause(SHORT_MS)
    await advance(LONG_MS / 10)
    await pause(5)
    expect(answered).not.toHaveBeenCalled()
    // Again and again: nobody outside knows since when a request is waiting.
    await vi.waitFor(
      async () => {
        await advance(LONG_MS)
        expect(answered).toHaveBeenCalled()
      },
      { interval: 10, timeout: 5000 },
    )
    await answer
    expect(answered.mock.calls[0]?.[0]).toMatchObject({ status: 200 })
  })

  it('passes in real time while the clock goes on', async () => {
    const { send } = await open(SHORT_MS, {})
    const startedAt = performance.now()
    expect((await send()).status).toBe(200)
    // Timers may be a little early.
    expect(performance.now() - startedAt).toBeGreaterThan(SHORT_MS - 2)
  })

  it('is cut short by moving a clock that goes on', async () => {
    const { send, advance } = await open(LONG_MS, {})
    const answered = vi.fn()
    const answer = send().then(answered)
    await vi.waitFor(
      async () => {
        await advance(LONG_MS)
        expect(answered).toHaveBeenCalled()
      },
      { interval: 10, timeout: 5000 },
    )
    await answer
  })

  it('holds nobody who gives up', async () => {
    const { send } = await open(LONG_MS, { startAt: START })
    await expect(send({ signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await send()).status).toBe(200)
  })
})
