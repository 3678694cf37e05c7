import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, startImpostor } from './harness.ts'
import { fishInTerminal, openTerminal, PROGRAM, SKIPPED } from './pseudo-terminal.ts'

const FERNET_KEY = Buffer.alloc(32, 7).toString('base64')
const PASSWORD = 'canary pass-word 1'

let server: Awaited<ReturnType<typeof startImpostor>>
/** The received requests, as `method path name:password`. */
const asked: string[] = []

beforeAll(async () => {
  // The server accepts every password, and records the requests.
  server = await startImpostor((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const given = Buffer.from((req.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString()
      asked.push(`${req.method} ${req.url} ${given || Buffer.concat(chunks).toString()}`)
      const answer = (status: number, body: object) => {
        res.writeHead(status, { 'content-type': 'application/json' })
        res.end(status === 204 ? undefined : JSON.stringify(body))
      }
      if (req.url === '/admin/login') {
        answer(200, { token: 'a.b.c', expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
      } else if (req.method === 'DELETE') answer(204, {})
      else if (req.url === '/admin/admins') {
        answer(201, { username: 'mia', role: 'admin', createdAt: new Date().toISOString() })
      } else answer(200, { fernetKey: FERNET_KEY })
    })
  })
})

afterAll(() => server.close())

const environment = () => ({ FISH_URL: server.url, FISH_USER: 'Alex', NO_COLOR: '1' })
const passwordsOf = (user: string) =>
  asked
    .filter((one) => one.startsWith('GET /get/user/key ') && one.includes(` ${user}:`))
    .map((one) => one.split(`${user}:`)[1])

/** Types a password at the prompt of `fish-cli key`, and returns the result. */
async function typePassword(keys: string, user = 'Alex') {
  const terminal = fishInTerminal(['key', '--show'], { env: { ...environment(), FISH_USER: user } })
  await terminal.until(/Password of \S+: /)
  terminal.type(keys)
  return terminal.ended
}

describe.skipIf(SKIPPED !== '')(`a prompt for a secret in a real terminal${SKIPPED}`, () => {
  test.each([
    ['typed and ended with Enter', `${PASSWORD}\r`, PASSWORD],
    ['corrected with either backspace character', `xy\u007f\b${PASSWORD}z\u007f\r`, PASSWORD],
    ['restarted with Ctrl-U', `something else\u0015${PASSWORD}\r`, PASSWORD],
    ['without a word deleted with Ctrl-W', `${PASSWORD} more\u0017\u007f\r`, PASSWORD],
    ['pasted with further lines', `${PASSWORD}\rrm -r canary-line\r`, PASSWORD],
    ['pasted between the marks of a bracketed paste', `\u001b[200~${PASSWORD}\u001b[201~\r`, PASSWORD],
    ['in several alphabets', 'pässwörd-鯉🐟👩‍🚀-日本\r', 'pässwörd-鯉🐟👩‍🚀-日本'],
    ['corrected after a wide character', '鯉🐟x\u007f\u007f\r', '鯉'],
    ['of 5000 characters', `${'canary-long'.repeat(455)}\r`, 'canary-long'.repeat(455)],
  ])('accepts a password %s, and does not show it', async (title, keys, password) => {
    const user = `user-${title.replaceAll(/[^a-z]/g, '')}`.slice(0, 32)
    const { status, text, isSane } = await typePassword(keys, user)
    expect({ status, text, isSane }).toEqual({
      status: 0,
      text: `Password of ${user}: \r\n${FERNET_KEY}\r\n`,
      isSane: true,
    })
    expect(passwordsOf(user)).toEqual([password])
  })

  test.each([
    ['Ctrl-C', 'canary\u0003', 130, 'Interrupted.'],
    ['Ctrl-D', '\u0004', 4, 'The password of Alex is missing.'],
    ['an empty answer', '\r', 4, 'The password of Alex is missing.'],
  ])('ends after %s, and restores the terminal', async (_title, keys, expected, message) => {
    const { status, text, isSane } = await typePassword(keys)
    expect({ status, isSane }).toEqual({ status: expected, isSane: true })
    expect(text).toMatch(new RegExp(`^Password of Alex: \r\nfish-cli: ${message}\r\n`))
    expect(text).not.toContain('canary')
  })

  test('ignores Ctrl-D after other characters, and does not send the password', async () => {
    const { status, text } = await typePassword(`${PASSWORD}\u0004\u0003`, 'Dora')
    expect({ status, asked: passwordsOf('Dora') }).toEqual({ status: 130, asked: [] })
    expect(text).not.toContain(PASSWORD)
  })

  test.each([
    ['Password of Alex: ', ['key']],
    [String.raw`\[y/N\] `, ['user', 'delete', 'Zed']],
  ])('restores the terminal when SIGTERM ends the program at the prompt %s', async (prompt, argv) => {
    const terminal = fishInTerminal(argv, {
      env: environment(),
      around: `sh -c 'printf "<%s>" $$; exec "$@"' sh "$@"`,
    })
    const [, pid] = await terminal.until(/<(\d+)>/)
    await terminal.until(new RegExp(prompt))
    process.kill(Number(pid), 'SIGTERM')
    expect(await terminal.ended).toMatchObject({ status: 130, isSane: true })
  })

  test('accepts a password that was typed before the prompt, and does not show the password', async () => {
    const env = { ...environment(), FISH_ADMIN_PASSWORD: ADMIN_PASSWORD }
    const twice = fishInTerminal(['admin', 'create', 'mia'], { env })
    await twice.until(/New password of mia: /)
    twice.type(`${PASSWORD}\r${PASSWORD}\r`)
    const created = await twice.ended
    expect(created.text).toMatch(/^New password of mia: \r\nNew password of mia, again: \r\n/)
    expect(created).toMatchObject({ status: 0, text: expect.not.stringContaining(PASSWORD) })

    const confirmed = fishInTerminal(['user', 'delete', 'Zed'], { env: environment() })
    await confirmed.until(/\[y\/N\] /)
    confirmed.type(`y\r${PASSWORD}\r`)
    const { status, text } = await confirmed.ended
    expect(text).toContain('Password of the administrator admin: \r\nDeleted Zed.')
    expect({ status, text }).toMatchObject({ status: 0, text: expect.not.stringContaining(PASSWORD) })
  })

  test.each([
    ['Ctrl-Z', undefined],
    ['SIGTSTP from another process', 'SIGTSTP'],
  ] as const)('is repeated without echo when the program continues after %s', async (_title, signal) => {
    const user = signal === undefined ? 'Zoe' : 'Zac'
    const shell = openTerminal(['/bin/sh', '-i'], {
      env: { ...environment(), FISH_USER: user, PS1: '<ready>', ENV: '' },
    })
    await shell.until(/<ready>/)
    shell.type(`sh -c 'printf "<%s>" $$; exec "$@"' sh ${PROGRAM.join(' ')} key --show; echo "<ended $?>"\n`)
    const [, pid] = await shell.until(/<(\d+)>/)
    await shell.until(/Password of \S+: /)
    if (signal === undefined) shell.type('canary-half\u001a')
    else process.kill(Number(pid), signal)
    await shell.until(/(Stopped|Suspended)[\s\S]*<ready>/)
    const before = shell.text().length
    // Most shells turn the echo on again, but this shell needs stty. The prompt has to turn the echo off again.
    shell.type('stty sane; stty -a; fg\n')
    await shell.until(/\secho\s[\s\S]*Password of \S+: /, before)
    shell.type(`${PASSWORD}\r`)
    await shell.until(new RegExp(FERNET_KEY), before)
    expect(passwordsOf(user)).toEqual([PASSWORD])
    expect(shell.text()).not.toContain(PASSWORD)
    expect(shell.text()).not.toContain('canary-half')
  })

  test('ends when the terminal is closed', async () => {
    const terminal = openTerminal([...PROGRAM, 'key'], { env: environment() })
    await terminal.until(/Password of Alex: /)
    terminal.hangUp()
    expect(await terminal.ended).toEqual({ status: 0, signal: 1 })
  })
})

describe.skipIf(SKIPPED !== '')(`a prompt before a deletion in a real terminal${SKIPPED}`, () => {
  const deleted = () => asked.filter((one) => one.startsWith('DELETE'))

  test.each([
    ['Enter alone', '\r', 1, 'Nothing was changed.'],
    ['n', 'n\r', 1, 'Nothing was changed.'],
    ['text other than yes', 'yess\r', 1, 'Nothing was changed.'],
    ['the end of input', '\u0004', 1, 'Nothing was changed.'],
    ['Ctrl-C after a y', 'y\u0003', 130, 'Interrupted.'],
  ])('treats %s as no', async (_title, keys, expected, message) => {
    const before = deleted().length
    const env = { ...environment(), FISH_ADMIN_PASSWORD: ADMIN_PASSWORD }
    const terminal = fishInTerminal(['user', 'delete', 'Zed'], { env })
    await terminal.until(/Delete the player Zed and all its catches\? \[y\/N\] /)
    terminal.type(keys)
    const { status, text, isSane } = await terminal.ended
    expect({ status, isSane, deleted: deleted().length - before }).toEqual({
      status: expected,
      isSane: true,
      deleted: 0,
    })
    // The message is on a separate line.
    expect(text).toMatch(new RegExp(`\nfish-cli: ${message}\r\n$`))
  })

  test.each(['y', 'YES'])('treats %s as yes', async (answer) => {
    const name = `Zed${answer}`
    const env = { ...environment(), FISH_ADMIN_PASSWORD: ADMIN_PASSWORD }
    const terminal = fishInTerminal(['user', 'delete', name], { env })
    await terminal.until(/\[y\/N\] /)
    terminal.type(`${answer}\r`)
    expect(await terminal.ended).toMatchObject({ status: 0, isSane: true })
    expect(deleted().some((one) => one.includes(name))).toBe(true)
  })
})
