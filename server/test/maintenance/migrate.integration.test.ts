import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { createLogger, createScryptHasher, readConfig, startServer } from '@fish-crab/server'
import { type MigrateOptions, type MigrationReport, migrateStore } from '@fish-crab/server/maintenance'
import { createStorage } from '@fish-crab/server/storage'
import { hash } from 'bcryptjs'
import { EJSON } from 'bson'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  type Database,
  objectId,
  writeArchive,
  writeDumpFolder,
  writeExports,
} from '../../../scripts/test-support/mongo-dump.ts'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { ADMINS_KEY } from '../../src/app/store/item-keys.ts'

const PASSWORDS = createScryptHasher({ N: 16, r: 1, p: 1 })
const SECONDS = Date.UTC(2023, 0, 1) / 1000
const timeOf = (number: number) => new Date((SECONDS + number) * 1000).toISOString()
// A padded key that contains "+" and "/" in base64.
const KEY = Buffer.alloc(32, 0xfb).toString('base64')
const GAMEMODES = 'oneblock,earth,survival,factions,boxsmp'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fish-migrate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const numbers = Array.from({ length: 1000 }, (_, index) => index).values()
const id = () => objectId(SECONDS, Number(numbers.next().value) + 1000)

const player = (name: string, more: object = {}) => ({
  _id: id(),
  id: `u-${name}`,
  name,
  userPassword: `password of ${name}`,
  fernetKey: KEY,
  createdAt: new Date(SECONDS * 1000),
  __v: 0,
  ...more,
})

/** A database that contains every unusual case. */
async function oddities(): Promise<Record<string, object[]>> {
  return {
    users: [
      player('Alex'),
      player('alex', { createdAt: new Date((SECONDS + 5) * 1000), userPassword: 'another password' }),
      player('Twin', { id: 'u-twin-1' }),
      player('Twin', { id: 'u-twin-2', createdAt: new Date((SECONDS + 5) * 1000) }),
      player("O'Neil the Łong, whose name has more than 32 letters"),
      player('-dash'),
      player('under_score'),
      player('Keyless', { userPassword: '', fernetKey: 'no key' }),
    ],
    api_keys: [
      { _id: id(), key: 'first key of Alex', userId: 'u-Alex' },
      { _id: id(), key: 'second key of Alex', userId: 'u-Alex' },
      { _id: id(), key: 'key of nobody', userId: 'u-gone' },
    ],
    admins: [
      {
        _id: id(),
        username: 'boss',
        password: await hash('password of the boss', 4),
        role: 'superadmin',
        createdAt: new Date(),
      },
      { _id: id(), username: 'mia', password: await hash('password of mia', 4), role: 'admin', createdAt: new Date() },
      { _id: id(), username: 'odd', password: 'in plain text', role: 'admin', createdAt: new Date() },
    ],
    fish_Alex_earth: [
      { _id: objectId(SECONDS + 1, 1), fish: 'Salmon', rarity: 3 },
      { _id: objectId(SECONDS + 2, 2), fish: 'Cod', rarity: 5 },
      { _id: objectId(SECONDS + 3, 3), fish: 'Eel' },
      { _id: objectId(SECONDS + 4, 4), fish: 'Koi', rarity: 99, timestamp: new Date('2022-05-06T07:08:09.123Z') },
      { _id: objectId(SECONDS + 5, 5), fish: 'Ray', rarity: 7 },
      { _id: objectId(SECONDS + 6, 6), fish: '', rarity: 1 },
      { _id: objectId(SECONDS + 7, 7), rarity: 1 },
    ],
    fish_alex_earth: [{ _id: id(), fish: 'Small Fry', rarity: 1 }],
    crab_Alex_earth: [{ _id: objectId(SECONDS + 9, 9), fish: 'crab' }],
    fish_Alex_boxsmp: [{ _id: id(), fish: 'Box Carp', rarity: 2 }],
    fish_under_score_survival: [{ _id: id(), fish: 'Underline', rarity: 1 }],
    fish_Twin_earth: [{ _id: id(), fish: 'Shared', rarity: 1 }],
    fish_Gone_earth: [
      { _id: id(), fish: 'Ghost', rarity: 1 },
      { _id: id(), fish: 'Ghost', rarity: 1 },
    ],
    fish_Alex: [{ _id: id(), fish: 'Nowhere', rarity: 1 }],
    'crab_Alex_the end': [{ _id: id(), fish: 'Nowhere' }],
    logs: [{ _id: id(), body: { password: 'canary in a log' } }],
  }
}

const _SECRETS = {
  FISH_SECRET: 'a secret of a test that is long enough',
  FISH_JWT_SECRET: 'a session secret of a test, 32 bytes',
}

const databaseOf = (collections: Record<string, object[]>): Database =>
  new Map(Object.entries(collections).map(([name, documents]) => [name, () => documents]))

const data = () => `file:${join(folder, 'data')}`
const migrate = (dump: readonly string[], options: Partial<MigrateOptions> & { storage?: string } = {}) => {
  const { storage = data(), env = {}, ...more } = options
  return migrateStore({
    dump,
    env: { FISH_STORAGE: storage, FISH_GAMEMODES: GAMEMODES, ...env },
    passwords: PASSWORDS,
    ...more,
  })
}

async function catchesOf(url: string, user: string): Promise<readonly string[]> {
  const { fish } = await createClient({ baseUrl: url, user, gamemode: 'earth', env: {} }).fish.list()
  return fish.map(({ name }) => name)
}

const SILENCE = createLogger('silent', { stream: process.stderr, colours: false })

async function serve(storage = data(), env: Record<string, string> = {}) {
  const config = readConfig({
    env: {
      FISH_STORAGE: storage,
      FISH_PORT: '0',
      FISH_RATE_LIMIT: '100000',
      FISH_ADMIN_RATE_LIMIT: '100000',
      FISH_GAMEMODES: GAMEMODES,
      ...env,
    },
  })
  const server = await startServer(config, { logger: SILENCE, version: 'test', passwords: PASSWORDS })
  onTestFinished(() => server.close())
  return server
}

const loginAs = (baseUrl: string, username: string, password: string) => {
  const admin = createAdminClient({ baseUrl, username, password })
  return admin.me()
}

async function expectOddities(url: string): Promise<void> {
  const client = createClient({ baseUrl: url, user: 'Alex', fernetKey: KEY, gamemode: 'earth', env: {} })
  const { fish } = await client.fish.list({ detail: 'full' })
  expect(fish.map(({ name, rarity, caughtAt }) => [name, rarity, caughtAt])).toEqual([
    ['Salmon', 'Gold', timeOf(1)],
    ['Cod', 'Unknown/Other', timeOf(2)],
    ['Eel', 'Unknown/Other', timeOf(3)],
    ['Koi', 'Unknown/Other', '2022-05-06T07:08:09.123Z'],
    ['Ray', 'Mythical', timeOf(5)],
  ])
  expect((await client.crabs.list({ detail: 'full' })).crab).toMatchObject([{ name: 'crab', caughtAt: timeOf(9) }])
  const listed = async (user: string, gamemode: string) =>
    (await client.fish.list({ user, gamemode })).fish.map(({ name }) => name)
  expect(await listed('Alex', 'boxsmp')).toEqual(['Box Carp'])
  expect(await listed('alex_2', 'earth')).toEqual(['Small Fry'])
  expect(await listed('under_score', 'survival')).toEqual(['Underline'])
  expect(await listed('Twin', 'earth')).toEqual(['Shared'])
  const keys = await client.keys.get({ username: 'Alex', password: 'password of Alex' })
  expect(keys.fernetKey).toBe(KEY)
  expect((await client.keys.get({ username: 'alex_2', password: 'another password' })).fernetKey).toBe(KEY)
  await client.fish.add({ name: 'New one', rarity: 'Gold' })
  for (const apiKey of ['first key of Alex', 'second key of Alex', 'key of nobody']) {
    const response = await fetch(`${url}/status`, { headers: { 'x-api-key': apiKey } })
    expect([apiKey, response.headers.has('x-ratelimit-remaining')]).toEqual([apiKey, apiKey === 'key of nobody'])
  }
  for (const [username, password, role] of [
    ['boss', 'password of the boss', 'superadmin'],
    ['mia', 'password of mia', 'admin'],
  ] as const) {
    expect(await loginAs(url, username, password)).toMatchObject({ role })
    expect(await loginAs(url, username, password)).toMatchObject({ role })
    await expect(loginAs(url, username, `${password}!`)).rejects.toMatchObject({ code: 'invalid_credentials' })
  }
  const boss = createAdminClient({ baseUrl: url, username: 'boss', password: 'password of the boss' })
  const stats = await boss.stats()
  expect(stats).toMatchObject({ users: 8, fish: { total: 10 }, crab: { total: 1 } })
  expect(await boss.users.reset('under_score', 'api-key')).toMatchObject({ apiKey: expect.stringMatching(/^fck_/) })
}

const REPORT = {
  players: 8,
  catches: {
    fish: { oneblock: 0, earth: 7, survival: 1, factions: 0, boxsmp: 1 },
    crab: { oneblock: 0, earth: 1, survival: 0, factions: 0, boxsmp: 0 },
    unknownRarities: 3,
  },
  administrators: 2,
  renamed: [
    { id: 'u-alex', from: 'alex', to: 'alex_2', reason: 'taken' },
    { id: 'u-twin-2', from: 'Twin', to: 'Twin_2', reason: 'taken' },
    {
      from: "O'Neil the Łong, whose name has more than 32 letters",
      to: 'O_Neil_the_ong_whose_name_has_mo',
      reason: 'invalid',
    },
    { from: '-dash', to: 'dash', reason: 'invalid' },
  ],
  newSecrets: { passwords: ['Keyless'], fernetKeys: ['Keyless'] },
  leftOut: {
    administrators: ['odd'],
    orphans: { Gone: 2 },
    gamemodes: {},
    invalidCatches: 2,
    ownerlessApiKeys: 1,
    collections: expect.arrayContaining(['fish_Alex', 'crab_Alex_the end']),
  },
}

describe('a migration', () => {
  const FORMS: readonly [string, (database: Database) => Promise<readonly string[]>][] = [
    ['a folder of mongodump', async (database) => [join(await writeDumpFolder(join(folder, 'dump'), database), '..')]],
    [
      'a gzipped database folder of mongodump',
      async (database) => [await writeDumpFolder(join(folder, 'dump'), database, { gzip: true })],
    ],
    [
      'an archive',
      async (database) => {
        await writeArchive(join(folder, 'dump.archive'), database)
        return [join(folder, 'dump.archive')]
      },
    ],
    [
      'a gzipped archive',
      async (database) => {
        await writeArchive(join(folder, 'dump.gz'), database, { gzip: true })
        return [join(folder, 'dump.gz')]
      },
    ],
    ['files of mongoexport', (database) => writeExports(join(folder, 'export'), database)],
    [
      'a folder of gzipped, canonical JSON arrays',
      async (database) => {
        await writeExports(join(folder, 'export'), database, { canonical: true, jsonArray: true, gzip: true })
        return [join(folder, 'export')]
      },
    ],
  ]
  test.each(FORMS)('migrates everything from %s, and reports exact counts', async (_title, write) => {
    const dump = await write(databaseOf(await oddities()))
    expect(await migrate(dump, { dryRun: true })).toMatchObject({ ...REPORT, dryRun: true })
    expect(readdirSync(folder)).not.toContain('data')
    const report = await migrate(dump)
    expect(report).toMatchObject({ ...REPORT, folder: join(folder, 'data') })
    expect(JSON.stringify(report)).not.toMatch(/password of|key of|canary/)
    const server = await serve()
    await expectOddities(server.url)
    await server.close()
    // The first login of each administrator has replaced the bcrypt hash.
    const storage = await createStorage({ driver: 'file', path: join(folder, 'data') })
    const admins = JSON.parse((await storage.items.getItem(ADMINS_KEY)) ?? '[]') as { readonly passwordHash: string }[]
    await storage.dispose()
    expect(admins.map(({ passwordHash }) => passwordHash.split('$')[0])).toEqual(['scrypt', 'scrypt'])
  })

  test('keeps the order of catches, and stores no secrets in plain text', async () => {
    const catches = Array.from({ length: 3000 }, (_, index) => ({
      _id: objectId(SECONDS + index, index),
      fish: `Fish ${index}`,
      rarity: 1,
    }))
    const dump = await writeExports(
      join(folder, 'export'),
      databaseOf({ users: [player('Alex')], fish_Alex_earth: catches }),
    )
    await migrate(dump)
    for (const name of readdirSync(join(folder, 'data'))) {
      const text = readFileSync(join(folder, 'data', name), 'latin1')
      for (const secret of ['password of', KEY]) expect([name, text.includes(secret)]).toEqual([name, false])
    }
    const client = createClient({ baseUrl: (await serve()).url, user: 'Alex', gamemode: 'earth', env: {} })
    expect((await client.fish.list()).fish.map(({ name }) => name)).toEqual(catches.map(({ fish }) => fish))
  })

  test.each<[string, (documents: readonly string[]) => string]>([
    ['one per line', (documents) => documents.join('\r\n')],
    ['in one array', (documents) => `[${documents.join(',')}]\n`],
    [
      'indented',
      (documents) => documents.map((document) => JSON.stringify(JSON.parse(document), undefined, '\t')).join('\n'),
    ],
    [
      'in an indented array',
      (documents) =>
        JSON.stringify(
          documents.map((document) => JSON.parse(document)),
          undefined,
          2,
        ),
    ],
  ])('reads JSON documents %s, whatever their texts contain', async (_title, format) => {
    const names = ['},{"_id":1', 'a "quoted" [name]', '\\', 'ends with }', 'Łódź 🐟'.repeat(9000)]
    const nested = [{ _id: 1, text: '}\n{' }, { _id: 2 }]
    const documents = names.map((fish, index) => ({ _id: objectId(SECONDS, index), nested, fish, rarity: 1 }))
    const paths = await writeExports(join(folder, 'x'), databaseOf({ users: [player('Alex')], fish_Alex_earth: [] }))
    writeFileSync(paths[1] ?? '', format(documents.map((document) => EJSON.stringify(document))))
    expect(await migrate(paths)).toMatchObject({ catches: { fish: { earth: names.length - 1 } } })
    expect(await catchesOf((await serve()).url, 'Alex')).toEqual(names.slice(0, -1))
  })

  test('leaves nothing after an interruption, and can be repeated', async () => {
    const dump = await writeExports(join(folder, 'export'), databaseOf(await oddities()))
    const interrupting = new AbortController()
    const onProgress: MigrateOptions['onProgress'] = ({ step }) => {
      if (step === 'write') interrupting.abort()
    }
    await expect(migrate(dump, { onProgress, signal: interrupting.signal })).rejects.toMatchObject({
      code: 'interrupted',
      message: 'Interrupted. Nothing was migrated.',
    })
    expect(readdirSync(folder)).not.toContain('data')
    expect(await migrate(dump)).toMatchObject(REPORT)
    await expectOddities((await serve()).url)
  })

  test('stores a document only once if the dump contains it twice with the same id', async () => {
    const twice = { _id: objectId(SECONDS, 1), fish: 'Cod', rarity: 1 }
    const database = databaseOf({ users: [player('Alex')], fish_Alex_earth: [twice, twice] })
    expect(await migrate(await writeExports(join(folder, 'x'), database))).toMatchObject({
      catches: { fish: { earth: 2 } },
      added: 1,
    })
  })

  test('refuses a Redis URL as the target', async () => {
    writeFileSync(join(folder, 'users.json'), 'no dump')
    await expect(migrate([join(folder, 'users.json')], { storage: 'redis://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'invalid_settings',
    })
  })

  test('uses the chosen names, and leaves each catch with its player', async () => {
    const dump = await writeExports(join(folder, 'export'), databaseOf(await oddities()))
    const renames = { 'u-alex': 'LittleAlex', '-dash': 'Dash', 'u-twin-2': 'Younger' }
    const { renamed } = await migrate(dump, { renames })
    expect(Object.fromEntries(renamed.map(({ from, to }) => [from, to]))).toMatchObject({
      alex: 'LittleAlex',
      '-dash': 'Dash',
      Twin: 'Younger',
    })
    const { url } = await serve()
    expect(await catchesOf(url, 'Twin')).toEqual(['Shared'])
    expect(await catchesOf(url, 'Younger')).toEqual([])
  })

  test.each<[string, Record<string, string>, string]>([
    ['that is invalid', { 'u-alex': 'no name' }, 'The new name of alex (u-alex), no name, cannot be used.'],
    [
      'that another renamed player gets',
      { '-dash': 'x', 'u-alex': 'X' },
      'The new name of -dash (u--dash), x, belongs to somebody else.',
    ],
    [
      'that another player already has',
      { Alex: 'KEYLESS' },
      'The new name of Alex (u-Alex), KEYLESS, belongs to somebody else.',
    ],
    ['that two players share', { Twin: 'Both' }, 'The new name of Twin (u-twin-2), Both, belongs to somebody else.'],
    ['for a player who is not in the dump', { Alx: 'Alex2' }, 'The dump has no player Alx to give another name.'],
  ])('refuses a new name %s', async (_title, renames, message) => {
    const dump = await writeExports(join(folder, 'export'), databaseOf(await oddities()))
    await expect(migrate(dump, { renames, dryRun: true })).rejects.toMatchObject({
      code: 'invalid_settings',
      message: `${message} Nothing was changed.`,
    })
  })

  test('checks the target before it reads the dump, even in a dry run', async () => {
    const dump = [join(folder, 'users.json')]
    writeFileSync(join(folder, 'users.json'), 'no dump')
    const served = await serve(data(), { FISH_ADMIN_USERNAME: 'root', FISH_ADMIN_PASSWORD: 'root-password' })
    const root = createAdminClient({ baseUrl: served.url, username: 'root', password: 'root-password' })
    await root.users.create({ name: 'Alex' })
    await served.close()
    const before = readdirSync(join(folder, 'data'))
    for (const dryRun of [false, true]) {
      await expect(migrate(dump, { dryRun })).rejects.toMatchObject({
        code: 'exists',
        message: `${join(folder, 'data')} already has a store; nothing was changed.`,
      })
    }
    expect(readdirSync(join(folder, 'data'))).toEqual(before)
  })

  test('refuses gamemodes that the service does not have, and changes nothing', async () => {
    const dump = await writeExports(join(folder, 'export'), databaseOf(await oddities()))
    const env = { FISH_GAMEMODES: 'oneblock,earth,survival,factions' }
    for (const dryRun of [true, false]) {
      const reports: MigrationReport[] = []
      const confirm = async (report: MigrationReport) => reports.push(report) > 0
      await expect(migrate(dump, { env, dryRun, confirm })).rejects.toMatchObject({
        code: 'invalid_settings',
        hint: `Set FISH_GAMEMODES=${GAMEMODES} for this and for the server.`,
      })
      expect(reports).toMatchObject([{ leftOut: { gamemodes: { boxsmp: 1 } } }])
    }
    expect(readdirSync(folder)).not.toContain('data')
  })

  test.each<[string, (paths: readonly string[]) => void, RegExp]>([
    ['a cut file', ([users = '']) => truncateSync(users, 100), /users\.json, at document 1, is damaged or truncated/],
    [
      'another file',
      ([users = '']) => writeFileSync(users, 'password,canary\n'),
      /users\.json, at document 1, is damaged/,
    ],
    [
      'a damaged document',
      ([users = '']) => writeFileSync(users, '{"canary": }\n'),
      /users\.json, at document 1, is damaged/,
    ],
    ['no users', ([users = '']) => writeFileSync(users, ''), /has no users/],
  ])('refuses %s without quoting it, and changes nothing', async (_title, damage, message) => {
    const dump = await writeExports(join(folder, 'export'), databaseOf(await oddities()))
    damage(dump)
    const error = await migrate(dump).catch((failure) => failure)
    expect(error).toMatchObject({
      name: 'MaintenanceError',
      code: 'invalid_dump',
      message: expect.stringMatching(message),
    })
    expect(error.message).not.toContain('canary')
    expect(readdirSync(folder)).not.toContain('data')
  })

  test('does not confuse players with unusual ids with each other', async () => {
    await migrate(await writeExports(join(folder, 'odd'), oddlyIdentified()))
    await expectApart((await serve()).url)
  })

  test('stores catches separately even if they share an id, as in a copied collection', async () => {
    const same = (fish: string) => [1, objectId(SECONDS, 1)].map((_id) => ({ _id, fish, rarity: 1 }))
    const database = databaseOf({
      users: [player('Alex')],
      fish_Alex_earth: same('Cod'),
      fish_Alex_survival: same('Eel'),
      crab_Alex_earth: same('crab'),
    })
    await migrate([await writeDumpFolder(join(folder, 'dump'), database)])
    const { url } = await serve()
    const read = async (kind: string, gamemode: string) => {
      const response = await fetch(`${url}/get/${kind}?name=Alex&gamemode=${gamemode}`)
      return (await response.json())[kind]
    }
    expect(await read('fish', 'earth')).toHaveLength(2)
    expect(await read('fish', 'survival')).toHaveLength(2)
    expect(await read('crab', 'earth')).toHaveLength(2)
  })

  test('follows links in a folder, and refuses paths that do not lead to files or folders', async () => {
    const database = databaseOf({ users: [player('Alex')], fish_Alex_earth: [{ _id: id(), fish: 'Cod', rarity: 1 }] })
    const path = await writeDumpFolder(join(folder, 'dump'), database)
    renameSync(join(path, 'fish_Alex_earth.bson'), join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), join(path, 'fish_Alex_earth.bson'))
    expect(await migrate([path], { dryRun: true })).toMatchObject({ catches: { fish: { earth: 1 } } })
    await expect(migrate(['/dev/null'])).rejects.toMatchObject({ code: 'invalid_dump' })
    rmSync(join(folder, 'elsewhere'))
    await expect(migrate([path])).rejects.toMatchObject({ code: 'no_store' })
    symlinkSync('/dev/null', join(folder, 'elsewhere'))
    await expect(migrate([path])).rejects.toMatchObject({ code: 'invalid_dump' })
    expect(readdirSync(folder)).not.toContain('data')
  })

  test('refuses a BSON file that contains the magic number of an archive', async () => {
    const database = databaseOf({ users: [player('Alex')], fish_Alex_earth: [{ _id: id(), fish: 'Cod', rarity: 1 }] })
    const path = await writeDumpFolder(join(folder, 'dump'), database)
    appendFileSync(join(path, 'fish_Alex_earth.bson'), Buffer.from('ffffffff', 'hex'))
    await expect(migrate([path])).rejects.toMatchObject({ code: 'invalid_dump' })
  })

  test.each<[string, object]>([
    ['an id', { api_keys: [], fish_Alex_earth: [{ _id: { toHexString: 'x' }, fish: 'Cod', rarity: 1 }] }],
    ['the owner of a key', { api_keys: [{ _id: 1, key: 'key', userId: { toString: 1, valueOf: 1 } }] }],
  ])('treats %s that looks like a JavaScript object as data', async (_title, more) => {
    const dump = await writeExports(join(folder, 'x'), databaseOf({ users: [player('Alex')], ...more }))
    expect(await migrate(dump, { dryRun: true })).toMatchObject({ players: 1 })
  })

  test('refuses documents without an id, since identical documents would be indistinguishable', async () => {
    const dump = await writeExports(
      join(folder, 'x'),
      databaseOf({ users: [player('Alex')], fish_Alex_earth: [{ fish: 'Cod', rarity: 1 }] }),
    )
    await expect(migrate(dump)).rejects.toMatchObject({
      code: 'invalid_dump',
      message: 'A document of fish_Alex_earth has no _id. Nothing was changed.',
    })
  })

  test('leaves nothing on a full disk', async ({ skip }) => {
    const mounted = mountSmallDisk()
    if ('reason' in mounted) return skip(mounted.reason)
    const catches = Array.from({ length: 20_000 }, (_, index) => ({
      _id: objectId(SECONDS, index),
      fish: `Fish ${index}`,
      rarity: 1,
    }))
    const dump = await writeExports(
      join(folder, 'x'),
      databaseOf({ users: [player('Alex')], fish_Alex_earth: catches }),
    )
    const storage = `file:${mounted.disk}/data`
    await expect(migrate(dump, { storage })).rejects.toMatchObject({ code: 'full' })
    expect(readdirSync(mounted.disk)).toEqual([])
  })

  test('fails and stores nothing if the dump changes after the report', async () => {
    const database = databaseOf({ users: [player('Alex')], fish_Alex_earth: [{ _id: id(), fish: 'Cod', rarity: 1 }] })
    const dump = await writeExports(join(folder, 'x'), database)
    const confirm = async () => {
      appendFileSync(
        join(folder, 'x', 'fish_Alex_earth.json'),
        '{"_id":{"$oid":"63b0cd00000000000000ffff"},"fish":"Eel"}',
      )
      return true
    }
    await expect(migrate(dump, { confirm })).rejects.toMatchObject({
      code: 'invalid_dump',
      message: 'The dump was changed while it was read.',
    })
    expect(readdirSync(folder)).not.toContain('data')
    expect(await migrate(dump)).toMatchObject({ catches: { fish: { earth: 2 } } })
  })

  test('refuses several databases with users, and duplicate collections', async () => {
    const database = databaseOf({ users: [player('Alex')], fish_Alex_earth: [{ _id: id(), fish: 'Cod', rarity: 1 }] })
    const path = await writeDumpFolder(join(folder, 'dump'), database)
    await writeExports(path, database)
    await expect(migrate([path])).rejects.toMatchObject({ message: expect.stringMatching(/have the same collections/) })
    await writeArchive(join(folder, 'two.archive'), database, { databases: ['one', 'two'] })
    await expect(migrate([join(folder, 'two.archive')])).rejects.toMatchObject({
      message: expect.stringMatching(/several databases with users: one, two/),
    })
    await writeArchive(join(folder, 'other.archive'), database, {
      databases: ['fishtracker'],
      others: { admin: ['fish_Alex_earth'] },
    })
    expect(await migrate([join(folder, 'other.archive')], { dryRun: true })).toMatchObject({
      catches: { fish: { earth: 1 } },
    })
  })

  test('refuses an archive that contains a name longer than MongoDB allows', async () => {
    const database = databaseOf({ users: [player('Alex')] })
    const path = join(folder, 'long.archive')
    const write = (length: number) => writeArchive(path, database, { others: { admin: ['x'.repeat(length)] } })
    await write(255)
    expect(await migrate([path], { dryRun: true })).toMatchObject({ players: 1 })
    await write(256)
    await expect(migrate([path], { dryRun: true })).rejects.toMatchObject({
      code: 'invalid_dump',
      message: expect.stringMatching(/long\.archive, at byte \d+, names a collection wrongly\./),
    })
  })

  test('refuses truncated archives and folders, wherever they are cut', async () => {
    const database = databaseOf(await oddities())
    const [archive, other] = [join(folder, 'dump.archive'), join(folder, 'cut.archive')]
    await writeArchive(archive, database)
    const bytes = readFileSync(archive)
    const ends = bytes.lastIndexOf('crab_Alex_the end')
    for (let at = 5; at < bytes.length; at += 97) {
      writeFileSync(other, bytes.subarray(0, at))
      const outcome = await migrate([other], { dryRun: true }).then(
        ({ players }) => players,
        ({ code }) => code,
      )
      // The remaining bytes may belong to collections that the migration does not read.
      expect([at, outcome === 'invalid_dump' || at > ends]).toEqual([at, true])
    }
    const path = await writeDumpFolder(join(folder, 'dump'), database)
    truncateSync(join(path, 'fish_Alex_earth.bson'), 40)
    await expect(migrate([path])).rejects.toMatchObject({ code: 'invalid_dump' })
    await expect(migrate([join(folder, 'nothing')])).rejects.toMatchObject({ code: 'no_store' })
    await expect(migrate([folder])).rejects.toMatchObject({ message: expect.stringContaining('no collection "users"') })
  })
})

const ODD_IDS = [
  'a}b{c',
  '{',
  '}',
  '{}',
  'x:y',
  'x:y:z',
  'a b',
  'ü €',
  '__proto__',
  'constructor',
  '../..',
  '%41',
  'A',
  '*',
  '?',
  '\u0000',
  'x'.repeat(500),
]

/** A dump of players with unusual ids. Each player has one catch with a unique name. */
const oddlyIdentified = () =>
  databaseOf({
    users: ODD_IDS.map((one, index) => player(`Player${index}`, { id: one })),
    api_keys: ODD_IDS.map((one, index) => ({ _id: id(), key: `key-${index}`, userId: one })),
    ...Object.fromEntries(
      ODD_IDS.map((_, index) => [`fish_Player${index}_earth`, [{ _id: id(), fish: `Fish ${index}`, rarity: 1 }]]),
    ),
  })

async function expectApart(url: string): Promise<void> {
  for (const [index] of ODD_IDS.entries()) {
    const name = `Player${index}`
    const client = createClient({
      baseUrl: url,
      user: name,
      fernetKey: KEY,
      apiKey: `key-${index}`,
      gamemode: 'earth',
      env: {},
    })
    expect((await client.keys.get({ username: name, password: `password of ${name}` })).fernetKey).toBe(KEY)
    await client.fish.add({ name: `New ${index}`, rarity: 1 })
    const { fish } = await client.fish.list({ detail: 'full' })
    expect(fish.map((one) => one.name)).toEqual([`Fish ${index}`, `New ${index}`])
    await client.fish.remove(fish[1]?.id ?? '', { password: `password of ${name}` })
    expect((await client.fish.summary()).total).toBe(1)
  }
}
