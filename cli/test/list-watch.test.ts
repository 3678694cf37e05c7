import { PassThrough } from 'node:stream'
import type { Mock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { describe, expect, test } from 'vitest'
import { createLiveView } from '../src/terminal/live-view.ts'
import { createStatusLine } from '../src/terminal/status-line.ts'
import { run, startImpostor } from './harness.ts'
import { type During, runWatch, START } from './run-watch.ts'

const clockText = (at: number) => new Date(at).toTimeString().slice(0, 8)
const lines = (text: string) => text.split('\n').slice(0, -1)
const COD = { name: 'Cod', rarity: 1, caughtAt: new Date(START - 3_600_000).toISOString() } as const

describe('list --watch without a terminal', () => {
  test('prints each new catch immediately as a line, but prints no earlier catches', async () => {
    const seen: string[] = []
    const { status, stdout, stderr } = await runWatch(['list', '--watch'], {
      fish: [COD],
      async during({ live, lines, add }) {
        await live()
        for (const [at, name] of ['Salmon', 'Koi'].entries()) {
          await add(name, 2)
          seen.push(await lines(at + 1))
        }
      },
    })
    expect(seen).toEqual(['Salmon  Silver\n', 'Salmon  Silver\nKoi  Silver\n'])
    expect({ status, stdout }).toEqual({ status: 130, stdout: seen.at(-1) })
    expect(stderr).toBe('fish-cli: Watching the fish of Alex in earth, 1 so far.\n')
  })

  test('with --json, prints one document per line and no messages', async () => {
    const { status, stdout, stderr } = await runWatch(['list', 'fish', 'alex', '-w', '--json'], {
      async during({ live, lines, add }) {
        await live()
        await add('Fish 0')
        await add('Fish 1')
        await lines(2)
      },
    })
    expect(status).toBe(130)
    expect(stderr).toBe('')
    expect(lines(stdout).map((line) => JSON.parse(line))).toEqual([
      { name: 'Fish 0', rarity: 'Bronze' },
      { name: 'Fish 1', rarity: 'Bronze' },
    ])
  })

  test('respects --detail, --filter and --since, and ends at --limit', async () => {
    const more = await runWatch(
      ['list', '--watch', '--csv', '--detail', '--since', '2h', '--filter', 'o', '--limit', '2'],
      {
        fish: [COD, { ...COD, name: 'Old Cod', caughtAt: new Date(START - 9_000_000).toISOString() }],
        async during({ live, lines, add }) {
          await live()
          await Promise.all([add('Eel'), add('Koi'), add('Koi')])
          await lines(3)
        },
      },
    )
    expect(more.status).toBe(0)
    const rows = more.stdout.split('\r\n')
    expect(rows.map((row) => row.split(',').slice(0, 3).join(','))).toEqual([
      'name,rarity,caughtAt',
      `Cod,Bronze,${COD.caughtAt}`,
      `Koi,Bronze,${new Date(START).toISOString()}`,
      '',
    ])
  })

  test('follows crabs, which have no rarity', async () => {
    const { stdout } = await runWatch(['list', 'crabs', '--watch', '--json'], {
      async during({ live, lines, add, addCrab }) {
        await live()
        await add('Koi')
        await addCrab('Hermit')
        await lines(1)
      },
    })
    expect(lines(stdout).map((line) => JSON.parse(line))).toEqual([{ name: 'Hermit' }])
  })

  test('prints each new catch once, even if many catches arrive at the same time or while the command starts', async () => {
    const { stdout } = await runWatch(['list', '--watch'], {
      fish: [COD],
      async during({ says, live, lines, add }) {
        await says(/Watching/)
        const early = Array.from({ length: 40 }, (_, at) => add(`Early ${at}`))
        await live()
        await Promise.all([...early, ...Array.from({ length: 40 }, (_, at) => add(`Late ${at}`))])
        await lines(80)
      },
    })
    expect(new Set(lines(stdout)).size).toBe(80)
    expect(lines(stdout)).toHaveLength(80)
  })

  test('prints every catch of a request that adds several catches', async () => {
    const { stdout } = await runWatch(['list', '--watch'], {
      async during({ mock, live, lines }) {
        await live()
        const alex = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
        await alex.fish.add([
          { name: 'Koi', rarity: 1 },
          { name: 'Koi', rarity: 1 },
        ])
        await lines(2)
      },
    })
    expect(stdout).toBe('Koi  Bronze\nKoi  Bronze\n')
  })
})

describe('list --watch and the rate limit', () => {
  test('sends only three requests, however many catches arrive, and the last response has no body', async () => {
    const { polls } = await runWatch(['list', '--watch'], {
      async during({ live, lines, add }) {
        await live()
        for (let at = 1; at <= 10; at += 1) {
          await add(`Fish ${at}`)
          await lines(at)
        }
      },
    })
    expect(polls.map(({ route, status }) => `${route} ${status}`)).toEqual(['getFish 200', 'events 200', 'getFish 304'])
  })

  test('polls the list every 15 s while the service has too many open streams', async () => {
    const { stdout, stderr, pauses, status } = await runWatch(['list', '--watch'], {
      before: (mock) => mock.fail({ status: 503 }, { on: 'events', times: 3 }),
      async between({ add, pause }) {
        if (pause < 3) await add(`Fish ${pause}`)
      },
      async during({ live, lines }) {
        await lines(3)
        await live()
      },
    })
    expect({ status, pauses }).toEqual({ status: 130, pauses: [15_000, 15_000, 15_000] })
    expect(lines(stdout)).toEqual(['Fish 0  Bronze', 'Fish 1  Bronze', 'Fish 2  Bronze'])
    expect(stderr.match(/Retrying/g)).toHaveLength(1)
    expect(stderr).toMatch(/The service responds again, after 45 s\.\n$/)
  })
})

describe('list --watch during an outage', () => {
  test('reports the outage and its end once each, and then prints the missed catches', async () => {
    const { status, stdout, stderr } = await runWatch(['list', '--watch'], {
      async during({ live, lines, says, add, stopService, startService }) {
        await live()
        await add('Koi')
        await lines(1)
        await stopService()
        await says(/Retrying/)
        await add('Eel')
        await startService()
        await says(/again/)
        await lines(2)
      },
    })
    expect(status).toBe(130)
    expect(stdout).toBe('Koi  Bronze\nEel  Bronze\n')
    expect(lines(stderr)).toEqual([
      'fish-cli: Watching the fish of Alex in earth, 0 so far.',
      expect.stringMatching(/^fish-cli: No response from http:\S+ \(ECONN\w+\)\. Retrying\.$/),
      expect.stringMatching(/^fish-cli: The service responds again, after .+\.$/),
    ])
  })

  test.each([
    ['unreachable', 'reset'] as const,
    ['unavailable', { status: 503 }] as const,
    ['limiting the rate', { status: 429 }] as const,
  ])(
    'starts while the service is %s, reports the failure once, and retries until the service responds',
    async (_, fault) => {
      const { status, stdout, stderr, pauses } = await runWatch(['list', '--watch', '--max-wait', '0'], {
        fish: [COD],
        before: (mock) => mock.fail(fault, { times: 4 }),
        async during({ says, lines, live, add }) {
          await says(/Watching/)
          await live()
          await add('Koi')
          await lines(1)
        },
      })
      expect(status).toBe(130)
      expect(stdout).toBe('Koi  Bronze\n')
      expect(pauses.length).toBeGreaterThan(3)
      expect(stderr).toMatch(/^fish-cli: \S.+ Retrying\.$/m)
      expect(stderr.includes('\n  Check that the service is running')).toBe(fault === 'reset')
      expect(stderr.match(/Retrying\.$/gm)).toHaveLength(1)
      expect(stderr).toMatch(/Watching the fish of Alex in earth[\s\S]*The service responds again, after .+\.\n/)
    },
  )

  test('reports retries with --json too, because missing lines alone do not reveal an outage', async () => {
    const { status, stdout, stderr } = await runWatch(['list', '--watch', '--json'], {
      before: (mock) => mock.fail('reset', { times: 4 }),
      between: ({ pause, stop }) => pause === 3 && stop(),
    })
    expect({ status, stdout }).toEqual({ status: 130, stdout: '' })
    expect(stderr).toMatch(/^fish-cli: No response from .+ Retrying\.\n/m)
  })

  test('exits if a retry cannot help: an unknown player, missing rights, or a server that is not the service', async () => {
    const never = () => Promise.reject(new Error('There is nothing to wait for.'))
    expect((await runWatch(['list', 'fish', 'Nobody', '--watch'], { between: never })).status).toBe(5)
    for (const on of ['getFish', 'events'] as const) {
      for (const [status, exit] of [
        [400, 2],
        [401, 4],
        [403, 4],
        [404, 5],
      ] as const) {
        const before = (mock: Mock) => mock.fail({ status }, { on })
        expect((await runWatch(['list', '--watch'], { before, between: never })).status, `${on} ${status}`).toBe(exit)
      }
    }
    const impostor = await startImpostor((_, response) => response.end('<html>'))
    const env = { FISH_URL: impostor.url }
    expect((await run(['list', 'fish', 'Alex', '-g', 'earth', '--watch'], { env })).status).toBe(1)
    expect((await run(['status', '--watch'], { env })).status).toBe(1)
    impostor.close()
  })

  test.each([
    ['list', []],
    ['list --watch', ['--watch']],
  ])('%s prints the name from a service without characters that control the terminal', async (_, flags) => {
    const user = 'Alex\u001b[2J\u009b31m\u202e\nfish-cli: '
    const impostor = await startImpostor(({ url = '' }, response) => {
      response.statusCode = url.includes('events') ? 404 : 200
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ user, fish: [] }))
    })
    const env = { FISH_URL: impostor.url }
    const { stderr } = await run(['list', 'fish', 'Alex', '-g', 'earth', ...flags], { env })
    impostor.close()
    expect(stderr).toContain('Alex\ufffd[2J\ufffd31m\ufffd\ufffdfish-cli: ')
    for (const character of ['\u001b', '\u009b', '\u202e']) expect(stderr).not.toContain(character)
  })

  test('exits with the same error as list when the player is deleted', async () => {
    const { status, stderr } = await runWatch(['list', '--watch'], {
      async during({ live, says, deleteAlex }) {
        await live()
        await deleteAlex()
        await says(/Check the spelling/)
      },
    })
    expect(status).toBe(5)
    expect(stderr).toMatch(/\n {2}Check the spelling/)
  })

  test('rejects invalid flags before any request', async () => {
    const status = async (...argv: string[]) =>
      (await run(['list', ...argv], { env: { FISH_URL: 'http://127.0.0.1:1' } })).status
    expect(await status('Alex', '-g', 'earth', '--watch', '--since', 'soon')).toBe(2)
    expect(await status('Alex', '-g', 'earth', '--watch', '--csv', '--json')).toBe(2)
  })
})

const ESCAPE = '\u{1b}'

/**
 * The rows that a terminal shows after the output. Supports only the control sequences of the live view: cursor up,
 * carriage return and erase.
 */
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

  test('redraws the table in place, with the time of the last change', async () => {
    const screens: string[][] = []
    const { status, stdout } = await runWatch(['list', '--watch'], {
      ...SIZE,
      fish: [COD],
      async during({ mock, live, shows, add }) {
        screens.push(screenAfter(await shows(/Cod/), 80))
        await live()
        await mock.clock.advance(5000)
        await add('Koi', 3)
        screens.push(screenAfter(await shows(/Koi/), 80))
      },
    })
    const head = (at: number) => `Updated ${clockText(at)}`
    expect(screens).toEqual([
      [`${head(START)} · Alex, earth: 1 fish`, 'FISH  RARITY', 'Cod   Bronze', ''],
      [`${head(START + 5000)} · Alex, earth: 2 fish`, 'FISH  RARITY', 'Cod   Bronze', 'Koi   Gold', ''],
    ])
    expect(status).toBe(130)
    expect(screenAfter(stdout, 80)).toEqual(screens[1])
  })

  test('removes a deleted catch from the table, and its bar from the chart', async () => {
    const removal = (...flags: string[]) => {
      const during = async ({ live, shows, add, removeFish }: During) => {
        await live()
        const { id } = await add('Koi', 3)
        await shows(/earth: 2 fish/)
        await removeFish(id)
        await shows(/2 fish[\s\S]*1 fish/)
      }
      return runWatch(['list', '--watch', ...flags], { ...SIZE, fish: [COD], during })
    }
    expect(screenAfter((await removal()).stdout, 80).slice(1)).toEqual(['FISH  RARITY', 'Cod   Bronze', ''])
    expect(screenAfter((await removal('--chart')).stdout, 80).join('\n')).toMatch(/^Gold +0$/m)
  })

  test.each([
    [40, 10],
    [80, 24],
    [20, 6],
  ])('fits %d columns and %d lines, and shows the latest catches', async (columns, rows) => {
    const { stdout } = await runWatch(['list', '--watch', '--detail'], {
      terminal: true,
      columns,
      rows,
      fish: Array.from({ length: 50 }, (_, at) => ({ name: `Fish of some length ${at}`, rarity: 1 })),
      async during({ live, shows }) {
        await live()
        await shows(/Updated/)
      },
    })
    const screen = screenAfter(stdout, columns)
    expect(screen.length).toBeLessThanOrEqual(rows)
    expect(screen[0]).toMatch(/^Updated \d\d:\d\d/)
    if (columns === 80) expect(screen[0]).toContain('Alex, earth: 50 fish')
    expect(screen.join('')).not.toContain('Fish of some length 0 ')
  })

  test('with --sort, shows the first rows of the table, and with --chart, the bars of the chart', async () => {
    const fish = Array.from({ length: 50 }, (_, at) => ({ name: `Fish ${at}`, rarity: 1 }) as const)
    const during = async ({ shows }: During) => void (await shows(/Updated/))
    const sorted = await runWatch(['list', '--watch', '--sort=-name'], { ...SIZE, fish, during })
    expect(screenAfter(sorted.stdout, 80)[2]).toBe('Fish 49  Bronze')
    expect(screenAfter(sorted.stdout, 80)[0]).toMatch(/: 50 fish, the first 21 shown$/)
    const chart = await runWatch(['list', '--watch', '--chart'], { ...SIZE, fish, during })
    const screen = screenAfter(chart.stdout, 80)
    expect(screen[2]).toMatch(/^Bronze +█+ 50$/)
    expect(screen).toHaveLength(9)
  })

  test('keeps the table during an outage, adds the time of the last response, and prints messages above the table', async () => {
    let away: string[] = []
    const { stdout, stderr } = await runWatch(['list', '--watch'], {
      ...SIZE,
      fish: [COD],
      async during({ live, says, shows, stopService, startService }) {
        await live()
        await stopService()
        away = screenAfter(await shows(/not live since/), 80)
        await startService()
        await says(/again/)
      },
    })
    expect(away[0]).toMatch(
      new RegExp(`^Updated ${clockText(START)}, not live since ${clockText(START).slice(0, 6)}\\d\\d · Alex`),
    )
    expect(away[2]).toBe('Cod   Bronze')
    expect(screenAfter(stdout, 80)[0]).toMatch(/^Updated \d\d:\d\d:\d\d · Alex/)
    expect(stderr).toMatch(/Retrying\.[\s\S]*The\s+service\s+responds\s+again,\s+after\s+\S/)
  })

  test('redraws after a resize, over the lines that the terminal has wrapped', () => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
    let text = ''
    stdout.on('data', (piece: Buffer) => (text += piece.toString()))
    const line = createStatusLine({ env: {}, stderr: stdout })
    const before = stdout.listenerCount('resize')
    const view = createLiveView({ env: {}, stdout }, line)
    view.show(({ width = 0 }) => ['='.repeat(width), 'Cod'])
    // A line of 80 cells wraps into three lines of 30 cells.
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
