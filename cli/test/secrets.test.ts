import { describe, expect, test } from 'vitest'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()

const CANARIES = {
  FISH_KEY: 'canary-key',
  FISH_API_KEY: 'canary-api-key',
  FISH_PASSWORD: 'canary-password',
  FISH_ADMIN_PASSWORD: 'canary-admin',
}

describe('secrets in the environment', () => {
  const commands = [
    ['add', 'Salmon', '-r', '3'],
    ['list'],
    ['key'],
    ['key', 'Alex', '--show'],
    ['status'],
    ['demo'],
    ['user', 'create', 'Bob'],
    ['serve', '--port', 'x'],
    ['serve', '--help'],
    ['--help'],
  ]

  test.each(
    commands.flatMap((argv) => [
      [argv],
      [[...argv, '--bogus']],
      [[...argv, '--json']],
      [[...argv, '--json', '--bogus']],
    ]),
  )('are on neither stream of %j', async (argv) => {
    for (const url of [context.service.url, 'http://127.0.0.1:1']) {
      const env = { ...context.base, FISH_USER: 'Alex', FISH_URL: url, ...CANARIES }
      const { stdout, stderr } = await run(argv, { env })
      expect(stdout + stderr).not.toContain('canary')
      expect(stdout + stderr).not.toBe('')
    }
  })

  test('an API key that no header can carry is refused without being repeated', async () => {
    const env = { ...context.base, FISH_API_KEY: 'canary\u{1f980}' }
    const { status, stderr } = await run(['status'], { env })
    expect(status).toBe(4)
    expect(stderr).toContain('FISH_API_KEY')
    expect(stderr).not.toContain('canary')
  })

  test.each([
    ['status', '--url', 'http://me:canary@127.0.0.1:1'],
    ['user', 'create', 'X', '--url', 'http://me:canary@127.0.0.1:1'],
  ])('a password in the address is refused without being repeated: %s %s', async (...argv) => {
    const { status, stderr } = await run(argv, { env: context.admin })
    expect(status).toBe(2)
    expect(stderr).not.toContain('canary')
  })
})

describe('a secret typed as an argument', () => {
  test.each([
    [['key', '--password', 'hunter2']],
    [['key', '--password=hunter2']],
    [['key', '-phunter2']],
    [['list', '--key', 'hunter2', 'x', 'y']],
    [['status', '--api-key=hunter2']],
    [['status', '--json', 'hunter2']],
    [['--password=hunter2', 'status']],
    [['Hunter2']],
    [['user', 'hunter2']],
    [['user', 'create', 'X', '--admin-password', 'hunter2']],
    [['add', '--token', 'hunter2', '--json']],
    [['help', 'hunter2']],
  ])('is not repeated: %j', async (argv) => {
    const { status, stdout, stderr } = await run(argv, { env: context.base })
    expect(status).toBe(2)
    expect((stdout + stderr).toLowerCase()).not.toContain('hunter2')
  })

  test('names the variable to set instead', async () => {
    expect((await run(['key', '--password', 'x'])).stderr).toContain('FISH_PASSWORD')
    expect((await run(['add', '--api-key', 'x'])).stderr).toContain('FISH_API_KEY')
    expect((await run(['user', 'create', '--admin-password', 'x'])).stderr).toContain('FISH_ADMIN_PASSWORD')
  })
})

describe('the prompt', () => {
  test('asks at a terminal and shows nothing of the answer', async () => {
    const env = { ...context.base, FISH_USER: 'Alex', NO_COLOR: '1' }
    const { status, stdout, stderr } = await run(['key'], { env, terminal: true, typed: `${context.alex.password}\r` })
    expect(status).toBe(0)
    expect(stderr).toMatch(/^Password of Alex: \n/)
    expect(stdout + stderr).not.toContain(context.alex.password)
    expect(stdout + stderr).not.toContain('\u{1b}')
  })

  test('Ctrl-C at it ends with 130', async () => {
    const env = { ...context.base, FISH_USER: 'Alex' }
    expect((await run(['key'], { env, terminal: true, typed: 'half\u0003' })).status).toBe(130)
  })

  test('an empty answer and the end of input name the variable', async () => {
    const env = { ...context.base, FISH_USER: 'Alex' }
    for (const typed of ['\r', '']) {
      const { status, stderr } = await run(['key'], { env, terminal: true, typed })
      expect(status).toBe(4)
      expect(stderr).toContain('fish-cli: ')
    }
  })

  test('is not shown where nobody can answer', async () => {
    const { status, stderr } = await run(['key'], { env: { ...context.base, FISH_USER: 'Alex' } })
    expect(status).toBe(4)
    expect(stderr).toContain('FISH_PASSWORD_FILE')
  })
})
