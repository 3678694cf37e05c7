import { createMock, type Fault, type FaultOn, type Mock, type Standalone } from '@fish-crab/mocks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { FAILURE_SCHEMA } from '../src/failure-schema.ts'
import { type Env, type RunResult, run } from './harness.ts'

const PASSWORD = 'canary-admin-password'
const NEW_PASSWORD = 'canary-new-password'
const PLAYER = {
  name: 'Alex',
  password: 'canary-player-password',
  fernetKey: Buffer.from('canary-fernet-key-of-32-bytes-ok').toString('base64'),
  apiKey: 'fck_canary-api-key',
  fish: { earth: [{ name: 'Salmon', rarity: 'gold' }] },
  crab: { oneblock: [{}] },
} as const
const SECRETS = [PASSWORD, NEW_PASSWORD, PLAYER.password, PLAYER.fernetKey, PLAYER.apiKey, 'canary']
const NOBODY = 'http://127.0.0.1:1'

let mock: Mock
let served: Standalone
let env: Env

beforeAll(async () => {
  const admins = [
    { username: 'admin', password: PASSWORD },
    { username: 'mia', password: PASSWORD, role: 'admin' as const },
  ]
  mock = await createMock({ seed: { users: [PLAYER], admins }, limits: { requests: 10_000, adminRequests: 10_000 } })
  served = await mock.serve()
})

afterAll(() => served.close())

beforeEach(async () => {
  await mock.reset()
  env = {
    FISH_URL: served.url,
    FISH_MAX_WAIT: '0',
    FISH_ADMIN_PASSWORD: PASSWORD,
    FISH_NEW_ADMIN_PASSWORD: NEW_PASSWORD,
    // Never used by an administrator, and so never shown.
    FISH_API_KEY: PLAYER.apiKey,
    FISH_PASSWORD: PLAYER.password,
    FISH_KEY: PLAYER.fernetKey,
  }
})

interface Subject {
  readonly argv: readonly string[]
  /** Its request. */
  readonly on: FaultOn
  readonly bad: readonly string[]
  /** Where an answer of another shape comes from. @default the same request */
  readonly shapeOn?: FaultOn
}

const SUBJECTS: readonly Subject[] = [
  { argv: ['user', 'list'], on: 'listUsers', bad: ['--limit', '0'] },
  { argv: ['user', 'show', 'Alex'], on: 'showUser', bad: ['--fields', 'password'] },
  { argv: ['user', 'reset', 'Alex', '--type', 'fernet', '--yes'], on: 'resetUser', bad: ['--fields', 'nothing'] },
  // What answers a deletion has no shape.
  { argv: ['user', 'delete', 'Alex', '--yes'], on: 'deleteUser', bad: ['--output', 'csv'], shapeOn: 'adminLogin' },
  { argv: ['user', 'delete', 'Alex', '--dry-run'], on: 'listUserFish', bad: ['more'] },
  { argv: ['admin', 'list'], on: 'listAdmins', bad: ['--fields', 'password'] },
  { argv: ['admin', 'create', 'zoe'], on: 'createAdmin', bad: ['--role', 'canary'] },
  { argv: ['admin', 'create', 'zoe', '--dry-run'], on: 'listAdmins', bad: ['--password', 'canary'] },
  { argv: ['admin', 'delete', 'mia', '--yes'], on: 'deleteAdmin', bad: ['--bogus'], shapeOn: 'adminLogin' },
  { argv: ['leaderboard'], on: 'leaderboard', bad: ['whales'] },
  { argv: ['audit'], on: 'audit', bad: ['--since', 'canary'] },
  { argv: ['stats'], on: 'stats', bad: ['--gamemode', 'earth'] },
  { argv: ['stats', 'Alex'], on: 'getFish', bad: ['--gamemode', 'skyblock'] },
]

const OUTCOMES: readonly {
  readonly title: string
  readonly fault: Fault
  readonly exit: number
  readonly code: string
}[] = [
  { title: '401', fault: { status: 401, code: 'invalid_session' }, exit: 4, code: 'invalid_session' },
  { title: '403', fault: { status: 403 }, exit: 4, code: 'forbidden' },
  { title: '404', fault: { status: 404 }, exit: 5, code: 'user_not_found' },
  { title: '429', fault: { status: 429 }, exit: 75, code: 'rate_limited' },
  { title: '500', fault: { status: 500 }, exit: 1, code: 'internal_error' },
  { title: 'an invalid answer', fault: 'wrong-shape', exit: 1, code: 'invalid_response' },
  { title: 'a page instead of an answer', fault: 'wrong-content-type', exit: 1, code: 'invalid_response' },
]

const failure = z.fromJSONSchema(FAILURE_SCHEMA as unknown as Parameters<typeof z.fromJSONSchema>[0])

/** Both ways to be told the same failure. */
async function expectFailure(argv: readonly string[], exit: number, code: string, prepare = () => {}) {
  prepare()
  const told = await run(argv, { env })
  expect({ status: told.status, stdout: told.stdout }).toEqual({ status: exit, stdout: '' })
  expect(told.stderr).toMatch(/^fish-cli: .+\n/)
  await mock.reset()
  prepare()
  const json = await run([...argv, '--json'], { env })
  expect({ status: json.status, stderr: json.stderr }).toEqual({ status: exit, stderr: '' })
  const { error } = failure.parse(JSON.parse(json.stdout)) as { error: Record<string, unknown> }
  expect(error).toMatchObject({ code, exit })
  for (const result of [told, json]) expectNoSecret(result)
  return { told, error }
}

function expectNoSecret({ stdout, stderr }: RunResult) {
  for (const secret of SECRETS) expect(stdout + stderr).not.toContain(secret)
}

describe.each(SUBJECTS)('$argv', ({ argv, on, bad, shapeOn = on }) => {
  test('succeeds with 0, data on stdout and one JSON document under --json, without a secret', async () => {
    const told = await run(argv, { env })
    expect({ status: told.status, isEmpty: told.stdout === '' }).toEqual({ status: 0, isEmpty: false })
    await mock.reset()
    const json = await run([...argv, '--json'], { env })
    expect({ status: json.status, stderr: json.stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(json.stdout)).toEqual(expect.any(Object))
    for (const result of [told, json]) expectNoSecret(result)
  })

  test.each(OUTCOMES)('ends with $exit on $title', async ({ fault, exit, code }) => {
    const where = typeof fault === 'string' ? shapeOn : on
    const { told, error } = await expectFailure(argv, exit, code, () => mock.fail(fault, { on: where, times: 100 }))
    if (code === 'rate_limited') expect(error.retryAt).toEqual(expect.any(String))
    if (on === 'getFish') return
    if (code === 'forbidden') expect(told.stderr).toMatch(/rights of (a superadmin|an administrator)\. .*--admin/)
    if (code === 'invalid_session') expect(told.stderr).toContain('fish-cli login NAME --admin')
  })

  test('ends with 69 where no server is', async () => {
    env = { ...env, FISH_URL: NOBODY }
    await expectFailure(argv, 69, 'unreachable')
  })

  test('ends with 2 when it is typed wrongly, and asks nothing', async () => {
    await expectFailure([...argv, ...bad], 2, 'usage')
    expect(mock.requests.filter(({ route }) => route === on)).toEqual([])
  })

  test('ends with 4 on a wrong or missing password, and with --no-input asks nobody', async () => {
    if (on === 'getFish') return
    env = { ...env, FISH_ADMIN_PASSWORD: 'canary-wrong' }
    await expectFailure(argv, 4, 'invalid_credentials')
    env = { ...env, FISH_ADMIN_PASSWORD: undefined }
    await expectFailure(argv, 4, 'missing_credentials')
    const asked = await run([...argv, '--no-input'], { env, terminal: true, typed: 'canary\r' })
    expect({ status: asked.status, stdout: asked.stdout }).toEqual({ status: 4, stdout: '' })
  })
})

test.each([
  ['user', 'delete', 'Alex', '--yes'],
  ['admin', 'list'],
  ['admin', 'create', 'zoe'],
  ['admin', 'delete', 'admin', '--yes'],
])('%s %s is refused to an administrator who is no superadmin, and says whose rights it needs', async (...argv) => {
  env = { ...env, FISH_ADMIN_USERNAME: 'mia' }
  const { told } = await expectFailure(argv, 4, 'forbidden')
  expect(told.stderr).toContain('needs the rights of a superadmin')
})
