import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'

const START = Date.UTC(2026, 0, 1)
const WINDOW_MS = 300_000

afterEach(() => {
  vi.useRealTimers()
})

describe("a mock's clock", () => {
  it('is stopped at startAt until a test advances it, and rejects invalid durations', async () => {
    const { clock } = await createMock({ startAt: new Date(START) })
    await clock.advance(1500)
    expect(clock.now()).toBe(START + 1500)
    expect(() => clock.advance(-1)).toThrow(RangeError)
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
  })

  it("follows vitest's fake timers", async () => {
    vi.useFakeTimers({ now: START })
    const mock = await createMock({ limits: { requests: 1 } })
    const statuses = async () => [(await mock.fetch('/status')).status, (await mock.fetch('/status')).status]
    expect(await statuses()).toEqual([200, 429])
    vi.advanceTimersByTime(WINDOW_MS)
    expect(await statuses()).toEqual([200, 429])
    await mock.clock.advance(WINDOW_MS)
    expect(await statuses()).toEqual([200, 429])
  })

  it('follows a given clock, and adds the advanced time', async () => {
    let time = 5
    const { clock } = await createMock({ clock: { now: () => time } })
    time = 7
    await clock.advance(100)
    expect(clock.now()).toBe(107)
  })

  it('completes a delayed request when the mock is reset', async () => {
    const mock = await createMock({ startAt: START })
    mock.fail({ latencyMs: 60_000 })
    const late = mock.fetch('/status')
    await expect.poll(() => mock.requests[0]?.status, { interval: 5 }).toBe(200)
    await mock.reset()
    expect((await late).status).toBe(200)
  })

  it('stays at the start if the mock is reset during an advance', async () => {
    const mock = await createMock({ startAt: START })
    const advanced = mock.clock.advance(60_000)
    await mock.reset()
    await advanced
    expect(mock.clock.now()).toBe(START)
  })

  it('wakes sleepers when they are due, and rejects aborted sleepers', async () => {
    const { clock } = await createMock({ startAt: START })
    const giveUp = new AbortController()
    const woken: string[] = []
    const late = clock.sleep(2000).then(() => woken.push('late'))
    const early = clock.sleep(1000).then(() => woken.push('early'))
    const never = clock.sleep(500, giveUp.signal)
    giveUp.abort(new Error('no longer'))
    await expect(never).rejects.toThrow('no longer')
    await clock.advance(1000)
    await early
    expect(woken).toEqual(['early'])
    await clock.advance(1000)
    await late
    expect(woken).toEqual(['early', 'late'])
  })

  it('lets an SDK client wait for the rate limit without a real delay', async () => {
    const mock = await createMock({ startAt: START, limits: { requests: 1 }, seed: { users: [{ name: 'Alex' }] } })
    const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
    await client.fish.list()
    const second = client.fish.list()
    await mock.clock.advance(WINDOW_MS)
    await second
    expect(mock.requests.map(({ rateLimit }) => rateLimit?.decision)).toEqual(['counted', 'counted'])
  })

  it('can be advanced through thousands of windows in sequence', async () => {
    const mock = await createMock({ startAt: START, limits: { requests: 1 } })
    for (let count = 0; count < 2000; count += 1) {
      expect((await mock.fetch('/status')).status).toBe(200)
      await mock.clock.advance(WINDOW_MS)
    }
  })
})
