import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startImpostor } from './harness.ts'
import { type FishTerminal, fishInTerminal, SKIPPED } from './pseudo-terminal.ts'
import { type ResizeStyle, TerminalScreen } from './terminal-screen.ts'

const KEY = Buffer.alloc(32, 7).toString('base64url')

// Wide characters according to Unicode. The list is written by hand, so that it does not depend on the code under test.
const WIDE = new Set([...'鯉の王様한국어ｗ🐟🐠🦀', '👩‍🚀', '🇩🇪', '❤️'])
const measure = (cluster: string) => (WIDE.has(cluster) ? 2 : 1)
const WIDE_NAMES = [
  '鯉の王様',
  '🐟🐠🦀',
  'Cafe\u0301',
  '👩‍🚀 Astronaut',
  '한국어',
  '🇩🇪 Hecht',
  '❤️ Koi',
  'ｗ'.repeat(9),
  '鯉'.repeat(60),
]

let server: Awaited<ReturnType<typeof startImpostor>>
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fish-cli-'))
  const posts = new Map<string, number>()
  server = await startImpostor((req, res) => {
    const url = new URL(req.url ?? '/', 'http://x')
    const answer = (status: number, body: object, headers = {}) => {
      res.writeHead(status, { 'content-type': 'application/json', ...headers })
      res.end(JSON.stringify(body))
    }
    const name = url.searchParams.get('name') ?? ''
    if (url.pathname === '/status') {
      answer(429, { error: 'Too many.', code: 'rate_limited', requestId: 'r' }, { 'retry-after': '65' })
    } else if (req.method === 'POST') {
      // Only the first write of each player gets a response.
      posts.set(name, (posts.get(name) ?? 0) + 1)
      if (posts.get(name) === 1) answer(201, { message: 'Fish saved', id: '1' })
    } else {
      const names =
        name === 'Wide' ? WIDE_NAMES : Array.from({ length: 60 }, (_, index) => `Fish ${index} ${'x'.repeat(60)}`)
      answer(200, { user: name, fish: names.map((one) => ({ name: one, rarity: 'Gold' })) })
    }
  })
})

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const environment = () => ({ FISH_URL: server.url, FISH_GAMEMODE: 'earth', FISH_USER: 'Alex' })

/** A screen that follows the output and the width of a terminal. */
function screenOn(terminal: FishTerminal, columns: number, style: ResizeStyle) {
  const screen = new TerminalScreen(columns, style, measure)
  let shown = 0
  // The text after the mark is from the shell, not from the program.
  terminal.watch(() => {
    const [text = ''] = terminal.text().split('@@')
    screen.write(text.slice(shown))
    shown = text.length
  })
  return {
    lines: () => screen.lines(),
    /** Resizes the terminal, and resolves when the program has redrawn its output. */
    async resize(to: number, drawn: RegExp) {
      const before = terminal.text().length
      screen.resize(to)
      terminal.resize(to)
      await terminal.until(drawn, before)
    },
  }
}

const STYLES: readonly ResizeStyle[] = ['wraps again', 'cuts off']

describe.skipIf(SKIPPED !== '')(`in a real pseudo-terminal${SKIPPED}`, () => {
  test.each(STYLES)(
    'the countdown stays one line when a terminal that %s is resized, and disappears at Ctrl-C',
    async (style) => {
      const terminal = fishInTerminal(['status'], { env: environment(), columns: 200 })
      const screen = screenOn(terminal, 200, style)
      await terminal.until(/Ctrl-C to cancel\)\./)
      for (let round = 0; round < 3; round += 1) {
        await screen.resize(40, /Retrying in 1:.*…/)
        expect(screen.lines()).toEqual([expect.stringMatching(/^Rate limited. Retrying in 1:\d\d \(Ctrl-C…$/)])
        await screen.resize(200, /Ctrl-C to cancel\)\./)
        expect(screen.lines()).toEqual([
          expect.stringMatching(/^Rate limited. Retrying in 1:\d\d \(Ctrl-C to cancel\)\.$/),
        ])
      }
      expect(await terminal.interrupt()).toBeLessThan(3)
      expect(await terminal.ended).toMatchObject({ status: 130, isSane: true })
      expect(screen.lines()).toEqual(['fish-cli: Interrupted.'])
    },
  )

  test.each(STYLES)('the progress of add --file stays one line when a terminal that %s is resized', async (style) => {
    const env = {
      ...environment(),
      FISH_USER: `Bob${style.length}`,
      FISH_KEY: KEY,
      XDG_STATE_HOME: join(folder, style),
    }
    const around = 'seq -f "Fish %g,1" 1000 | "$@"'
    const terminal = fishInTerminal(['add', '--file', '-'], { env, around, columns: 200 })
    const screen = screenOn(terminal, 200, style)
    await terminal.until(/500 of 1000 catches \(50 %\)/)
    for (let round = 0; round < 3; round += 1) {
      await screen.resize(40, /500 of 1000.*…/)
      expect(screen.lines()).toEqual([expect.stringMatching(/^\[#{10}-{10}\] 500 of 1000.*…$/)])
      expect(screen.lines()[0]).toHaveLength(39)
      await screen.resize(200, /500 of 1000 catches \(50 %\)/)
      expect(screen.lines()).toEqual([
        expect.stringMatching(/^\[#{10}-{10}\] 500 of 1000 catches \(50 %\), about .* left$/),
      ])
    }
    expect(await terminal.interrupt()).toBeLessThan(3)
    expect(await terminal.ended).toMatchObject({ status: 130, isSane: true })
    expect(screen.lines()).toEqual([
      'fish-cli: Interrupted. 500 catches are waiting in the outbox.',
      '  Repeat the command to continue, or cancel: fish-cli outbox --cancel',
    ])
  })

  test.each([40, 80, 200])('a table with wide characters and emoji keeps its columns in %d cells', async (columns) => {
    const terminal = fishInTerminal(['list', 'fish', 'Wide'], { env: { ...environment(), PAGER: '' }, columns })
    const { status, text } = await terminal.ended
    expect(status).toBe(0)
    const screen = new TerminalScreen(columns, 'wraps again', measure)
    screen.write(text)
    // A line that is too long would wrap, and add a line.
    expect(screen.lines()).toHaveLength(WIDE_NAMES.length + 1)
    const cells = screen.lines().map((_, line) => screen.cells(line))
    const widest = Math.min(columns, 120 + 2 + 'RARITY'.length)
    expect(Math.max(...cells.map((line) => line.length))).toBeLessThanOrEqual(widest)
    expect(Math.max(...cells.map((line) => line.length))).toBeGreaterThanOrEqual(widest - 3)
    const titles = cells[0]?.join('') ?? ''
    const rarityAt = titles.indexOf('RARITY')
    expect(rarityAt).toBeGreaterThanOrEqual(0)
    for (const line of cells.slice(1)) expect(line.slice(rarityAt, rarityAt + 4).join('')).toBe('Gold')
    expect(text).toContain('\u{1b}[38;5;131mGold')
    for (const name of WIDE_NAMES.slice(0, 8)) expect(text).toContain(name)
  })

  test('output longer than the screen goes through PAGER', async () => {
    const env = { ...environment(), PAGER: 'head -n 2; echo paged' }
    const { status, text } = await fishInTerminal(['list', 'fish', 'Alex'], { env }).ended
    expect({ status, lines: text.trimEnd().split('\r\n').length }).toEqual({ status: 0, lines: 3 })
    expect(text).toContain('paged')
  })
})

describe.skipIf(SKIPPED !== '')(`stdout and stderr with different destinations${SKIPPED}`, () => {
  const list = ['list', 'fish', 'Alex']
  const GOLD = '\u{1b}[38;5;131mGold'

  test.each([
    ['in full and without colours', {}, false],
    ['in full, and in colours with FORCE_COLOR', { FORCE_COLOR: '1' }, true],
  ])('a file on stdout receives the table %s, even if stderr is a terminal', async (title, more, coloured) => {
    const file = join(folder, `${title.length}.out`)
    const env = { ...environment(), ...more, FILE: file }
    const { status, text } = await fishInTerminal(list, { env, around: '"$@" >"$FILE"', columns: 40 }).ended
    expect({ status, text }).toEqual({ status: 0, text: '' })
    const written = readFileSync(file, 'utf8')
    expect(written).toContain(`Fish 59 ${'x'.repeat(60)}`)
    expect(written.includes(GOLD)).toBe(coloured)
  })

  test('a terminal on stdout receives colours and a table that fits its width, even if stderr is a file', async () => {
    const { text } = await fishInTerminal(list, {
      env: { ...environment(), PAGER: '' },
      around: '"$@" 2>/dev/null',
      columns: 40,
    }).ended
    expect(text).toContain(GOLD)
    expect(text).not.toContain('x'.repeat(60))
  })

  test.each([
    ['rewritten when stderr is a terminal', '"$@" >"$FILE"', {}, /^\r\p{Cc}\[J.*Rate limited/u],
    [
      'one plain line on a dumb terminal',
      '"$@"',
      { TERM: 'dumb' },
      /^fish-cli: Rate limited. Retrying in 1:0\d \(Ctrl-C to cancel\)\.\r\n/,
    ],
  ])('the countdown is %s', async (title, around, more, expected) => {
    const file = join(folder, `${title.length}.waiting`)
    const terminal = fishInTerminal(['status'], { env: { ...environment(), ...more, FILE: file }, around })
    await terminal.until(/Rate limited/)
    terminal.type('\u0003')
    const { status, text } = await terminal.ended
    expect({ status, text }).toEqual({ status: 130, text: expect.stringMatching(expected) })
  })

  test('the countdown is one plain line if stderr is a file, and Ctrl-C restores the terminal', async () => {
    const file = join(folder, 'output')
    const around =
      ': >"$FILE"; (tail -n +1 -f "$FILE" & echo $! >"$FILE.pid"; wait) & "$@" 2>"$FILE"; kill $(cat "$FILE.pid")'
    const terminal = fishInTerminal(['status'], { env: { ...environment(), FILE: file }, around })
    await terminal.until(/Rate limited/)
    terminal.type('\u0003')
    expect(await terminal.ended).toMatchObject({ isSane: true })
    expect(readFileSync(file, 'utf8')).toMatch(
      /^fish-cli: Rate limited. Retrying in 1:0\d \(Ctrl-C to cancel\)\.\nfish-cli: Interrupted\.\n$/,
    )
  })
})
