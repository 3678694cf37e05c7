import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { compareClocks, compareVersions } from '../src/commands/tester/check-service.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext, startImpostor, startServiceContext } from './harness.ts'

const context = serviceContext()
let home: string
let base: Env

beforeEach(() => {
  home = newFolder()
  base = xdgFolders(home)
})

const login = () =>
  run(['login', 'Alex', '--url', context.service.url], { env: { ...base, FISH_PASSWORD: context.alex.password } })

async function doctor(env: Env = {}, ...argv: readonly string[]) {
  const { status, stdout, stderr } = await run(['doctor', '--json', ...argv], { env: { ...base, ...env } })
  const { ok, checks } = JSON.parse(stdout)
  const byName = Object.fromEntries(checks.map((check: { check: string }) => [check.check, check]))
  const health = Object.fromEntries(checks.map((one: { check: string; status: string }) => [one.check, one.status]))
  return { status, stderr, ok, byName, health }
}

const WELL = { node: 'ok', config: 'ok', secrets: 'ok', keyring: 'ok', log: 'ok' }
const KEPT = { outbox: 'ok' }
const REACHED = { connection: 'ok', service: 'ok', clock: 'ok' }

describe('doctor', () => {
  test('passes after a login, and prints a report unless --json is given', async () => {
    await login()
    const { status, stderr, ok, health, byName } = await doctor()
    expect({ status, stderr, ok }).toEqual({ status: 0, stderr: '', ok: true })
    expect(health).toMatchObject({ ...WELL, ...REACHED, key: 'ok' })
    expect(byName.key).toEqual({ check: 'key', status: 'ok', result: expect.stringContaining('Alex'), fix: null })
    const { stdout } = await run(['doctor'], { env: base })
    expect(stdout).toMatch(/^node: ok\n {2}Node \d/)
  })

  test('reports the game log that watch would follow', async () => {
    await login()
    const HOME = newFolder()
    expect((await doctor({ HOME })).byName.log).toMatchObject({
      status: 'ok',
      result: expect.stringContaining('No game log'),
    })
    const logs = join(HOME, '.minecraft', 'logs')
    await mkdir(logs, { recursive: true })
    await writeFile(join(logs, 'latest.log'), '')
    const { byName } = await doctor({ HOME })
    expect(byName.log.result).toMatch(/^watch would follow .*latest\.log \(vanilla\), last written \d{4}-/)
  })

  test('before a login, warns only about the missing key', async () => {
    const { status, health, byName } = await doctor({ FISH_URL: context.service.url })
    expect(status).toBe(0)
    expect(health).toMatchObject({ ...WELL, ...REACHED, key: 'warn' })
    expect(byName.key.fix).toContain('fish-cli login')
  })

  test('suggests the next step if the service does not respond, and exits with 1', async () => {
    const { status, ok, health, byName } = await doctor({ FISH_URL: 'http://127.0.0.1:1' })
    expect({ status, ok }).toEqual({ status: 1, ok: false })
    expect(health).toEqual({ ...WELL, ...KEPT, connection: 'fail' })
    expect(byName.connection.fix).toContain('FISH_URL')
  })

  test.each([40, 80, 120, undefined])('fits %s columns, splits no word, and opens no pager', async (columns) => {
    const env = { ...base, FISH_URL: 'http://127.0.0.1:1', NO_COLOR: '1' }
    const page = () => Promise.reject(new Error('A pager was opened.'))
    const terminal = columns === undefined ? {} : { terminal: true, columns, rows: 10 }
    const { stdout } = await run(['doctor'], { env, ...terminal, page })
    const { byName } = await doctor(env)
    expect(stdout).toContain('connection: fail\n  No response from http://127.0.0.1:1')
    const texts = Object.values(byName).flatMap(({ result, fix }) => [result, ...(fix === null ? [] : [fix])])
    const words = (text: string) => text.trim().split(/\s+/)
    for (const text of texts) expect(words(stdout).join(' ')).toContain(words(text).join(' '))
    // Only a path or a command is wider than a line.
    const wide = stdout.split('\n').filter((line) => line.length > (columns ?? 80))
    expect(wide.filter((line) => !/^ {2}(\S+|fish-cli .*)$/.test(line))).toEqual([])
  })

  test('prints each command on one line, so that it can be pasted', async () => {
    const env = { ...base, FISH_URL: context.service.url, NO_COLOR: '1' }
    const { stdout } = await run(['doctor'], { env, terminal: true, columns: 30, rows: 10 })
    for (const command of ['watch PATH/logs/latest.log.', 'watch --once PATH/logs', 'login']) {
      expect(stdout.split('\n').map((line) => line.trim())).toContainEqual(
        expect.stringMatching(new RegExp(`(^|: )fish-cli ${command}$`)),
      )
    }
  })

  test('distinguishes the service from another server at the address', async () => {
    const page = await startImpostor((_, response) => response.end('<p>hello</p>'))
    const { status, health } = await doctor({ FISH_URL: page.url })
    page.close()
    expect(status).toBe(1)
    expect(health).toEqual({ ...WELL, ...KEPT, connection: 'ok', service: 'fail' })
  })

  test('reports a key and an API key that the service rejects', async () => {
    const FISH_KEY = Buffer.alloc(32, 7).toString('base64')
    const env = { FISH_URL: context.service.url, FISH_USER: 'Alex', FISH_KEY, FISH_API_KEY: 'fck_canary' }
    const { status, health, byName } = await doctor(env)
    expect(status).toBe(1)
    expect(health).toMatchObject({ ...REACHED, key: 'fail', 'api-key': 'fail' })
    expect(byName.key.fix).toContain('FISH_KEY')
    const good = await doctor({ ...env, FISH_KEY: context.alex.fernetKey, FISH_API_KEY: context.alex.apiKey })
    expect(good.health).toMatchObject({ key: 'ok', 'api-key': 'ok' })
    const none = await doctor({ ...env, FISH_KEY: 'no key' })
    expect(none.health).toMatchObject({ key: 'fail' })
  })

  test('does not wait until the rate limit resets', async () => {
    const limited = await startServiceContext({ FISH_RATE_LIMIT: '1' })
    const env = { FISH_URL: limited.service.url, FISH_USER: 'Alex', FISH_KEY: limited.alex.fernetKey }
    const { status, health } = await doctor(env)
    await limited.service.close()
    expect(status).toBe(1)
    expect(health).toMatchObject({ connection: 'ok', key: 'fail' })
  })

  test('reports a broken configuration and a secrets file that other users can read, and runs the remaining checks', async () => {
    await login()
    await chmod(join(home, 'state', 'fish-crab', 'secrets.json'), 0o644)
    const open = await doctor()
    expect(open.status).toBe(1)
    expect(open.health).toMatchObject({ config: 'ok', secrets: 'fail' })
    expect(open.byName.secrets.fix).toContain('chmod 600')
    await writeFile(join(home, 'config', 'fish-crab', 'config.json'), '{')
    const { health, byName } = await doctor({ FISH_URL: context.service.url })
    expect(health).toMatchObject({ node: 'ok', config: 'fail', ...REACHED })
    expect(byName.config.result).toContain('config.json')
  })

  test('reports waiting catches and a damaged outbox', async () => {
    const env = { ...base, FISH_URL: 'http://127.0.0.1:1', FISH_USER: 'Alex', FISH_KEY: context.alex.fernetKey }
    const file = join(home, 'catches.csv')
    await writeFile(file, 'Cod,1\n')
    expect((await run(['add', '--file', file, '-g', 'earth', '--again', '--max-wait', '0'], { env })).status).toBe(69)
    const waiting = await doctor(env, '--offline')
    expect(waiting).toMatchObject({ status: 0, health: { outbox: 'warn' } })
    expect(waiting.byName.outbox).toMatchObject({
      result: '1 catch is waiting in the outbox.',
      fix: expect.stringMatching(/--send$/),
    })
    const elsewhere = await run(['doctor', '--offline', '--json'], { env: { ...env, FISH_URL: 'http://localhost:1' } })
    expect(JSON.parse(elsewhere.stdout).checks.filter(({ check }: { check: string }) => check === 'outbox')).toEqual([
      { check: 'outbox', status: 'ok', result: 'The outbox is empty.', fix: null },
      {
        check: 'outbox',
        status: 'warn',
        result: '1 catch is waiting for the service http://127.0.0.1:1.',
        fix: 'Send them: fish-cli outbox --send --url http://127.0.0.1:1',
      },
    ])
    const { stdout } = await run(['outbox', '--json'], { env })
    const { path } = JSON.parse(stdout)
    await writeFile(path, 'no outbox')
    const damaged = await doctor(env, '--offline')
    expect(damaged).toMatchObject({ status: 1, health: { outbox: 'fail' } })
    for (const argv of [[], ['--send'], ['--retry']]) {
      const { stderr, status } = await run(['outbox', ...argv], { env })
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(path) })
      expect(stderr).toContain('Move the file away to continue.')
    }
  })

  test('warns about a configuration file that other users can read', async () => {
    await mkdir(join(home, 'config', 'fish-crab'), { recursive: true })
    const file = join(home, 'config', 'fish-crab', 'config.json')
    await writeFile(file, '{"version":1}')
    await chmod(file, 0o644)
    const { status, health } = await doctor({}, '--offline')
    expect(status).toBe(0)
    expect(health).toEqual({ ...WELL, ...KEPT, config: 'warn' })
  })

  // On other systems, the environment cannot make the keyring unavailable.
  test.skipIf(process.platform !== 'linux')('fails if the keyring is configured but missing (Linux)', async () => {
    const env = { FISH_SECRET_STORE: 'keyring', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/dev/null/bus' }
    const { status, byName } = await doctor(env, '--offline')
    expect(status).toBe(1)
    expect(byName.keyring).toMatchObject({ status: 'fail', fix: expect.stringContaining('secret-store file') })
  })

  test('reports an unknown profile', async () => {
    const { status, health } = await doctor({}, '--profile', 'nope')
    expect(status).toBe(1)
    expect(health).toEqual({ ...WELL, profile: 'fail' })
  })
})

describe('the clock check', () => {
  const SERVER = Date.parse('2026-11-20T12:00:00Z')
  const date = 'Fri, 20 Nov 2026 12:00:00 GMT'

  test.each([
    ['equal times', 500, 'ok', 'matches'],
    ['a difference that is too small to measure', 1000, 'ok', 'matches'],
    ['a clock that is 9 s ahead', 10_500, 'ok', '9 s ahead'],
    ['a clock that is 59 s behind', -59_500, 'ok', '59 s behind'],
    ['a clock that is two minutes behind', -120_500, 'warn', '120 s behind'],
    ['a clock that is a day ahead', 86_400_500, 'warn', '86399 s ahead'],
  ])('reports %s', (_, offset, status, found) => {
    const here = SERVER + offset
    const finding = compareClocks(here - 100, here + 100, date)
    expect(finding).toMatchObject({ status, result: expect.stringContaining(found) })
  })

  test('tolerates the duration of a slow response, and warns if the response has no Date header', () => {
    const sentAt = SERVER - 60_000
    expect(compareClocks(sentAt, SERVER + 1000, date).result).toContain('matches')
    expect(compareClocks(sentAt, SERVER, null).status).toBe('warn')
  })
})

describe('the version check', () => {
  test.each([
    ['0.1.0', '0.1.9', 'ok'],
    ['0.1.0', '0.2.0', 'warn'],
    ['1.2.0', '1.9.0', 'ok'],
    ['1.2.0', '2.0.0', 'warn'],
  ])('compares fish-cli %s with service %s: %s', (own, service, status) => {
    expect(compareVersions(own, service).status).toBe(status)
  })
})
