import { createClient, ValidationError } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { createFernet, type Fernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { expect, test } from 'vitest'
import { player } from '../client/stubs.ts'

const client = () => createClient(player().options)
const admin = () => createAdminClient({ username: 'admin', password: 'password', env: {} })
const outbox = () => openOutbox({ path: ':memory:', user: 'Alex', gamemode: 'earth' })
const salmon = { name: 'Salmon', rarity: 3 } as const

/** The error that a call throws or rejects with. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  return undefined
}

test.each<[string, () => unknown, string]>([
  ['createClient(null)', () => createClient(null as never), 'baseUrl, user,'],
  ["createClient('x')", () => createClient('x' as never), 'baseUrl, user,'],
  ['createAdminClient()', () => createAdminClient(undefined as never), 'username, password,'],
  ['createAdminClient(5)', () => createAdminClient(5 as never), 'username, password,'],
  ['openOutbox(null)', () => openOutbox(null as never), 'user, gamemode, client,'],
  ['openOutbox([])', () => openOutbox([] as never), 'user, gamemode, client,'],
  ['fish.encrypt(salmon, null)', () => client().fish.encrypt(salmon, null as never), 'user, gamemode.'],
  ['fish.list(null)', () => client().fish.list(null as never), 'signal, timeoutMs,'],
  [
    'crabs.iterate(null)',
    () =>
      client()
        .crabs.iterate(null as never)
        .next(),
    'signal, timeoutMs,',
  ],
  ['fish.add(salmon, null)', () => client().fish.add(salmon, null as never), 'signal, timeoutMs,'],
  ['demo.fish(null)', () => client().demo.fish(null as never), 'signal, timeoutMs,'],
  ['status(null)', () => client().status(null as never), 'signal, timeoutMs,'],
  ['keys.get(null)', () => client().keys.get(null as never), 'name, username, password,'],
  ['outbox.add(catch, null)', async () => (await outbox()).add({ kind: 'crab' }, null as never), 'checkpoint.'],
  ['outbox.flush(5)', async () => (await outbox()).flush(5 as never), 'signal, onProgress,'],
])('the error of %s lists the valid options', async (_, call, options) => {
  const error = await errorOf(call)
  expect(error).toBeInstanceOf(ValidationError)
  expect(error).toMatchObject({
    message: expect.stringContaining(`options: Must be an object with any of: ${options}`),
  })
})

test('openOutbox() rejects with an error that names the missing option', async () => {
  expect(await errorOf(() => openOutbox())).toMatchObject({ issues: [{ path: 'baseUrl' }] })
})

test.each<[string, () => unknown, string]>([
  ['createClient', () => createClient({ baseURL: 'http://a.test' } as never), 'baseURL: baseUrl'],
  ['createAdminClient', () => createAdminClient({ user: 'admin', password: 'p' } as never), 'user: username'],
  ['openOutbox', () => openOutbox({ clint: client() } as never), 'clint: client'],
  ['client.status', () => client().status({ sginal: undefined, timeoutM: 5 } as never), 'timeoutM: timeoutMs'],
  ['fish.add', () => client().fish.add(salmon, { gamemod: 'earth' } as never), 'gamemod: gamemode'],
  ['fish.encrypt', () => client().fish.encrypt(salmon, { gamemod: 'earth' } as never), 'gamemod: gamemode'],
  [
    'fish.iterate',
    () =>
      client()
        .fish.iterate({ pagesize: 5 } as never)
        .next(),
    'pagesize: pageSize',
  ],
  ['admin.login', () => admin().login({ sginal: null } as never), 'sginal: signal'],
  ['admin.users.create', () => admin().users.create({ name: 'Alex', pasword: 'p' } as never), 'pasword: password'],
  ['admin.admins.create', () => admin().admins.create({ user: 'mia' } as never), 'user: username'],
  ['outbox.add', async () => (await outbox()).add([], { checkpiont: 1 } as never), 'checkpiont: checkpoint'],
  ['outbox.flush', async () => (await outbox()).flush({ maxWait: 1 } as never), 'maxWait: maxWaitMs'],
  ['outbox.cancel', async () => (await outbox()).cancel({ dryrun: true } as never), 'dryrun: dryRun'],
  ['outbox.close', async () => (await outbox()).close({ sginal: 1 } as never), 'sginal: signal'],
])('%s rejects an unknown option and suggests the intended option', async (_, call, mistake) => {
  const [path, meant] = mistake.split(': ')
  const error = await errorOf(call)
  expect(error).toBeInstanceOf(ValidationError)
  expect(error).toMatchObject({
    issues: expect.arrayContaining([{ path, message: `Unknown option. Did you mean ${meant}?` }]),
  })
})

test.each<[string, (fernet: Fernet) => unknown, string]>([
  ['createFernet', () => createFernet(generateFernetKey(), { ttlSeconds: 60 } as never), 'ttlSeconds'],
  ['fernet.encrypt', (fernet) => fernet.encrypt('x', { ttlSeconds: 60 } as never), 'ttlSeconds'],
  [
    'fernet.decrypt',
    async (fernet) => fernet.decrypt(await fernet.encrypt('x', { now: 0 }), { ttlSecond: 60 } as never),
    'ttlSecond',
  ],
])(
  '%s rejects an unknown option, because a mistyped ttlSeconds would turn off the age check',
  async (_, call, path) => {
    const error = await errorOf(() => call(createFernet(generateFernetKey())))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({ issues: [{ path, message: expect.stringContaining('Unknown option.') }] })
  },
)

test('every call that takes crabs rejects a crab with a rarity', async () => {
  const crab = { name: 'Salmon', rarity: 3 } as object
  const message = 'A crab has no rarity. Leave it out, or add a fish.'
  const issues = [{ path: 'crab.0.rarity', message }]
  expect(await errorOf(() => client().crabs.add(crab))).toMatchObject({ issues })
  expect(await errorOf(() => client().crabs.encrypt(crab))).toMatchObject({ issues })
  expect(await errorOf(() => admin().crabs.add('Alex', crab, { gamemode: 'earth' }))).toMatchObject({ issues })
  const queued = await errorOf(async () => (await outbox()).add({ kind: 'crab', ...crab }))
  expect(queued).toMatchObject({ issues: [{ path: 'catches.0.rarity', message }] })
})
