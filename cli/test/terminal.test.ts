import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startImpostor } from './harness.ts'

// Python is what brings a pseudo-terminal of so many cells; Node has none.
const PTY = `
import fcntl, os, pty, select, struct, sys, termios
rows, columns, expected, keys, argv = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode(), sys.argv[4].encode(), sys.argv[5:]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    os.execv(argv[0], argv)
seen = b''
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    seen += piece
    if keys and expected in seen:
        os.write(fd, keys)
        keys = b''
sys.stdout.buffer.write(seen)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
`
const hasPty = process.platform !== 'win32' && spawnSync('python3', ['-c', 'import pty']).status === 0
const ERASE = '\r\u{1b}[2K'
const PROGRAM = fileURLToPath(new URL('../bin/dev.js', import.meta.url))

let server: Awaited<ReturnType<typeof startImpostor>>

beforeAll(async () => {
  server = await startImpostor((req, res) => {
    if (req.url === '/status') {
      res.writeHead(429, { 'retry-after': '65', 'content-type': 'application/json' })
      res.end(JSON.stringify({ error: 'Too many.', code: 'rate_limited', requestId: 'r' }))
    } else {
      const fish = Array.from({ length: 60 }, (_, index) => ({
        name: `Fish ${index} ${'x'.repeat(60)}`,
        rarity: 'Gold',
      }))
      res.end(JSON.stringify({ user: 'Alex', fish }))
    }
  })
})

afterAll(() => server.close())

/** Runs `fish-cli` in a terminal of 24 lines, and types `keys` once `expected` is seen. */
async function inTerminal(argv: readonly string[], { columns = 80, expected = '', keys = '', env = {} } = {}) {
  const child = spawn(
    'python3',
    ['-c', PTY, '24', String(columns), expected, keys, process.execPath, PROGRAM, ...argv],
    {
      env: {
        PATH: process.env.PATH,
        TERM: 'xterm',
        HOME: '/dev/null/home',
        FISH_URL: server.url,
        FISH_GAMEMODE: 'earth',
        ...env,
      },
    },
  )
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    screen += piece
  })
  const [status] = await once(child, 'close')
  return { status, screen }
}

const title = hasPty ? '' : ' (skipped: no python3 with pty here)'

describe.skipIf(!hasPty)(`in a real pseudo-terminal${title}`, () => {
  test('the countdown is one line, and Ctrl-C ends it at once with 130', async () => {
    const startedAt = performance.now()
    const { status, screen } = await inTerminal(['status'], { expected: 'Ctrl-C ends it.', keys: '\u0003' })
    expect(status).toBe(130)
    expect(screen.startsWith(`${ERASE}fish-cli: The rate limit holds: waiting 1:`)).toBe(true)
    expect(screen.trimEnd().split('\n')).toHaveLength(1)
    expect(screen.endsWith(`${ERASE}fish-cli: Interrupted.\r\n`)).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test.each([40, 100])('a table fits %d columns, in colours', async (columns) => {
    const { status, screen } = await inTerminal(['list', 'fish', 'Alex', '--no-pager'], { columns })
    expect(status).toBe(0)
    const lines = screen.trimEnd().split('\r\n').map(stripVTControlCharacters)
    expect(lines).toHaveLength(61)
    expect(Math.max(...lines.map((line) => line.length))).toBe(columns === 40 ? 40 : 76)
    expect(screen).toContain('\u{1b}[93mGold')
  })

  test('what is longer than the screen goes through PAGER', async () => {
    const { status, screen } = await inTerminal(['list', 'fish', 'Alex'], { env: { PAGER: 'head -n 2; echo paged' } })
    expect({ status, lines: screen.trimEnd().split('\r\n').length }).toEqual({ status: 0, lines: 3 })
    expect(screen).toContain('paged')
  })
})
