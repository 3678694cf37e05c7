import { PassThrough } from 'node:stream'
import type { Mock } from '@fish-crab/mocks'
import { describe, expect, test } from 'vitest'
import { interruption } from '../src/core/errors.ts'
import { createStatusLine } from '../src/output/status-line.ts'
import { createLiveView } from '../src/poll/live-view.ts'
import { nextPollAt, rateLimitWindow } from '../src/poll/poll-until.ts'
import { run, startImpostor } from './harness.ts'
import { runWatch, START } from './run-watch.ts'

const clockText = (at: number) => new Date(at).toTimeString().slice(0, 8)
const lines = (text: string) => text.split('\n').slice(0, -1)
const COD = { name: 'Cod', rarity: 1, caughtAt: new Date(START - 3_600_000).toISOString() } as const

describe('list --watch where stdout is no terminal', () => {
  test('prints each new catch as a line as it comes, and none that was there before', async () => {
    const seen: string[] = []
    const { status, stdout, stderr } = await runWatch(['list', '--watch'], {
      fish: [COD],
      async between({ pause, stdout, add, stop }) {
        seen.push(stdout)
        if (pause === 0) await add('Salmon', 2)
        if (pause === 2) await Promise.all([add('Koi', 3)])
        if (pause === 3) stop()
      },
    })
    expect(seen).toEqual(['', 'Salmon  Silver\n', 'Salmon  Silver\n', 'Salmon  Silver\nKoi  Gold\n'])
    expect({ status, stdout }).toEqual({ status: 130, stdout: seen.at(-1) })
    expect(stderr).toBe('fish-cli: Watching the fish of Alex in earth, 1 so far.\n')
  })

  test.each(['-ojsonl', '--json'])('with %s prints lines of JSON', async (flag) => {
    const { status, stdout, stderr } = await runWatch(['list', 'fish', 'alex', '-w', flag], {
      async between({ pause, add, stop }) {
        if (pause < 2) await add(`Fish ${pause}`)
        else stop()
      },
    })
    expect(status).toBe(130)
    if (flag === '--json') expect(stderr).toBe('')
    expect(lines(stdout).map((line) => JSON.parse(line))).toEqual([
      { name: 'Fish 0', rarity: 'Bronze' },
      { name: 'Fish 1', rarity: 'Bronze' },
    ])
  })

  test('with --detail, --fields, --filter, --since and --limit shows what these say, and ends at the limit', async () => {
    const fields = ['--fields', 'name,caughtAt', '--detail']
    const more = await runWatch(
      ['list', '--watch', '-o', 'csv', ...fields, '--since', '2h', '--filter', 'o', '--limit', '2'],
      {
        fish: [COD, { ...COD, name: 'Old Cod', caughtAt: new Date(START - 9_000_000).toISOString() }],
        async between({ add }) {
          await Promise.all([add('Eel'), add('Koi'), add('Koi')])
        },
      },
    )
    expect(more.status).toBe(0)
    expect(more.stdout.split('\r\n')).toEqual([
      'name,caughtAt',
      `Cod,${COD.caughtAt}`,
      `Koi,${new Date(START).toISOString()}`,
      '',
    ])
  })

  test('with --chart prints the counts that changed', async () => {
    const { stdout } = await runWatch(['list', '--watch', '--chart', '-o', 'jsonl'], {
      fish: [COD, { name: 'Koi', rarity: 3 }],
      async between({ pause, add, stop }) {
        if (pause === 0) await add('Koi', 3)
        else stop()
      },
    })
    expect(lines(stdout).map((line) => JSON.parse(line))).toEqual([
      { rarity: 'Bronze', count: 1 },
      { rarity: 'Gold', count: 1 },
      { rarity: 'Gold', count: 2 },
    ])
  })

  test('prints each new catch once although many come at once', async () => {
    const { stdout } = await runWatch(['list', '--watch'], {
      fish: [COD],
      async between({ pause, add, stop }) {
        if (pause === 0) await Promise.all(Array.from({ length: 40 }, (_, at) => add(`Fish ${at}`)))
        if (pause === 2) stop()
      },
    })
    expect(new Set(lines(stdout)).size).toBe(40)
    expect(lines(stdout)).toHaveLength(40)
  })
})

describe('list --watch and the rate limit', () => {
  test('polls every 15 s, leaves a fifth of each window to others, and is never refused', async () => {
    const { pauses, polls } = await runWatch(['list', '--watch'], {
      between: ({ pause, stop }) => pause === 59 && stop(),
    })
    expect(new Set(pauses)).toEqual(new Set([15_000]))
    expect(polls.map(({ rateLimit }) => rateLimit?.decision)).toEqual(polls.map(() => 'counted'))
    expect(Math.min(...polls.map(({ rateLimit }) => rateLimit?.remaining ?? 0))).toBe(5)
  })

  test('reads the whole collection only when it changed', async () => {
    const { polls } = await runWatch(['list', '--watch'], {
      async between({ pause, add, stop }) {
        if (pause === 2) await add('Koi')
        if (pause === 4) stop()
      },
    })
    expect(polls.map(({ status }) => status)).toEqual([200, 304, 304, 200, 304])
  })

  test('slows down where others use the window too, and at any --interval lets it last to its end', async () => {
    const { pauses, polls } = await runWatch(['list', '--watch', '--interval', '1'], {
      async between({ pause, useUp, stop }) {
        if (pause === 1) await useUp(12)
        if (pause === 20) stop()
      },
    })
    // Ten are left at 30 s: five of them for others, and five for the 270 s until the end.
    expect(pauses.slice(0, 4)).toEqual([15_000, 15_000, 45_000, 45_000])
    expect(pauses.at(-1)).toBe(15_000)
    expect(polls.every(({ rateLimit }) => rateLimit?.decision === 'counted')).toBe(true)
  })

  test('uses the given interval where no limit applies', async () => {
    const { pauses, status } = await runWatch(['list', '--watch', '--interval', '2.5'], {
      withApiKey: true,
      between: ({ pause, stop }) => pause === 40 && stop(),
    })
    expect(status).toBe(130)
    expect(new Set(pauses)).toEqual(new Set([2500]))
  })
})

describe('list --watch when the service goes away', () => {
  test('says so once, goes on at each interval, and says when it is back', async () => {
    const { status, stdout, stderr, pauses } = await runWatch(['list', '--watch'], {
      async between({ mock, pause, add, stop }) {
        if (pause === 0) {
          await add('Koi')
          mock.fail('reset', { times: 2 })
          mock.fail({ status: 503 }, { times: 1 })
        }
        if (pause === 4) stop()
      },
    })
    expect(status).toBe(130)
    expect(stdout).toBe('Koi  Bronze\n')
    expect(pauses).toHaveLength(5)
    expect(lines(stderr)).toEqual([
      'fish-cli: Watching the fish of Alex in earth, 0 so far.',
      expect.stringMatching(/^fish-cli: No response from http:\S+ \(ECONNRESET\)\. Polling continues\.$/),
      'fish-cli: The service responds again, after 45 s.',
    ])
  })

  test.each([['down', 'reset'] as const, ['unwell', { status: 503 }] as const, ['limited', { status: 429 }] as const])(
    'begins also with a service that is %s, says so with what to do, and goes on until there is an answer',
    async (_, fault) => {
      const { status, stdout, stderr, pauses } = await runWatch(['list', '--watch', '--no-wait'], {
        fish: [COD],
        // The first poll is retried twice.
        before: (mock) => mock.fail(fault, { times: 4 }),
        async between({ mock, stdout, add, stop }) {
          if (stdout !== '') stop()
          else if (mock.requests.at(-1)?.status === 200) await add('Koi')
        },
      })
      expect(status).toBe(130)
      expect(stdout).toBe('Koi  Bronze\n')
      expect(pauses.length).toBeGreaterThan(3)
      expect(stderr).toMatch(/^fish-cli: \S.+ Polling continues\.$/m)
      expect(stderr.includes('\n  Is the service running')).toBe(fault === 'reset')
      expect(stderr.match(/Polling continues/g)).toHaveLength(1)
      expect(stderr).toMatch(/The service responds again, after .+\.\n[\s\S]*Watching the fish of Alex in earth/)
    },
  )

  test('with a service that is down from the beginning ends at Ctrl-C with 130', async () => {
    const stop = new AbortController()
    const pauses: number[] = []
    const { status, stdout, stderr } = await run(['list', 'fish', 'Alex', '-g', 'earth', '--watch'], {
      env: { FISH_URL: 'http://127.0.0.1:1' },
      interrupted: stop.signal,
      clock: {
        now: () => START,
        async sleep(ms) {
          if (pauses.push(ms) > 5) stop.abort(interruption())
        },
      },
    })
    expect({ status, stdout }).toEqual({ status: 130, stdout: '' })
    expect(pauses).toContain(15_000)
    expect(lines(stderr).slice(-2)).toEqual([
      'fish-cli: No response from http://127.0.0.1:1: bad port. Polling continues.',
      '  Is the service running, and is --url (or FISH_URL) right?',
    ])
  })

  test('says under --json too that it goes on, for nothing else would', async () => {
    const { stdout, stderr } = await runWatch(['list', '--watch', '--json'], {
      before: (mock) => mock.fail('reset', { times: 4 }),
      between: ({ pause, stop }) => pause === 3 && stop(),
    })
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^fish-cli: No response from .+ Polling continues\.\n/m)
  })

  test('ends where polling again cannot help: an unknown player, missing rights, or another server', async () => {
    const never = () => Promise.reject(new Error('There is nothing to wait for.'))
    expect((await runWatch(['list', 'fish', 'Nobody', '--watch'], { between: never })).status).toBe(5)
    for (const [status, exit] of [
      [400, 2],
      [401, 4],
      [403, 4],
      [404, 5],
    ] as const) {
      const before = (mock: Mock) => mock.fail({ status })
      expect((await runWatch(['list', '--watch'], { before, between: never })).status, `${status}`).toBe(exit)
    }
    const impostor = await startImpostor((_, response) => response.end('<html>'))
    const env = { FISH_URL: impostor.url }
    expect((await run(['list', 'fish', 'Alex', '-g', 'earth', '--watch'], { env })).status).toBe(1)
    expect((await run(['status', '--watch'], { env })).status).toBe(1)
    impostor.close()
  })

  test('ends as list does where the player is no more', async () => {
    const { status, stderr } = await runWatch(['list', '--watch'], {
      between: ({ mock }) => mock.fail({ status: 404 }),
    })
    expect(status).toBe(5)
    expect(stderr).toMatch(/\n {2}Check the spelling/)
  })

  test('rejects what it cannot do before any request', async () => {
    const status = async (...argv: string[]) =>
      (await run(['list', ...argv], { env: { FISH_URL: 'http://127.0.0.1:1' } })).status
    for (const interval of ['0', '0.5', '-1', 'x', '1e3', '100000']) {
      expect(await status('Alex', '-g', 'earth', '--watch', `--interval=${interval}`), interval).toBe(2)
    }
    expect(await status('Alex', '-g', 'earth', '--interval', '5')).toBe(2)
    expect(await status('Alex', '-g', 'earth', '--watch', '--fields', 'nothing')).toBe(2)
  })
})

const ESCAPE = '\u{1b}'

/** What a terminal of so many columns shows in the end. Knows what a view uses: up, to the start, erase below. */
function screenAfter(text: string, columns: number): string[] {
  const rows: string[] = ['']
  let [row, column] = [0, 0]
  const put = (character: string) => {
    if (column === columns) {
      row += 1
      column = 0
    }
    const line = (rows[row] ?? '').padEnd(column)
    rows[row] = line.slice(0, column) + character + line.slice(column + 1)
    column += 1
  }
  for (let at = 0; at < text.length; at += 1) {
    const found = text[at] === ESCAPE ? /^\[(\d*)([A-Z])/.exec(text.slice(at + 1, at + 8)) : null
    if (found) {
      if (found[2] === 'A') row = Math.max(0, row - Number(found[1] || 1))
      if (found[2] === 'J') rows.splice(row, rows.length, (rows[row] ?? '').slice(0, column))
      if (found[2] === 'K') rows[row] = ''
      at += found[0].length
    } else if (text[at] === '\n') {
      row += 1
      column = 0
      rows[row] ??= ''
    } else if (text[at] === '\r') column = 0
    else put(text[at] ?? '')
  }
  return rows
}

describe('list --watch on a terminal', () => {
  const SIZE = { terminal: true, columns: 80, rows: 24 }

  test('draws the table anew in place, with when it was read and will be again', async () => {
    const screens: string[][] = []
    const { status, stdout } = await runWatch(['list', '--watch'], {
      ...SIZE,
      fish: [COD],
      async between({ pause, stdout, add, stop }) {
        screens.push(screenAfter(stdout, 80))
        if (pause === 0) await add('Koi', 3)
        if (pause === 1) stop()
      },
    })
    const head = (at: number) => `Refreshed ${clockText(at)}, next ${clockText(at + 15_000)}`
    expect(screens).toEqual([
      [`${head(START)} · Alex, earth: 1 fish`, 'FISH  RARITY', 'Cod   Bronze', ''],
      [`${head(START + 15_000)} · Alex, earth: 2 fish`, 'FISH  RARITY', 'Cod   Bronze', 'Koi   Gold', ''],
    ])
    expect(status).toBe(130)
    expect(screenAfter(stdout, 80)).toEqual(screens[1])
  })

  test.each([
    [40, 10],
    [80, 24],
    [20, 6],
  ])('fits %d columns and %d lines, and shows what came last', async (columns, rows) => {
    const { stdout } = await runWatch(['list', '--watch', '--detail'], {
      terminal: true,
      columns,
      rows,
      fish: Array.from({ length: 50 }, (_, at) => ({ name: `Fish of some length ${at}`, rarity: 1 })),
      between: ({ pause, stop }) => pause === 2 && stop(),
    })
    const screen = screenAfter(stdout, columns)
    expect(screen.length).toBeLessThanOrEqual(rows)
    expect(screen[0]).toMatch(/^Refreshed \d\d:\d\d/)
    if (columns === 80) expect(screen[0]).toContain('Alex, earth: 50 fish')
    expect(screen.join('')).not.toContain('Fish of some length 0 ')
  })

  test('with --sort shows the first, with --chart the bars', async () => {
    const fish = Array.from({ length: 50 }, (_, at) => ({ name: `Fish ${at}`, rarity: 1 }) as const)
    const stop = { between: ({ stop }: { stop(): void }) => stop() }
    const sorted = await runWatch(['list', '--watch', '--sort=-name'], { ...SIZE, fish, ...stop })
    expect(screenAfter(sorted.stdout, 80)[2]).toBe('Fish 49  Bronze')
    expect(screenAfter(sorted.stdout, 80)[0]).toMatch(/: 50 fish, the first 21 shown$/)
    const chart = await runWatch(['list', '--watch', '--chart'], { ...SIZE, fish, ...stop })
    const screen = screenAfter(chart.stdout, 80)
    expect(screen[1]).toMatch(/^Bronze +█+ 50$/)
    expect(screen).toHaveLength(9)
  })

  test('keeps the table and says since when there is no response; messages stand above it', async () => {
    let during: string[] = []
    const { stderr } = await runWatch(['list', '--watch'], {
      ...SIZE,
      fish: [COD],
      between({ mock, pause, stdout, stop }) {
        if (pause === 0) mock.fail('reset', { times: 1 })
        if (pause === 1) during = screenAfter(stdout, 80)
        if (pause === 2) stop()
      },
    })
    expect(during[0]).toContain(`Refreshed ${clockText(START)}, no response since ${clockText(START + 15_000)}, next`)
    expect(during[2]).toBe('Cod   Bronze')
    expect(stderr).toMatch(/Polling\s+continues\.\n[\s\S]*The service responds again, after 15 s\.\n/)
  })

  test('draws anew when the terminal is resized, over lines that were wrapped by that', () => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
    let text = ''
    stdout.on('data', (piece: Buffer) => (text += piece.toString()))
    const io = { env: {}, stdout, line: createStatusLine({ env: {}, stderr: stdout }) }
    const before = stdout.listenerCount('resize')
    const view = createLiveView(io)
    view.show(({ width = 0 }) => `${'='.repeat(width)}\nCod`)
    // 80 cells take three lines of 30.
    stdout.columns = 30
    text = `${'='.repeat(80)}\nCod\n`
    stdout.emit('resize')
    expect(screenAfter(text, 30)).toEqual(['='.repeat(30), 'Cod', ''])
    view.say('A message.')
    expect(screenAfter(text, 30)).toEqual(['A message.', '='.repeat(30), 'Cod', ''])
    text += '^C'
    view.end()
    expect(screenAfter(text, 30)).toEqual(['A message.', '='.repeat(30), 'Cod', ''])
    expect(stdout.listenerCount('resize')).toBe(before)
  })
})

describe('the pace of a watch', () => {
  const POLLED = { startedAt: 0, endedAt: 100, intervalMs: 15_000 }

  test('waits for the next window where only what is left to others is left', () => {
    const at = (remaining: number, resetInMs: number) =>
      nextPollAt({ ...POLLED, rateLimit: { limit: 25, remaining, resetInMs } })
    expect(at(5, 200_000)).toBe(200_100)
    expect(at(0, 200_000)).toBe(200_100)
    expect(at(24, 0)).toBe(15_000)
    expect(nextPollAt({ ...POLLED, endedAt: 20_000 })).toBe(20_000)
  })

  test('goes by the clock of the server, and by none for longer than an hour', () => {
    const state = { limit: 25, remaining: 0, resetAt: new Date('2026-01-01T00:05:00Z') }
    const wrong = Date.parse('2020-01-01T00:00:00Z')
    expect(rateLimitWindow(state, 'Thu, 01 Jan 2026 00:04:00 GMT', wrong)?.resetInMs).toBe(60_000)
    expect(nextPollAt({ ...POLLED, rateLimit: rateLimitWindow(state, null, wrong) })).toBe(3_600_100)
    expect(rateLimitWindow(undefined, null, wrong)).toBeUndefined()
  })
})
