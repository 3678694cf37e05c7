import { createAdminClient } from '@fish-crab/sdk/admin'
import { describe, expect, test } from 'vitest'
import { interruption } from '../src/core/errors.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { ADMIN_PASSWORD, run, serviceContext, startImpostor } from './harness.ts'

const context = serviceContext()

const conformance = (argv: readonly string[], env = context.admin) => run(['conformance', ...argv], { env })

describe('conformance', () => {
  test('uses the address in FISH_URL, and prints TAP for the selected checks', async () => {
    const { status, stdout } = await conformance(['--tap', '--only', 'operations', '--only', 'status-ok'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^TAP version 14\n1\.\.\d+\nok 1 - status-ok: /)
  })

  test('prints a table by default, and skips the checks that --skip names', async () => {
    const { status, stdout } = await conformance(['--only', 'status', '--skip', 'demo-fish', context.service.url])
    expect(status).toBe(0)
    expect(stdout).toContain('skipped  demo-fish')
    expect(stdout).toMatch(/\n\n\d+ passed, 0 failed, 1 skipped\n$/)
  })

  test('--dry-run lists the checks, needs no password, and sends no request', async () => {
    const env = { FISH_URL: 'http://127.0.0.1:9' }
    const argv = ['--dry-run', '--only', 'operations', '--only', 'status-ok', '--skip', 'operations-docs']
    const { status, stdout } = await conformance([...argv, '--json'], env)
    const { checks, ...rest } = JSON.parse(stdout)
    expect({ status, rest }).toEqual({ status: 0, rest: { dryRun: true, url: 'http://127.0.0.1:9' } })
    const ids = checks.map(({ id }: { id: string }) => id)
    expect(ids).toContain('status-ok')
    expect(ids).not.toContain('operations-docs')
    const table = await conformance(argv, env)
    for (const id of ids) expect(table.stdout).toContain(`\n${id} `)
    expect((await conformance(['--dry-run', '--tap'], env)).status).toBe(2)
    expect((await conformance(['--dry-run', '--only', 'nonsense'], env)).status).toBe(2)
  })

  test('exits with 1 if a check fails, and reports the failure on stderr immediately', async () => {
    const { status, stdout, stderr } = await conformance(['--only', 'limit-headers', '--tap'])
    expect(status).toBe(1)
    expect(stdout).toContain('not ok 1 - limit-headers')
    expect(stderr).toContain('failed: limit-headers: expected x-ratelimit-limit: 25')
  })

  test.each([
    [['--tap', '--dry-run'], '--tap and --dry-run cannot be given together.'],
    [['--rate-limit', '0'], '--rate-limit must be a whole number from 1.'],
    [['--rate-window', 'x'], '--rate-window must be a whole number from 1.'],
    [['--max-wait', 'x'], '--max-wait must be a whole number from 0.'],
    [['--only', 'nonsense'], 'Unknown check or section "nonsense".'],
    [['--only', 'writes', '--skip', 'writes'], 'leave no check to run.'],
    [['--allowed-origin', 'x y'], '--allowed-origin must be an origin'],
    [['--user', 'Alex', '--admin', 'root'], '--user and --admin cannot be given together.'],
    [['--user', 'not a name'], '--user must be'],
    [['ftp://127.0.0.1'], 'URL (FISH_URL) must be an address'],
  ])('rejects invalid flags and exits with 2: %j', async (argv, message) => {
    const { status, stderr } = await conformance(argv)
    expect(status).toBe(2)
    expect(stderr).toContain(message)
  })

  test('with --user, needs no administrator, and reports the number of records that remain', async () => {
    const { name, fernetKey, apiKey } = await createAdminClient({
      baseUrl: context.service.url,
      username: 'admin',
      password: ADMIN_PASSWORD,
    }).users.create({ name: 'Tester' })
    const env = { ...context.base, FISH_KEY: fernetKey, FISH_API_KEY: apiKey }
    const { status, stdout, stderr } = await conformance(['--user', name, '--only', 'writes', '--only', 'admin'], env)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(
      /\n\d+ passed, 0 failed, \d+ skipped\n\nCould not be removed: \d+ records of the user Tester\n$/,
    )
    for (const secret of [fernetKey, apiKey]) expect(stdout).not.toContain(secret)
  })

  test.each([
    ['the profile', {}],
    ['FISH_URL', { FISH_URL: 'http://127.0.0.1:1' }],
  ])('never sends the stored secret of a profile to a different service, even if URL overrides %s', async (_, more) => {
    const folder = newFolder()
    const { apiKey, password } = context.alex
    const saved = await run(['login', 'Alex', '--with-api-key'], {
      env: { ...context.base, ...xdgFolders(folder), FISH_API_KEY: apiKey, FISH_PASSWORD: password },
    })
    expect(saved.status).toBe(0)
    let requests = 0
    const other = await startImpostor((_, response) => {
      requests += 1
      response.end('{}')
    })
    const { status, stdout } = await conformance([other.url, '--user', 'Alex', '--json'], {
      ...xdgFolders(folder),
      ...more,
    })
    other.close()
    expect([status, requests]).toEqual([4, 0])
    expect(JSON.parse(stdout).error.hint).toContain(`works only at ${context.service.url}.`)
  })

  test('groups failures by probable cause', async () => {
    const broken = await startImpostor((_, response) =>
      response.writeHead(500, { 'content-type': 'text/html' }).end('x'),
    )
    const env = { FISH_KEY: context.alex.fernetKey, FISH_API_KEY: context.alex.apiKey }
    const { status, stdout } = await conformance([broken.url, '--user', 'Alex', '--only', 'writes'], env)
    broken.close()
    expect(status).toBe(1)
    expect(stdout).toMatch(/\nFailures by probable cause\n +\d+ {2}(GET|POST) \/\S+ responds 500: [a-z0-9-]+, /)
  })

  test.each([
    [{ 'retry-after': '65' }, 65],
    [{ 'x-ratelimit-reset': '1767225700', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, 100],
    [{}, undefined],
  ])(
    'exits with 75 after status 429, and reports when to retry according to the headers %j',
    async (headers, seconds) => {
      const limited = await startImpostor((_, response) => response.writeHead(429, headers).end('{}'))
      const clock = { now: () => Date.parse('2026-01-01T12:00:00Z'), sleep: async () => {} }
      const { status, stdout } = await run(['conformance', limited.url, '--json'], { env: context.admin, clock })
      limited.close()
      const retryAt = seconds === undefined ? null : new Date(clock.now() + seconds * 1000).toISOString()
      expect(status).toBe(75)
      expect(JSON.parse(stdout).error).toMatchObject({ code: 'rate_limited', exit: 75, retryAt })
      if (retryAt)
        expect(JSON.parse(stdout).error.hint).toContain(`${new Date(retryAt).toTimeString().slice(0, 8)} (local time)`)
    },
  )

  test('exits with 4 without a password', async () => {
    expect((await conformance([], context.base)).status).toBe(4)
  })

  test('removes its test accounts after Ctrl-C, and exits with 130', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(interruption()), 40)
    const { status } = await run(['conformance'], { env: context.admin, interrupted: controller.signal })
    expect(status).toBe(130)
    const admin = createAdminClient({
      baseUrl: context.service.url,
      username: 'admin',
      password: ADMIN_PASSWORD,
      env: {},
    })
    const { users } = await admin.users.list({ search: 'Conformance-' })
    expect(users).toEqual([])
  })

  test('exits with 1 if the server at the address is not the service', async () => {
    const impostor = await startImpostor((_, response) => response.end('hello'))
    const { status, stderr } = await conformance([impostor.url])
    impostor.close()
    expect(status).toBe(1)
    expect(stderr).toContain('The response to the login does not match the contract')
  })
})
