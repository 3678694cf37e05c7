import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { unescapeFormula } from '../../sdk/src/internal/csv.ts'
import { renderCsv } from '../src/terminal/csv.ts'
import { run, startImpostor } from './harness.ts'

// A wide character, an emoji of two parts and a flag take two cells each. A letter with a combining mark takes one
// cell.
const FISH = [
  { name: '鯉のぼり', rarity: 'Gold' },
  { name: '🐟‍🔥🇩🇪', rarity: 'Mythical' },
  { name: 'Le\u0301o, the "old", one', rarity: 'Bronze' },
  { name: `=1+1 ${'long '.repeat(20)}end`, rarity: 'Unknown/Other' },
  { name: 'tab\tline\nback\\', rarity: 'Silver' },
]

let server: Awaited<ReturnType<typeof startImpostor>>
let requests = 0

beforeAll(async () => {
  server = await startImpostor((req, res) => {
    requests += 1
    const detailed = FISH.map((fish, index) => ({
      ...fish,
      id: `r${index}`,
      caughtAt: `2026-01-0${index + 1}T00:00:00.000Z`,
    }))
    const empty = req.url?.includes('name=Empty')
    res.end(JSON.stringify({ user: 'Alex', fish: empty ? [] : req.url?.includes('detail') ? detailed : FISH }))
  })
})

afterAll(() => server.close())

const ENV = () => ({ FISH_URL: server.url, FISH_GAMEMODE: 'earth', FISH_USER: 'Alex', NO_COLOR: '1' })
const list = (argv: readonly string[], options = {}) => run(['list', ...argv], { env: ENV(), ...options })

describe('a table', () => {
  test('is complete and aligned if stdout is not a terminal', async () => {
    const { stdout } = await list([])
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(6)
    expect(stdout).toContain('long end  Unknown/Other')
    const width = 2 + `=1+1 ${'long '.repeat(20)}end`.length
    expect(lines[0]).toBe(`${'FISH'.padEnd(width)}RARITY`)
    expect(lines[1]).toBe(`鯉のぼり${' '.repeat(width - 8)}Gold`)
    expect(lines[2]).toBe(`🐟‍🔥🇩🇪${' '.repeat(width - 4)}Mythical`)
    expect(lines[3]).toBe(`Le\u0301o, the "old", one${' '.repeat(width - 19)}Bronze`)
  })

  test.each([40, 80, 200])(
    'fits a terminal of %d columns, and truncates only the cells that do not fit',
    async (columns) => {
      const { stdout } = await list([], { terminal: true, columns, rows: 50 })
      const [, , , , long = ''] = stdout.split('\n')
      if (columns < 120) {
        expect(long).toHaveLength(columns)
        expect(long).toMatch(/^=1\+1 long .*…\s{2}Unknown\/Other$/)
      } else expect(long).toContain('long end  Unknown/Other')
    },
  )

  test('has all its rows even if the terminal is far too narrow', async () => {
    const { stdout } = await list(['--detail'], { terminal: true, columns: 10, rows: 50 })
    // Ids are never truncated, because users copy them. The other cells stay legible, because the table does not fit in
    // any case.
    expect(stdout).toContain('r4')
    expect(stdout).toContain('Mythical')
    expect(stdout.trimEnd().split('\n')).toHaveLength(6)
  })

  test('contains only ASCII if the locale does not support other characters', async () => {
    const env = { ...ENV(), LC_ALL: 'C' }
    const { stdout } = await list(['--filter', 'long'], { env, terminal: true, columns: 40, rows: 50 })
    expect(stdout).toMatch(/long l?.*\.\.\. {2}Unknown\/Other\n/)
  })
})

describe('other formats', () => {
  test('--csv follows RFC 4180, and contains no formulas for a spreadsheet to run', async () => {
    const { stdout } = await list(['--csv'])
    expect(stdout).toBe(
      [
        'name,rarity',
        '鯉のぼり,Gold',
        '🐟‍🔥🇩🇪,Mythical',
        '"Le\u0301o, the ""old"", one",Bronze',
        `'=1+1 ${'long '.repeat(20)}end,Unknown/Other`,
        '"tab\tline\nback\\",Silver',
        '',
      ].join('\r\n'),
    )
  })

  test('--json prints a single document', async () => {
    expect(JSON.parse((await list(['--json'])).stdout)).toEqual({ user: 'Alex', gamemode: 'earth', fish: FISH })
  })

  test.each([
    '=1',
    '+1',
    '-1',
    '@a',
    '＝1',
    '＋1',
    '－1',
    '＠a',
    '\t=1',
    '\n＝1',
    ' =1',
    '\u200b=1',
    '\u00a0＠a',
    "'=1",
  ])('CSV puts an apostrophe before the formula %j, and the inverse removes it', (text) => {
    const [, line = ''] = renderCsv([{ name: text }], [{ field: 'name' }]).split('\r\n')
    const cell = line.replace(/^"|"$/g, '')
    expect(cell).toBe(`'${text}`)
    expect(unescapeFormula(cell)).toBe(text)
  })

  test('without rows, CSV has only a header, JSON has an empty list, and a table prints a message on stderr', async () => {
    expect(await list(['fish', 'Empty', '--csv'])).toMatchObject({ stdout: 'name,rarity\r\n', status: 0 })
    const { stdout, stderr } = await list(['fish', 'Empty'])
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'Alex has no fish in earth yet.\n' })
    expect(JSON.parse((await list(['fish', 'Empty', '--json'])).stdout).fish).toEqual([])
  })

  test('have no control characters on a terminal, and JSON still parses to the original text', async () => {
    const name = 'evil\u{1b}[2J\u{9b}31m\u{202e}'
    const impostor = await startImpostor((_, res) =>
      res.end(JSON.stringify({ user: 'A', fish: [{ name, rarity: 'Gold' }] })),
    )
    try {
      for (const form of [[], ['--json'], ['--csv']]) {
        const { stdout } = await list(form, { env: { ...ENV(), FISH_URL: impostor.url }, terminal: true })
        for (const steering of ['\u{1b}', '\u{9b}', '\u{202e}']) expect(stdout).not.toContain(steering)
        if (form[0] === '--json') expect(JSON.parse(stdout).fish[0].name).toBe(name)
      }
    } finally {
      impostor.close()
    }
  })

  test('--csv and --json together are rejected before any request', async () => {
    const before = requests
    const { status, stdout } = await list(['--csv', '--json'])
    expect({ status, requests }).toEqual({ status: 2, requests: before })
    expect(JSON.parse(stdout).error.message).toBe('--csv and --json cannot be given together.')
  })
})

describe('--detail', () => {
  const id = '01968a3e-1234-7abc-8def-0123456789ab'
  const caughtAt = '2026-01-31T12:34:56.789Z'

  async function detailed(argv: readonly string[]): Promise<string> {
    const name = `A ${'very '.repeat(20)}long name`
    const fish = [{ name, rarity: 'Unknown/Other', id, caughtAt }]
    const service = await startImpostor((_, res) => res.end(JSON.stringify({ user: 'Alex', fish })))
    onTestFinished(() => void service.close())
    const env = { ...ENV(), FISH_URL: service.url }
    return (await run(['list', ...argv], { env, terminal: true, columns: 80, rows: 50 })).stdout
  }

  test('fits 80 columns, with short ids and local times', async () => {
    const stdout = await detailed(['--detail'])
    expect(stdout).toMatch(/^FISH +RARITY +CAUGHT AT \(LOCAL\) +RECORD/)
    const at = new Date(caughtAt)
    const day = `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`
    expect(stdout).toContain(`  ${day} ${at.toTimeString().slice(0, 8)}  456789ab\n`)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('prints full ids and UTC times in JSON and CSV', async () => {
    for (const form of ['--json', '--csv']) {
      const stdout = await detailed(['--detail', form])
      expect(stdout).toContain(id)
      expect(stdout).toContain(caughtAt)
    }
  })
})

describe('list', () => {
  const names = async (...argv: string[]) =>
    JSON.parse((await list([...argv, '--json'])).stdout).fish.map(({ rarity }: { rarity: string }) => rarity)

  test('--filter accepts a part of the name, or rarities by label or number', async () => {
    expect(await names('--filter', 'LONG')).toEqual(['Unknown/Other'])
    expect(await names('--filter', 'name=LONG')).toEqual(['Unknown/Other'])
    expect(await names('--filter', 'rarity=gold,1')).toEqual(['Gold', 'Bronze'])
    expect((await list(['--filter', 'rarity=shiny'])).status).toBe(2)
    for (const word of ['unknown', 'OTHER', 'Unknown/Other']) {
      expect(await names('--filter', `rarity=${word}`)).toEqual(['Unknown/Other'])
    }
    expect((await list(['--filter', 'no such fish'])).stderr).toBe('Alex has no fish in earth that match.\n')
  })

  test('--sort sorts by rarity or time in both directions, and adds no column', async () => {
    expect(await names('--sort', 'rarity')).toEqual(['Unknown/Other', 'Bronze', 'Silver', 'Gold', 'Mythical'])
    expect(await names('--sort=-caughtAt', '--limit', '2')).toEqual(['Silver', 'Unknown/Other'])
    expect((await list(['--sort=-caughtAt'])).stdout).not.toContain('2026')
    expect((await list(['--sort', 'size'])).stderr).toContain('name, rarity, caughtAt')
  })

  test('--since accepts a date or an age', async () => {
    const clock = { now: () => Date.parse('2026-01-05T12:00:00Z'), sleep: async () => {} }
    const { stdout } = await list(['--since', '36h', '--json'], { clock })
    expect(JSON.parse(stdout).fish).toHaveLength(2)
    for (const wrong of ['yesterday', '2026-02-30', '2026-1-2', '2026-13-01', '2026-01-02x', '2026-01-021']) {
      expect((await list(['--since', wrong])).status, wrong).toBe(2)
    }
    expect(await names('--since', '2026-01-04T00:00Z')).toEqual(['Unknown/Other', 'Silver'])
  })

  test('--since interprets a date or a month in local time, like the times in the table', async () => {
    vi.stubEnv('TZ', 'Pacific/Honolulu')
    onTestFinished(() => void vi.unstubAllEnvs())
    const lines = async (since: string) => (await list(['--since', since, '--detail', '--csv'])).stdout
    // Midnight in UTC is 14:00 of the previous day in Honolulu.
    expect(await names('--since', '2026-01-04')).toEqual(['Silver'])
    expect(await names('--since', '2026-01-04T00:00')).toEqual(['Silver'])
    expect(await names('--since', '2026-01-03T14:00')).toEqual(['Unknown/Other', 'Silver'])
    expect(await lines('2026-01')).not.toContain('2026-01-01')
    expect(await lines('2026-01')).toContain('2026-01-02')
  })

  test('rejects a limit of 0', async () => {
    expect((await list(['--limit', '0'])).status).toBe(2)
  })

  test('--chart draws a bar for each rarity, and prints the counts in formats other than the table', async () => {
    const { stdout } = await list(['--chart'], { terminal: true, columns: 40, rows: 50 })
    expect(stdout.split('\n')[0]).toBe(`Unknown/Other  ${'█'.repeat(23)} 1`)
    expect(stdout).toContain('\nPlatinum       0\n')
    const ascii = await list(['--chart'], { env: { ...ENV(), LC_ALL: 'C' } })
    expect(ascii.stdout).toMatch(/^Unknown\/Other {2}#+ 1\n/)
    expect((await list(['--chart', '--csv'])).stdout).toMatch(/^rarity,count\r\nUnknown\/Other,1\r\nBronze,1\r\n/)
  })
})

describe('the pager', () => {
  const shown = (env = {}, rows = 5) => {
    const pages: string[] = []
    const page = async (pager: string, text: string) => {
      pages.push(pager, text)
      return true
    }
    return list([], { env: { ...ENV(), ...env }, terminal: true, columns: 80, rows, page }).then(({ stdout }) => ({
      stdout,
      pages,
    }))
  }

  test('shows output that is longer than the screen', async () => {
    const { stdout, pages } = await shown()
    expect(stdout).toBe('')
    expect(pages).toEqual(['less -FRX', expect.stringContaining('鯉のぼり')])
    expect((await shown({ PAGER: 'more -d' })).pages[0]).toBe('more -d')
  })

  test.each([
    ['an empty PAGER', { PAGER: '' }, 5],
    ['PAGER=cat', { PAGER: 'cat' }, 5],
    ['a screen that is long enough', {}, 50],
  ] as const)('is not started with %s', async (_, env, rows) => {
    const { stdout, pages } = await shown(env, rows)
    expect(pages).toEqual([])
    expect(stdout).toContain('鯉のぼり')
  })

  test('is skipped if the program cannot be started', async () => {
    const { stdout } = await list([], { terminal: true, columns: 80, rows: 5, page: async () => false })
    expect(stdout).toContain('鯉のぼり')
  })
})
