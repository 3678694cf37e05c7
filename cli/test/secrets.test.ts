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
  const commands = [['status'], ['serve', '--help'], ['--help']]

  test.each(
    commands.flatMap((argv) => [
      [argv],
      [[...argv, '--bogus']],
      [[...argv, '--json']],
      [[...argv, '--json', '--bogus']],
    ]),
  )('are not in the output of %j', async (argv) => {
    for (const url of [context.service.url, 'http://127.0.0.1:1']) {
      const env = { ...context.base, FISH_USER: 'Alex', FISH_URL: url, ...CANARIES }
      const { stdout, stderr } = await run(argv, { env })
      expect(stdout + stderr).not.toContain('canary')
      expect(stdout + stderr).not.toBe('')
    }
  })

  test('an API key that is not a valid header value is rejected and not printed', async () => {
    const env = { ...context.base, FISH_API_KEY: 'canary\u{1f980}' }
    const { status, stderr } = await run(['status'], { env })
    expect(status).toBe(4)
    expect(stderr).toContain('FISH_API_KEY')
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
  ])('is not printed: %j', async (argv) => {
    const { status, stdout, stderr } = await run(argv, { env: context.base })
    expect(status).toBe(2)
    expect((stdout + stderr).toLowerCase()).not.toContain('hunter2')
  })

  test('causes a hint that names the variable to set instead', async () => {
    expect((await run(['key', '--password', 'x'])).stderr).toContain('FISH_PASSWORD')
    expect((await run(['add', '--api-key', 'x'])).stderr).toContain('FISH_API_KEY')
    expect((await run(['user', 'create', '--admin-password', 'x'])).stderr).toContain('FISH_ADMIN_PASSWORD')
  })
})

describe('the password prompt', () => {
  test('is not shown if there is no terminal', async () => {
    const { status, stderr } = await run(['key'], { env: { ...context.base, FISH_USER: 'Alex' } })
    expect(status).toBe(4)
    expect(stderr).toContain('FISH_PASSWORD_FILE')
  })
})
