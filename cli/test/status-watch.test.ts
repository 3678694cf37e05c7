import type { Mock } from '@fish-crab/mocks'
import { describe, expect, test, vi } from 'vitest'
import { nextPollAt, rateLimitWindow } from '../src/kit/poll-until.ts'
import { run } from './harness.ts'
import { runWatch, START } from './run-watch.ts'

const clockText = (at: number) => new Date(at).toTimeString().slice(0, 8)
const lines = (text: string) => text.split('\n').slice(0, -1)

/** Delays the next response by 30 ms on the clock of the mock. */
function lateBy30(mock: Mock): void {
  mock.fail({ latencyMs: 30 })
  const before = mock.requests.length
  const waits = () => expect(mock.requests[before]?.status).toBe(200)
  vi.waitFor(waits, { interval: 5 }).then(() => mock.clock.advance(30))
}

test('status --watch prints a line only when the status changes', async () => {
  const { status, stdout, stderr, polls } = await runWatch(['status', '--watch'], {
    between({ mock, pause, stop }) {
      if (pause === 2) mock.fail('reset', { times: 3 })
      if (pause === 5) mock.fail('storage-down', { times: 1 })
      if (pause === 8) stop()
    },
  })
  expect({ status, stderr }).toEqual({ status: 130, stderr: '' })
  expect(polls).toHaveLength(9)
  expect(lines(stdout)).toEqual([
    expect.stringMatching(new RegExp(`^${clockText(START)}  ok  version \\S+  0 ms$`)),
    expect.stringMatching(
      new RegExp(`^${clockText(START + 45_000)}  down  No response from \\S+ \\(ECONNRESET\\)\\.$`),
    ),
    expect.stringMatching(new RegExp(`^${clockText(START + 90_000)}  down  \\S.*storage.*$`, 'i')),
    expect.stringMatching(new RegExp(`^${clockText(START + 105_000)}  ok  version `)),
  ])
})

test.each([
  ['status', '--watch'],
  ['list', '--watch'],
])(
  '%s %s exits if the first response is not from the service, even if the response follows an outage',
  async (...argv) => {
    const { status, polls } = await runWatch(argv, {
      before: (mock) => mock.fail('reset', { times: 2 }),
      between({ mock, pause, stop }) {
        if (pause === 1) mock.fail('wrong-shape')
        if (pause === 4) stop()
      },
    })
    expect({ status, polls: polls.length }).toEqual({ status: 1, polls: 3 })
  },
)

test('status --watch --json prints one document per line and no other output', async () => {
  const { stdout, stderr } = await runWatch(['status', '--watch', '--interval=20', '--json'], {
    terminal: true,
    between({ mock, pause, stop }) {
      if (pause === 0) mock.fail({ status: 500 }, { times: 1 })
      if (pause === 1) lateBy30(mock)
      if (pause === 2) stop()
    },
  })
  expect(stderr).toBe('')
  const found = lines(stdout).map((line) => JSON.parse(line))
  const ok = { status: 'ok', version: expect.any(String), latencyMs: 0, code: null, message: null }
  const at = (seconds: number) => new Date(START + seconds * 1000).toISOString()
  expect(found).toEqual([
    { ...ok, timestamp: at(0) },
    {
      timestamp: at(20),
      status: 'down',
      version: null,
      latencyMs: null,
      code: 'internal_error',
      message: expect.any(String),
    },
    { ...ok, timestamp: at(40.03), latencyMs: 30 },
  ])
})

test('status --watch starts while the service is down, and reserves requests for other commands', async () => {
  const { stdout, status, polls } = await runWatch(['status', '-w', '--csv'], {
    between({ mock, pause, stop }) {
      if (pause === 0) expect(mock.faults).toEqual([])
      if (pause === 45) stop()
    },
    env: {},
  })
  expect(status).toBe(130)
  expect(stdout).toMatch(/^timestamp,status,version,latencyMs,code,message\r\n\S+,ok,\S+,0,,\r\n$/)
  expect(Math.min(...polls.map(({ rateLimit }) => rateLimit?.remaining ?? 0))).toBe(5)
  const stop = new AbortController()
  const down = await run(['status', '--watch', '--url', 'http://127.0.0.1:1', '--json'], {
    interrupted: stop.signal,
    onStdout: () => stop.abort(new Error('Ctrl-C')),
  })
  expect(down.status).toBe(130)
  expect(JSON.parse(down.stdout)).toMatchObject({ status: 'down', code: 'unreachable' })
})

test('status --watch shows the times of the last and the next poll on a terminal, and removes the line at the end', async () => {
  const { stderr } = await runWatch(['status', '--watch'], {
    terminal: true,
    columns: 80,
    rows: 24,
    between: ({ pause, stop }) => pause === 1 && stop(),
  })
  const live = `ok, 0 ms · ${clockText(START + 15_000)}, next ${clockText(START + 30_000)} · version `
  expect(stderr).toContain(live)
  expect(stderr.endsWith('\r\u{1b}[J')).toBe(true)
})

test('status --watch exits if the server is not the service, and rejects flags that have no effect', async () => {
  const { status } = await runWatch(['status', '--watch'], {
    between: ({ mock }) => mock.fail({ status: 404, code: 'not_found' }),
  })
  expect(status).toBe(5)
  expect((await run(['status', '--interval', '5'])).status).toBe(2)
  expect((await run(['status', '--watch', '--csv', '--json'])).status).toBe(2)
})

describe('status --watch and the rate limit', () => {
  test('polls every 15 s, reserves a fifth of each window for other commands, and is never rejected', async () => {
    const { pauses, polls } = await runWatch(['status', '--watch'], {
      between: ({ pause, stop }) => pause === 59 && stop(),
    })
    expect(new Set(pauses)).toEqual(new Set([15_000]))
    expect(polls.map(({ rateLimit }) => rateLimit?.decision)).toEqual(polls.map(() => 'counted'))
    expect(Math.min(...polls.map(({ rateLimit }) => rateLimit?.remaining ?? 0))).toBe(5)
  })

  test('slows down if other commands use requests of the window, and never exhausts the window, whatever --interval is given', async () => {
    const { pauses, polls } = await runWatch(['status', '--watch', '--interval', '1'], {
      async between({ pause, useUp, stop }) {
        if (pause === 1) await useUp(12)
        if (pause === 20) stop()
      },
    })
    // Ten requests remain at 30 s: five are reserved for other commands, and five are for the 270 s until the window
    // ends.
    expect(pauses.slice(0, 4)).toEqual([15_000, 15_000, 45_000, 45_000])
    expect(pauses.at(-1)).toBe(15_000)
    expect(polls.every(({ rateLimit }) => rateLimit?.decision === 'counted')).toBe(true)
  })

  test('uses the given interval if there is no rate limit, and rejects an invalid interval', async () => {
    const { pauses, status } = await runWatch(['status', '--watch', '--interval', '2.5'], {
      withApiKey: true,
      between: ({ pause, stop }) => pause === 40 && stop(),
    })
    expect(status).toBe(130)
    expect(new Set(pauses)).toEqual(new Set([2500]))
    for (const interval of ['0', '0.5', '-1', 'x', '1e3', '100000']) {
      expect((await run(['status', '--watch', `--interval=${interval}`])).status, interval).toBe(2)
    }
  })
})

describe('the wait for the next poll', () => {
  const POLLED = { startedAt: 0, endedAt: 100, intervalMs: 15_000 }

  test('lasts until the next window if only the reserve for other commands remains', () => {
    const at = (remaining: number, resetInMs: number) =>
      nextPollAt({ ...POLLED, rateLimit: { limit: 25, remaining, resetInMs } })
    expect(at(5, 200_000)).toBe(200_100)
    expect(at(0, 200_000)).toBe(200_100)
    expect(at(24, 0)).toBe(15_000)
    expect(nextPollAt({ ...POLLED, endedAt: 20_000 })).toBe(20_000)
  })

  test('depends on the clock of the server, and never exceeds an hour', () => {
    const state = { limit: 25, remaining: 0, resetAt: new Date('2026-01-01T00:05:00Z') }
    const wrong = Date.parse('2020-01-01T00:00:00Z')
    expect(rateLimitWindow(state, 'Thu, 01 Jan 2026 00:04:00 GMT', wrong)?.resetInMs).toBe(60_000)
    expect(nextPollAt({ ...POLLED, rateLimit: rateLimitWindow(state, null, wrong) })).toBe(3_600_100)
    expect(rateLimitWindow(undefined, null, wrong)).toBeUndefined()
  })
})
