import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startImpostor } from './harness.ts'
import { type FishTerminal, fishInTerminal, openTerminal, PROGRAM, SKIPPED } from './pseudo-terminal.ts'

const KEY = Buffer.alloc(32, 7).toString('base64url')

let server: Awaited<ReturnType<typeof startImpostor>>
let folder: string
let requests = 0
let onRequest = () => {}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fish-cli-'))
  server = await startImpostor((req, res) => {
    requests += 1
    onRequest()
    if (req.url === '/status') {
      res.writeHead(429, { 'retry-after': '65', 'content-type': 'application/json' })
      res.end(JSON.stringify({ error: 'Too many.', code: 'rate_limited', requestId: 'r' }))
    }
    if (!req.url?.startsWith('/get/fish?name=Alex')) return
    const fish = Array.from({ length: 60 }, (_, index) => ({ name: `Fish ${index}`, rarity: 'Gold' }))
    res.writeHead(200, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ user: 'Alex', fish }))
  })
})

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

let state: string

beforeEach(({ task }) => {
  state = join(folder, task.id)
  mkdirSync(state)
})

const environment = () => ({
  FISH_URL: server.url,
  FISH_GAMEMODE: 'earth',
  FISH_USER: 'Alex',
  FISH_KEY: KEY,
  XDG_STATE_HOME: state,
  TMPDIR: state,
})

/** Resolves when the service receives the next request. */
function nextRequest(): Promise<void> {
  const before = requests
  return new Promise((resolve) => {
    onRequest = () => {
      if (requests > before) resolve()
    }
  })
}

/** Resolves when the program has created its copy of stdin in the folder of the test, and unlinked the file. */
function copyStored(): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(state, () => {
      if (readdirSync(state).length > 0) return
      watcher.close()
      resolve()
    })
  })
}

/**
 * Types Ctrl-C, and returns the result. The program has to end within `longest` times the time that it has run before.
 */
async function ctrlC(terminal: FishTerminal, longest = 3) {
  expect(await terminal.interrupt()).toBeLessThan(longest)
  const { status, text, isSane } = await terminal.ended
  // The terminal itself echoes the key.
  return { status, isSane, text: text.replace('^C', '') }
}

describe.skipIf(SKIPPED !== '')(`Ctrl-C in a real terminal${SKIPPED}`, () => {
  test('interrupts a pending request', async () => {
    const requested = nextRequest()
    const terminal = fishInTerminal(['list', 'fish', 'Slow'], { env: environment() })
    await requested
    expect(await ctrlC(terminal)).toEqual({ status: 130, isSane: true, text: 'fish-cli: Interrupted.\r\n' })
  })

  test('does not make user create print a secret or leave a file', async () => {
    const requested = nextRequest()
    const env = { ...environment(), FISH_ADMIN_PASSWORD: 'canary-admin-password' }
    const out = join(state, 'alex.json')
    const terminal = fishInTerminal(['user', 'create', 'Alex', '--login-file', out], { env })
    await requested
    const { status, isSane, text } = await ctrlC(terminal)
    expect({ status, isSane, left: existsSync(out) }).toEqual({ status: 130, isSane: true, left: false })
    expect(text).not.toContain('canary')
  })

  test('while catches are typed on stdin stores no catches', async () => {
    const stored = copyStored()
    const terminal = fishInTerminal(['add', '--file', '-'], { env: environment() })
    await stored
    terminal.type('Cod,1\n')
    await terminal.until(/Cod,1\r\n/)
    const ended = await ctrlC(terminal)
    expect(ended).toEqual({ status: 130, isSane: true, text: expect.stringMatching(/fish-cli: Interrupted\.\r\n$/) })
    expect(readdirSync(state)).toEqual([])
  })

  test('makes add --file report the waiting catches while it sends the first batch', async () => {
    const requested = nextRequest()
    const around = 'seq -f "Fish %g,1" 700 | "$@"'
    const terminal = fishInTerminal(['add', '--file', '-'], { env: environment(), around })
    await requested
    const { status, text } = await ctrlC(terminal)
    expect(status).toBe(130)
    expect(text).toContain('fish-cli: Interrupted. 700 catches are waiting in the outbox.\r\n')
    expect(text).toContain('fish-cli outbox --cancel')
  })

  test('ends watch, which reports that no catches are waiting', async () => {
    const log = join(state, 'latest.log')
    writeFileSync(log, '')
    const terminal = fishInTerminal(['watch', log], { env: environment() })
    await terminal.until(/Watching/)
    expect(await ctrlC(terminal)).toMatchObject({
      status: 130,
      isSane: true,
      text: expect.stringContaining('Interrupted. Nothing is left to send.'),
    })
  })

  test('ends watch, which reports an unconfirmed catch as waiting', async () => {
    const log = join(state, 'latest.log')
    writeFileSync(log, '[12:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon.\n')
    const requested = nextRequest()
    const terminal = fishInTerminal(['watch', log, '--once', '--yes'], { env: environment() })
    await requested
    const { status, isSane, text } = await ctrlC(terminal)
    expect({ status, isSane }).toEqual({ status: 130, isSane: true })
    expect(text).toContain('1 catch is waiting in the outbox.')
  })

  test('ends both the pager and the program', async () => {
    const env = { ...environment(), PAGER: 'echo paging; exec sleep 600' }
    const terminal = fishInTerminal(['list', 'fish', 'Alex'], { env })
    await terminal.until(/paging/)
    expect(await ctrlC(terminal)).toMatchObject({ status: 130, isSane: true })
  })

  test.each([
    ['in PAGER', 'pager', (pager: string) => ({ PAGER: pager })],
    ['in PAGER with shell syntax', 'pager', (pager: string) => ({ PAGER: `exec "${pager}"` })],
    ['named less', 'less', () => ({})],
  ])('is handled by a pager %s, and does not end fish-cli', async (_, name, variables) => {
    // The pager is not a shell script, because a signal between its `trap` and its `read` would be handled only after
    // the `read`.
    const pager = join(state, name)
    writeFileSync(
      pager,
      `#!${process.execPath}
       process.on('SIGINT', () => console.log('heard'))
       require('node:fs').createReadStream('/dev/tty').once('data', () => process.exit())
       console.log('paging')`,
      { mode: 0o700 },
    )
    const env = { ...environment(), PATH: `${state}:${process.env.PATH}`, ...variables(pager) }
    const terminal = fishInTerminal(['list', 'fish', 'Alex'], { env })
    await terminal.until(/paging/)
    for (const time of [1, 2]) {
      terminal.type('\u0003')
      await terminal.until(new RegExp(`(heard[^]*){${time}}`))
      if (time === 1) continue
      terminal.type('q\n')
    }
    expect(await terminal.ended).toMatchObject({ status: 0, isSane: true, text: expect.stringMatching(/paging/) })
  })

  test('stops a server cleanly with exit code 0', async () => {
    const env = {
      ...environment(),
      FISH_STORAGE: `file:${join(state, 'data')}`,
      FISH_PORT: '0',
      FISH_ADMIN_PASSWORD: 'canary-admin',
    }
    const terminal = fishInTerminal(['serve'], { env })
    await terminal.until(/listening on http/)
    const { status, isSane, text } = await ctrlC(terminal)
    expect({ status, isSane }).toEqual({ status: 0, isSane: true })
    expect(text).toMatch(/stopped\S*\r\n$/)
    expect(text).not.toContain('canary')
  })

  test('ends the program while it loads', async () => {
    const terminal = fishInTerminal(['list', 'fish', 'Slow'], {
      env: environment(),
      around: `sh -c 'echo begun; exec "$@"' sh "$@"`,
    })
    await terminal.until(/begun/)
    // There is no time limit, because the program loads completely before it ends.
    expect(await ctrlC(terminal, Number.POSITIVE_INFINITY)).toMatchObject({ status: 130, isSane: true })
  })
})

describe.skipIf(SKIPPED !== '')(`closing the terminal${SKIPPED}`, () => {
  const log = () => join(state, 'latest.log')

  test.each([
    ['a countdown', ['status'], /Rate limited/, 1],
    ['a request', ['list', 'fish', 'Slow'], 'request', 1],
    ['watching a log', ['watch', 'LOG', '--once', '--yes'], 'request', 1],
    // A server handles the signal, and stops in order.
    ['a server', ['serve', '--port', '0', '--storage', 'memory:'], /listening on/, 0],
  ] as const)('ends %s', async (_title, argv, sign, signal) => {
    writeFileSync(log(), '[12:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon.\n')
    const requested = nextRequest()
    const words = argv.map((word) => (word === 'LOG' ? log() : word))
    const terminal = openTerminal([...PROGRAM, ...words], { env: environment() })
    if (sign === 'request') await requested
    else await terminal.until(sign)
    terminal.hangUp()
    expect(await terminal.ended).toEqual({ status: 0, signal })
  })

  test('while catches are typed on stdin leaves no files', async () => {
    const stored = copyStored()
    const terminal = openTerminal([...PROGRAM, 'add', '--file', '-'], { env: environment() })
    await stored
    terminal.type('Cod,1\n')
    await terminal.until(/Cod,1\r\n/)
    terminal.hangUp()
    await terminal.ended
    expect(readdirSync(state)).toEqual([])
  })
})
