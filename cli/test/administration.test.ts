import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMock, type Mock, type MockServer } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Env, type RunOptions, run } from './harness.ts'

const PASSWORD = 'canary-admin-password'
const STARTED = Date.UTC(2026, 0, 2)
const MINUTE = 60_000

let mock: Mock
let served: MockServer
let folder: string
let env: Env

beforeAll(async () => {
  const fish = { earth: [{ name: 'Salmon', rarity: 'gold' as const }], survival: [{ name: 'Cod', rarity: 1 as const }] }
  const players = ['Alex', 'Bella', 'Carl'].map((name) => ({ name, password: `canary-${name}-password` }))
  const users = players.map((user) => (user.name === 'Alex' ? { ...user, fish, crab: { earth: [{}] } } : user))
  const admins = [
    { username: 'admin', password: PASSWORD },
    { username: 'mia', password: PASSWORD, role: 'admin' as const },
  ]
  mock = await createMock({
    seed: { users, admins },
    startAt: STARTED,
    limits: { adminRequests: 20 },
    publicLeaderboard: true,
  })
  served = await mock.serve()
  folder = await mkdtemp(join(tmpdir(), 'fish-cli-administration-'))
})

afterAll(async () => {
  await served.close()
  await rm(folder, { recursive: true })
})

beforeEach(async () => {
  await mock.reset()
  env = { FISH_URL: served.url, FISH_MAX_WAIT: '0', FISH_ADMIN_PASSWORD: PASSWORD }
})

const fish = (argv: readonly string[], options: RunOptions = {}) =>
  run(argv, { ...options, env: { ...env, ...options.env } })

async function json(argv: readonly string[], options: RunOptions = {}) {
  const { status, stdout, stderr } = await fish([...argv, '--json'], options)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

const names = async () => (await json(['user', 'list'])).users.map(({ name }: { name: string }) => name)
const writes = () => mock.requests.filter(({ method, path }) => method !== 'GET' && path !== '/admin/login')

describe('users', () => {
  test('user list prints players sorted by name, filtered by --search and limited by --limit', async () => {
    expect(await names()).toEqual(['Alex', 'Bella', 'Carl'])
    expect((await json(['user', 'list', '--search', 'EL'])).users).toMatchObject([{ name: 'Bella' }])
    const limited = await fish(['user', 'list', '--limit', '2'])
    expect(limited.stdout).toMatch(/Alex.*\n.*Bella/)
    expect(limited.stdout).not.toContain('Carl')
    expect(limited.stderr).toContain('more players')
    expect(await json(['user', 'list', '--limit', '3'])).toMatchObject({ more: false })
    expect((await fish(['user', 'list', '--search', 'zzz'])).stderr).toContain('No player')
  })

  test('user show finds a player by name in any letter case', async () => {
    expect(await json(['user', 'show', 'alex'])).toEqual({
      id: expect.any(String),
      name: 'Alex',
      createdAt: expect.any(String),
      fish: expect.any(Number),
      crab: expect.any(Number),
      lastCatchAt: expect.any(String),
    })
    await json(['key', 'Alex', '--out', '-'])
    expect(await json(['user', 'show', 'alex'])).toHaveProperty('lastKeyReadAt')
    expect((await fish(['user', 'show', 'Nobody'])).status).toBe(5)
  })
})

describe('user create', () => {
  test('rejects a taken or invalid name, and a login file that exists or cannot be created', async () => {
    const codeOf = async (argv: readonly string[]) => {
      const { status, stdout } = await fish(['user', 'create', '--json', ...argv])
      return { status, code: JSON.parse(stdout).error.code }
    }
    expect(await codeOf(['ALEX'])).toEqual({ status: 6, code: 'user_exists' })
    for (const name of ['Not a name', '-x', '..', 'x'.repeat(33)]) {
      expect(await codeOf(['--', name])).toMatchObject({ status: 2 })
    }
    const file = fileURLToPath(import.meta.url)
    expect(await codeOf(['Dora', '--login-file', file])).toEqual({ status: 6, code: 'file_exists' })
    expect(await codeOf(['Dora', '--login-file', join(folder, 'none', 'dora.json')])).toEqual({
      status: 2,
      code: 'usage',
    })
    expect(await names()).toEqual(['Alex', 'Bella', 'Carl'])
  })

  test('checks the path of the login file before it prompts for a password', async () => {
    const file = fileURLToPath(import.meta.url)
    const options = { env: { FISH_ADMIN_PASSWORD: '' }, terminal: true, typed: `${PASSWORD}\r` }
    const { status, stderr } = await fish(['user', 'create', 'Dora', '--login-file', file], options)
    expect({ status, stderr }).toEqual({ status: 6, stderr: expect.stringContaining('already exists') })
    expect(stderr).not.toContain('Password of')
  })
})

describe('user reset', () => {
  test.each([
    ['user reset', ['user', 'reset', 'Alex', '--type', 'password'], /^\S{8,}\n$/],
    ['user reset --type fernet', ['user', 'reset', 'Alex', '--type', 'fernet'], /^[\w+/=-]{44}\n$/],
  ])('prints the secret on a terminal, and requires a destination in a script: %s', async (_, argv, secret) => {
    const before = writes().length
    for (const more of [[], ['--json']]) {
      const refused = await fish([...argv, '--yes', ...more])
      expect(refused.status).toBe(2)
      expect(refused.stdout + refused.stderr).toContain('--show')
    }
    expect(writes()).toHaveLength(before)
    const shown = await fish([...argv, '--yes'], { terminal: true })
    expect(shown).toMatchObject({ status: 0, stdout: expect.stringMatching(secret) })
    expect(shown.stdout).not.toContain('****')
  })

  test('prints the secret with --show, and also with --out -', async () => {
    const reset = (...more: string[]) => fish(['user', 'reset', 'Alex', '--type', 'fernet', '--yes', ...more])
    for (const how of [['--show'], ['--out', '-']]) expect((await reset(...how)).stdout).toMatch(/^[\w+/=-]{44}\n$/)
    expect(JSON.parse((await reset('--show', '--json')).stdout)).toMatchObject({ type: 'fernet', masked: false })
  })

  test('fails if the file that --out names cannot be created, and writes no file', async () => {
    const argv = ['user', 'reset', 'Alex', '--type', 'password']
    const there = fileURLToPath(import.meta.url)
    const before = await readdir(folder)
    for (const [more, status, code] of [
      [['--out', there], 6, 'file_exists'],
      [['--out', join(folder, 'none', 'secret')], 2, 'usage'],
      [['--out', folder, '--force'], 6, 'file_exists'],
      [['--out', join(folder, 'none/')], 2, 'usage'],
      [['--out', ''], 2, 'usage'],
    ] as const) {
      const result = await fish([...argv, ...more, '--yes', '--json'])
      expect({ status: result.status, code: JSON.parse(result.stdout).error.code }).toEqual({ status, code })
    }
    expect(await readdir(folder)).toEqual(before)
    expect(writes()).toEqual([])
  })
})

describe('user delete', () => {
  test('--dry-run lists the data that would be deleted, and deletes nothing', async () => {
    expect(await json(['user', 'delete', 'alex', '--dry-run'])).toEqual({
      user: 'Alex',
      fish: 2,
      crab: 1,
      dryRun: true,
    })
    expect((await fish(['user', 'delete', 'Alex', '--dry-run'])).stdout).toContain('2 fish and 1 crab.')
    expect(writes()).toEqual([])
  })

  test('prompts for confirmation, and deletes nothing without confirmation', async () => {
    for (const [argv, options, status] of [
      [[], {}, 2],
      [['--no-input'], { terminal: true, typed: 'y\r' }, 2],
      [[], { terminal: true, typed: 'n\r' }, 1],
    ] as const) {
      expect((await fish(['user', 'delete', 'Alex', ...argv], options)).status).toBe(status)
    }
    expect(writes()).toEqual([])
    const asked = await fish(['user', 'delete', 'Alex'], { terminal: true, typed: 'y\r' })
    expect(asked).toMatchObject({ status: 0, stdout: 'Deleted Alex.\n' })
    expect(await names()).toEqual(['Bella', 'Carl'])
    expect((await fish(['user', 'delete', 'Alex', '--yes'])).status).toBe(5)
  })
})

test('user reset distinguishes a missing --type from an unknown type', async () => {
  expect((await fish(['user', 'reset', 'Alex'])).stderr).toContain('Missing --type.')
  const { status, stderr } = await fish(['user', 'reset', 'Alex', '--type', 'api'])
  expect(status).toBe(2)
  expect(stderr).toContain('--type must be one of password, fernet, api-key.')
})

test.each([
  [['user', 'create', 'Dora'], { FISH_ADMIN_PASSWORD: undefined }],
  [['add', 'Cod', '-r', '1', '-g', 'earth', '-u', 'Alex'], { FISH_KEY: undefined }],
])('%j does not prompt with --no-input', async (argv, env) => {
  const { status, stderr } = await fish([...argv, '--no-input'], { env, terminal: true, typed: 'x\r' })
  expect(status).toBe(4)
  expect(stderr).toMatch(/^fish-cli: The .+ is missing\.\n/)
})

describe('password', () => {
  const OLD = 'canary-Alex-password'
  const NEW = { FISH_NEW_PASSWORD: 'canary-new-password' }
  const key = (password: string) => fish(['key', '--user', 'Alex'], { env: { FISH_PASSWORD: password } })

  test('replaces the password of a player, and keeps the key', async () => {
    const before = await key(OLD)
    const changed = await json(['password', '--user', 'Alex'], { env: { FISH_PASSWORD: OLD, ...NEW } })
    expect(changed).toEqual({ name: 'Alex', changed: true })
    expect((await key(OLD)).status).toBe(4)
    expect((await key(NEW.FISH_NEW_PASSWORD)).stdout).toBe(before.stdout)
  })

  test('prompts twice for the new password, and rejects two entries that differ', async () => {
    const typing = (...lines: string[]) =>
      fish(['password', '--user', 'Alex'], {
        env: { FISH_PASSWORD: OLD },
        terminal: true,
        typed: lines.map((line) => `${line}\r`).join(''),
      })
    const different = await typing('canary-new-password', 'canary-new-passwort')
    expect(different).toMatchObject({ status: 2, stdout: '' })
    const changed = await typing('canary-new-password', 'canary-new-password')
    expect(changed.status).toBe(0)
    for (const { stdout, stderr } of [different, changed]) expect(stdout + stderr).not.toContain('canary')
    expect((await key('canary-new-password')).status).toBe(0)
  })

  test('rejects a wrong old password and a short new password, and changes nothing', async () => {
    const run = (env: Env) => fish(['password', '--user', 'Alex'], { env })
    expect((await run({ FISH_PASSWORD: 'canary-wrong', ...NEW })).status).toBe(4)
    expect((await run({ FISH_PASSWORD: OLD, FISH_NEW_PASSWORD: 'canary' })).status).toBe(2)
    expect((await key(OLD)).status).toBe(0)
  })

  test('replaces the password of an administrator with --admin, and names the next login', async () => {
    const { status, stdout } = await fish(['password', '--admin', 'mia'], { env: NEW })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^mia has a new password\. Log in again: fish-cli login mia --admin/)
    const logIn = (password: string) =>
      fish(['leaderboard'], { env: { FISH_ADMIN_USERNAME: 'mia', FISH_ADMIN_PASSWORD: password } })
    expect((await logIn(PASSWORD)).status).toBe(4)
    expect((await logIn(NEW.FISH_NEW_PASSWORD)).status).toBe(0)
  })
})

describe('admin', () => {
  const create = ['admin', 'create', 'zoe']
  const logIn = (password: string) =>
    fish(['leaderboard'], { env: { FISH_ADMIN_USERNAME: 'zoe', FISH_ADMIN_PASSWORD: password } })

  test('creates, lists and deletes administrators', async () => {
    const created = await json(create, { env: { FISH_NEW_PASSWORD: 'canary-of-zoe' } })
    expect(created).toEqual({ username: 'zoe', role: 'admin', createdAt: expect.any(String) })
    const { admins } = await json(['admin', 'list'])
    expect(admins.map(({ username }: { username: string }) => username)).toEqual(['admin', 'mia', 'zoe'])
    expect((await logIn('canary-of-zoe')).status).toBe(0)
    const again = { env: { FISH_NEW_PASSWORD: 'canary-of-zoe' } }
    expect((await fish(create, again)).status).toBe(6)
    expect((await fish(['admin', 'delete', 'zoe'])).status).toBe(2)
    expect((await fish(['admin', 'delete', 'zoe', '--yes'])).stdout).toBe('Deleted zoe.\n')
    expect((await logIn('canary-of-zoe')).status).toBe(4)
    expect((await fish(['admin', 'delete', 'zoe', '--yes'])).status).toBe(5)
  })

  test('reset gives an administrator a new password, which the file of --out contains', async () => {
    const out = join(folder, 'mia.password')
    expect((await fish(['admin', 'reset-password', 'mia', '--out', out])).status).toBe(2)
    expect((await fish(['admin', 'reset-password', 'mia', '--yes', '--out', out])).stdout).toBe(
      `The password of mia is in ${out}.\n`,
    )
    const logInAs = (password: string) =>
      fish(['leaderboard'], { env: { FISH_ADMIN_USERNAME: 'mia', FISH_ADMIN_PASSWORD: password } })
    expect((await logInAs(PASSWORD)).status).toBe(4)
    expect((await logInAs((await readFile(out, 'utf8')).trim())).status).toBe(0)
    expect((await fish(['admin', 'reset-password', 'nobody', '--yes', '--show'])).status).toBe(5)
  })

  test('delete never removes the last superadmin', async () => {
    const remove = ['admin', 'delete', 'ADMIN', '--yes', '--json']
    const { status, stdout } = await fish(remove)
    const { code, hint } = JSON.parse(stdout).error
    expect({ status, code, hint }).toEqual({
      status: 6,
      code: 'last_superadmin',
      hint: 'Run: fish-cli admin create NAME --role superadmin',
    })
    const other = ['admin', 'create', 'zoe', '--role', 'superadmin']
    expect((await fish(other, { env: { FISH_NEW_PASSWORD: 'canary-of-zoe' } })).status).toBe(0)
    expect((await fish(remove)).status).toBe(0)
  })

  test('create reads the new password from stdin, and never uses the password of the acting administrator', async () => {
    const piped = await fish([...create, '--password-stdin', '--role', 'superadmin'], { piped: 'canary-of-zoe\n' })
    expect(piped).toMatchObject({ status: 0, stderr: '' })
    expect(piped.stdout).not.toContain('canary')
    expect((await logIn('canary-of-zoe')).status).toBe(0)
    const none = await fish(['admin', 'create', 'yan'])
    expect(none.status).toBe(4)
    expect(none.stderr).toMatch(/FISH_NEW_PASSWORD_FILE .* Or use --password-stdin\./)
  })

  test('create prompts for the new password twice without echo, and rejects two entries that differ', async () => {
    const typing = (...lines: string[]) =>
      fish(create, { terminal: true, typed: lines.map((line) => `${line}\r`).join('') })
    const wrong = await typing('canary-of-zoe', 'canary-of-zoo')
    expect(wrong).toMatchObject({ status: 2, stdout: '' })
    expect(writes()).toEqual([])
    const right = await typing('canary-of-zoe', 'canary-of-zoe')
    expect(right.status).toBe(0)
    for (const { stdout, stderr } of [wrong, right]) expect(stdout + stderr).not.toContain('canary')
    expect((await logIn('canary-of-zoe')).status).toBe(0)
  })

  test('create rejects a new password that is missing or has an invalid length, whichever source is used', async () => {
    const given = (password: string) => ({ env: { FISH_NEW_PASSWORD: password } })
    const ways: [string[], RunOptions, number, string][] = [
      [[], given('canary'), 2, 'usage'],
      [[], given('x'.repeat(257)), 2, 'usage'],
      [['--password-stdin'], { piped: 'canary\n' }, 2, 'usage'],
      [['--password-stdin'], { piped: '' }, 4, 'missing_credentials'],
      [['--no-input'], { terminal: true, typed: 'canary-of-zoe\r' }, 4, 'missing_credentials'],
      [[], {}, 4, 'missing_credentials'],
    ]
    for (const [argv, options, status, code] of ways) {
      const result = await fish([...create, ...argv, '--json'], options)
      expect({ status: result.status, code: JSON.parse(result.stdout).error.code }).toEqual({ status, code })
      expect(result.stdout).not.toContain('canary')
    }
    expect((await fish(create, given('canary'))).stderr).toContain('8 to 256 characters')
    expect((await fish(['admin', 'create', 'Not a name'])).status).toBe(2)
    expect(writes()).toEqual([])
  })
})

describe('leaderboard', () => {
  test('ranks players by the number of fish or crabs, in one gamemode or in all gamemodes', async () => {
    expect(await json(['leaderboard'])).toEqual({
      type: 'fish',
      gamemode: null,
      leaderboard: [{ place: 1, name: 'Alex', count: 2 }],
    })
    expect((await json(['leaderboard', '-g', 'earth'])).leaderboard).toMatchObject([{ count: 1 }])
    expect((await fish(['leaderboard', 'crabs', '--csv'])).stdout).toMatch(/^place,name,count\r?\n1,Alex,1\r?\n$/)
    expect((await fish(['leaderboard', 'crabs', '--gamemode', 'factions'])).stderr).toContain('No catches yet.')
  })

  test('needs no login if the service publishes the leaderboard, and otherwise suggests --admin', async () => {
    const nobody = { env: { FISH_ADMIN_PASSWORD: undefined } }
    expect((await json(['leaderboard'], nobody)).leaderboard).toEqual([{ place: 1, name: 'Alex', count: 2 }])
    await using closed = await createMock()
    await using served = await closed.serve()
    const refused = await fish(['leaderboard', '--url', served.url], nobody)
    expect(refused.status).toBe(5)
    expect(refused.stderr).toMatch(/no public leaderboard.*\n.*--admin admin/s)
  })

  test('counts species, a rarity or a month, and shows the place of the player below the list', async () => {
    const nobody = { env: { FISH_ADMIN_PASSWORD: undefined } }
    expect((await json(['leaderboard', '--by', 'species'], nobody)).leaderboard).toEqual([
      { place: 1, name: 'Alex', count: expect.any(Number) },
    ])
    expect((await json(['leaderboard', '--by', 'mythical'], nobody)).leaderboard).toEqual([])
    expect((await json(['leaderboard', '--period', '2001-01'], nobody)).leaderboard).toEqual([])
    for (const [args, problem] of [
      [['--by', 'whales'], '--by must be catches, species, or one of'],
      [['--period', 'november'], '--period must be a month such as 2026-11.'],
      [['--by', 'species', '--period', '2026-11'], 'omit --period'],
      [['crabs', '--by', '7'], 'Crabs have no rarity'],
    ] as const) {
      const wrong = await fish(['leaderboard', ...args], nobody)
      expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining(problem)])
    }
    // The leaderboard of administrators counts only catches.
    expect((await json(['leaderboard', '--by', 'mythical'])).leaderboard).toEqual([])
  })

  test('prints bars with --chart', async () => {
    expect((await fish(['leaderboard', '--chart'])).stdout).toMatch(/^Alex {2}█+ 2\n$/)
  })
})

describe('audit', () => {
  test('shows the newest entries first, up to --limit and after --since', async () => {
    await fish(['user', 'reset', 'Alex', '-t', 'fernet', '--yes', '--show'])
    await mock.clock.advance(5 * MINUTE)
    await fish(['user', 'delete', 'Bella', '--yes'])
    const { entries, more } = await json(['audit'])
    const actions = entries.map(({ action }: { action: string }) => action)
    expect(actions).toEqual(['user.delete', 'login', 'user.reset.fernet', 'login'])
    expect(more).toBe(false)
    expect(await json(['audit', '--limit', '2'])).toMatchObject({ more: true, entries: [{}, {}] })
    expect((await fish(['audit', '--limit', '1'])).stderr).toContain('--limit')
    const since = new Date(STARTED + MINUTE).toISOString()
    const late = await fish(['audit', '--since', since, '--csv'])
    expect(late.stdout).toContain(',admin,user.delete,Bella,')
    expect(late.stdout).not.toContain('fernet')
  })
})

describe('stats', () => {
  test('without USER counts the collections of the player in FISH_USER, even for an administrator', async () => {
    const own = { env: { FISH_ADMIN_PASSWORD: undefined, FISH_USER: 'alex' } }
    expect(await json(['stats'], own)).toMatchObject({ user: 'Alex' })
    expect(await json(['stats'], { env: { FISH_USER: 'alex' } })).toMatchObject({ user: 'Alex' })
  })

  test('--species lists the species of all gamemodes with their counts and times, most caught first', async () => {
    const { fish: added } = createClient(mock.client('Bella'))
    const cod = (day: number) => ({ name: 'Cod', rarity: 1, caughtAt: `2025-12-0${day}T00:00:00.000Z` }) as const
    await added.add([{ ...cod(1), name: 'Ant' }, cod(2), cod(4)], { gamemode: 'earth' })
    await added.add(cod(3), { gamemode: 'survival' })
    const row = (name: string, count: number, first: number, last: number) => ({
      kind: 'fish',
      ...{ name, rarity: 'Bronze', count },
      ...{ firstCaughtAt: cod(first).caughtAt, lastCaughtAt: cod(last).caughtAt },
    })
    const species = [row('Cod', 3, 2, 4), row('Ant', 1, 1, 1)]
    expect(await json(['stats', 'bella', '--species'])).toEqual({ user: 'Bella', species })
    expect((await fish(['stats', '--species'])).status).toBe(2)
  })

  test('--all counts the players and catches of the whole service for an administrator', async () => {
    const counts = ['stats', '--all']
    expect(await json(counts)).toMatchObject({ users: 3, fish: { total: 2 }, crab: { total: 1 } })
    expect((await fish([...counts, '--chart'])).stdout).toMatch(/^crab earth +█+ 1$/m)
    expect((await fish(['stats', '--admin', 'admin'])).stderr).toContain('fish-cli stats --all')
    expect((await fish([...counts, 'Alex'])).status).toBe(2)
  })
})
