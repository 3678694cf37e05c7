import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backupStore, exportStore, importStore, MaintenanceError, restoreStore, rotateSecret } from '@fish-crab/server'
import { createStorage, itemKey } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  caughtRecord,
  ENCRYPTED,
  userItems,
  writeExport,
  writeLines,
} from '../../../scripts/test-support/export-file.ts'
import { folderContent } from '../../../scripts/test-support/folder-content.ts'
import { describeWithRedis, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { createEncryption } from '../../src/app/users/encryption.ts'
import { newFolder } from './data-folder.ts'
import { startTestServer } from './running.ts'

const [OLD, NEW] = ['the secret of the beginning, long', 'the secret from now on, long enough']
const NOW = new Date(0)
const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })

/** A data folder that was served, with records in it. */
async function served(env: Readonly<Record<string, string>> = {}) {
  const parent = newFolder()
  const data = join(parent, 'data')
  await (await startTestServer({ ...envOf(data), FISH_ADMIN_PASSWORD: 'boss-password', ...env })).close()
  const storage = await createStorage({ driver: 'file', path: data })
  for (const owner of ['ann', 'bob']) {
    await storage.append(
      { owner, kind: 'fish', gamemode: 'earth' },
      caughtRecord({
        entries: [
          { name: 'Cod', rarity: 'Bronze' },
          { name: 'Koi', rarity: 'Gold' },
        ],
      }),
    )
  }
  await storage.dispose()
  return { parent, data, env: { ...envOf(data), ...env } }
}

/** How it ends: with a report, or with the code and the words of a refusal. */
async function outcomeOf(work: Promise<object>) {
  return work.then(
    (report) => ({ report }),
    (error: unknown) => {
      expect(error).toBeInstanceOf(MaintenanceError)
      const { code, message, hint } = error as MaintenanceError
      return { code, message, hint }
    },
  )
}

/** Tries it, which changes nothing below the folder; then does it. Both have to be refused with the same words. */
async function expectSameRefusal(parent: string, code: string, run: (dryRun: boolean) => Promise<object>) {
  const before = folderContent(parent)
  const tried = await outcomeOf(run(true))
  expect(tried).toMatchObject({ code })
  expect(folderContent(parent)).toEqual(before)
  expect(await outcomeOf(run(false))).toEqual(tried)
}

/** Tries it, which changes nothing below the folder; then does it, and compares what both report. */
async function expectSameReport<Report extends object>(
  parent: string,
  run: (dryRun: boolean) => Promise<Report>,
): Promise<Report> {
  const before = folderContent(parent)
  const tried = await run(true)
  expect(folderContent(parent)).toEqual(before)
  expect(await run(false)).toEqual({ ...tried, dryRun: undefined })
  expect(tried).toMatchObject({ dryRun: true })
  return tried
}

/** It is refused, and changes nothing below the folder. */
async function expectRefusal(parent: string, code: string, work: () => Promise<object>) {
  const before = folderContent(parent)
  expect(await outcomeOf(work())).toMatchObject({ code })
  expect(folderContent(parent)).toEqual(before)
}

describe('a backup and an export', () => {
  it('are refused where they cannot be made, and change nothing', async () => {
    const { parent, data, env } = await served()
    const [there, file] = [join(parent, 'there'), join(parent, 'a-file')]
    mkdirSync(there)
    writeFileSync(file, '')
    for (const [code, target] of [
      ['exists', there],
      ['no_store', join(parent, 'no', 'copy')],
      ['no_store', join(file, 'copy')],
    ] as const) {
      await expectRefusal(parent, code, () => backupStore({ env, target }))
      await expectRefusal(parent, code, () => exportStore({ env, target, now: NOW }))
    }
    const target = join(parent, 'copy')
    for (const [code, from] of [
      ['no_store', envOf(there)],
      ['invalid_settings', { FISH_STORAGE: 'memory:' }],
    ] as const) {
      await expectRefusal(parent, code, () => backupStore({ env: from, target }))
      await expectRefusal(parent, code, () => exportStore({ env: from, target, now: NOW }))
    }
    await expectRefusal(parent, 'invalid_settings', () => backupStore({ env, target: join(data, 'copy') }))
    writeFileSync(join(data, 'secrets.json'), '{')
    await expectRefusal(parent, 'damaged', () => backupStore({ env, target }))
    await expectRefusal(parent, 'damaged', () => exportStore({ env, target, now: NOW }))
  })

  it('of a damaged store are refused, and leave nothing of what was begun', async () => {
    const { parent, data, env } = await served()
    const target = join(parent, 'copy')
    const bytes = readFileSync(join(data, 'fish.db'))
    writeFileSync(join(data, 'fish.db'), bytes.fill(0x5a, 4096, 5 * 4096))
    for (const work of [() => backupStore({ env, target }), () => exportStore({ env, target, now: NOW })]) {
      const before = folderContent(parent)
      expect(await outcomeOf(work())).toHaveProperty('code')
      expect(folderContent(parent)).toEqual(before)
    }
  })
})

describe('a target', () => {
  it('where a link stands that leads nowhere is refused, by a dry run as by the work itself', async () => {
    const { parent, data, env } = await served()
    const [file, there] = [join(parent, 'fish.jsonl'), join(parent, 'there')]
    writeExport(file, 1)
    mkdirSync(there)
    const [dangling, round, store] = [join(parent, 'dangling'), join(parent, 'round'), join(there, 'fish.db')]
    symlinkSync(join(parent, 'nowhere'), dangling)
    symlinkSync(round, round)
    symlinkSync(join(parent, 'nowhere'), store)
    for (const target of [dangling, round]) {
      await expectRefusal(parent, 'exists', () => backupStore({ env, target }))
      await expectRefusal(parent, 'exists', () => exportStore({ env, target, now: NOW }))
    }
    for (const folder of [dangling, join(dangling, 'deep', 'data'), there]) {
      for (const run of [
        (dryRun: boolean) => importStore({ env: envOf(folder), file, dryRun }),
        (dryRun: boolean) => restoreStore({ env: envOf(folder), backup: data, dryRun }),
      ]) {
        await expectSameRefusal(parent, 'exists', run)
        await expectRefusal(parent, 'exists', () => run(false))
      }
    }
  })

  it('where nothing can be written is refused, by a dry run as by the work itself', async ({ skip }) => {
    const mounted = mountSmallDisk()
    if ('reason' in mounted) {
      skip(mounted.reason)
      return
    }
    const { disk } = mounted
    const { parent, data, env } = await served()
    const file = join(parent, 'fish.jsonl')
    writeExport(file, 1)
    const there = envOf(join(disk, 'data'))
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const target = join(disk, 'new')
    await expectRefusal(parent, 'read_only', () => backupStore({ env, target }))
    await expectRefusal(parent, 'read_only', () => exportStore({ env, target, now: NOW }))
    await expectSameRefusal(parent, 'read_only', (dryRun) => importStore({ env: there, file, dryRun }))
    await expectSameRefusal(parent, 'read_only', (dryRun) => restoreStore({ env: there, backup: data, dryRun }))
  })
})

describe('a dry run of a restore', () => {
  async function backedUp() {
    const { parent, data, env } = await served()
    const backup = join(parent, 'backup')
    await backupStore({ env, target: backup })
    return { parent, data, env, backup }
  }

  it('reports what is restored then, and makes not even the folders', async () => {
    const { parent, backup } = await backedUp()
    const target = join(parent, 'deep', 'target')
    const env = envOf(target)
    const report = await expectSameReport(parent, (dryRun) => restoreStore({ env, backup, dryRun }))
    expect(report).toMatchObject({ folder: target, records: 2, entries: 4, secrets: 'included' })
  })

  it('is refused where the restore is', async () => {
    const { parent, backup, env } = await backedUp()
    const refused = (code: string, more: object = {}) =>
      expectSameRefusal(parent, code, (dryRun) => restoreStore({ env, backup, dryRun, ...more }))
    writeFileSync(join(parent, 'a-file'), '')
    await refused('exists')
    await refused('exists', { env: envOf(join(parent, 'a-file')) })
    await refused('exists', { env: envOf(join(parent, 'a-file', 'data')) })
    await refused('no_store', { backup: join(parent, 'none') })
    writeFileSync(join(backup, 'secrets.json'), '{')
    await refused('damaged', { env: envOf(join(parent, 'new')) })
  })

  it('is refused while a server has the folder open', async () => {
    const { backup, data, env } = await backedUp()
    const server = await startTestServer({ ...envOf(data) })
    for (const dryRun of [true, false]) {
      const outcome = await outcomeOf(restoreStore({ env, backup, dryRun }))
      expect(outcome).toEqual({
        code: 'in_use',
        message: `The data folder ${data} is in use by another process, a server or fish-cli.`,
        hint: 'Stop that one first, or choose another folder.',
      })
    }
    await server.close()
  })
})

describe('a dry run of an import', () => {
  const ANN_AND_BOB = [
    { item: itemKey('setting', 'secret-check'), value: ENCRYPTED },
    ...userItems('ann', 'Ann'),
    ...userItems('bob', 'Bob'),
  ]

  async function exported(items = 3, more: readonly object[] = []) {
    const parent = newFolder()
    const file = join(parent, 'fish.jsonl')
    writeExport(file, items, more)
    return { parent, file, target: join(parent, 'target') }
  }

  it('counts what is imported then, and makes not even the folder', async () => {
    const { parent, file, target } = await exported()
    const report = await expectSameReport(parent, (dryRun) => importStore({ env: envOf(target), file, dryRun }))
    expect(report).toMatchObject({ folder: target, items: 3, secrets: 'included' })
  })

  it('is refused for every line that the import refuses, and where there is no room for it', async () => {
    const { parent, file, target } = await exported()
    const refused = (code: string, from = file, to = target) =>
      expectSameRefusal(parent, code, (dryRun) => importStore({ env: envOf(to), file: from, dryRun }))
    const text = readFileSync(file, 'utf8')
    const lines = text.trimEnd().split('\n')
    const bad = join(parent, 'bad.jsonl')
    writeFileSync(bad, lines.with(2, '{}').join('\n'))
    await refused('invalid_line', bad)
    writeFileSync(bad, lines.slice(0, -1).join('\n'))
    await refused('invalid_line', bad)
    await refused('no_store', join(parent, 'none'))
    writeFileSync(join(parent, 'a-file'), '')
    await refused('exists', file, join(parent, 'a-file'))
    await refused('exists', file, join(parent, 'a-file', 'data'))
    mkdirSync(target)
    writeFileSync(join(target, 'secrets.json'), '{')
    await refused('damaged')
    writeFileSync(join(target, 'fish.db'), '')
    await refused('exists')
  })

  it.each<[string, RegExp, readonly object[]]>([
    [
      'an item',
      /^Line 3 repeats what/,
      [
        { item: 'note:ann', value: 'a' },
        { item: 'note:ann', value: 'b' },
      ],
    ],
    [
      'the store id',
      /^Line 3 repeats what/,
      [
        { item: itemKey('setting', 'store'), value: 'a' },
        { item: itemKey('setting', 'store'), value: 'b' },
      ],
    ],
  ])('finds the line that repeats %s, before anything is written', async (_what, message, more) => {
    const { parent, file, target } = await exported(1, more)
    const run = (dryRun: boolean) => importStore({ env: envOf(target), file, dryRun })
    expect(await outcomeOf(run(true))).toMatchObject({ code: 'invalid_line', message: expect.stringMatching(message) })
    await expectSameRefusal(parent, 'invalid_line', run)
  })

  it('finds a token that two lines use, also by a record of a deleted player', async () => {
    const parent = newFolder()
    const file = join(parent, 'fish.jsonl')
    const token = (owner: string, id: string) => ({ token: { owner, dedupeKey: 'key', id } })
    const write = (...lines: readonly object[]) => writeLines(file, lines)
    const run = (dryRun: boolean) => importStore({ env: envOf(join(parent, 'target')), file, dryRun })
    write(token('ann', '1'), token('bob', '1'), token('ann', '2'))
    await expectSameRefusal(parent, 'invalid_line', run)
    write({ removedOwner: 'ann' }, token('ann', '1'))
    await expectSameRefusal(parent, 'invalid_line', run)
    write(...ANN_AND_BOB, token('ann', '1'), token('bob', '1'))
    expect(await run(true)).toMatchObject({ tokens: 2 })
  })

  it('finds a record that two lines contain, also where it has no token', async () => {
    const parent = newFolder()
    const file = join(parent, 'fish.jsonl')
    const record = (owner: string, id: string, dedupeKey: string | null) => ({
      record: { owner, kind: 'fish', gamemode: 'earth', ...caughtRecord({ id, dedupeKey }) },
    })
    const write = (...lines: readonly object[]) => writeLines(file, lines)
    const run = (dryRun: boolean) => importStore({ env: envOf(join(parent, 'target')), file, dryRun })
    const refused = async (message: RegExp) => {
      expect(await outcomeOf(run(true))).toMatchObject({ message: expect.stringMatching(message) })
      await expectSameRefusal(parent, 'invalid_line', run)
    }
    write(record('ann', '1', null), record('ann', '2', null), record('ann', '1', null))
    await refused(/^Line 4 repeats what/)
    write(record('ann', '1', 'one'), record('ann', '1', 'other'))
    await refused(/^Line 3 repeats what/)
    write(...ANN_AND_BOB, record('ann', '1', 'one'), record('bob', '1', 'one'), record('ann', '2', null))
    expect(await run(true)).toMatchObject({ records: 3 })
  })

  it('is refused where a server is on the store that is there', async () => {
    const { file } = await exported()
    const { data } = await served()
    const server = await startTestServer(envOf(data))
    expect(await outcomeOf(importStore({ env: envOf(data), file, dryRun: true }))).toMatchObject({ code: 'in_use' })
    await server.close()
  })
})

describe('a dry run of a rotation', () => {
  /** Players of whom only the keys are there. */
  async function encrypted(ids: readonly string[]) {
    const { parent, data } = await served({ FISH_SECRET: OLD })
    const storage = await createStorage({ driver: 'file', path: data })
    const encryption = createEncryption([OLD], (bytes) => crypto.getRandomValues(bytes))
    for (const id of ids) await storage.items.setItem(`secret:${id}:fernet`, await encryption.encrypt('a key', id))
    await storage.dispose()
    return { parent, data, env: { ...envOf(data), FISH_SECRET: NEW, FISH_SECRET_PREVIOUS: OLD } }
  }

  it('counts the keys that would be encrypted again, and changes nothing', async () => {
    const { parent, env } = await encrypted(['ann', 'bob'])
    const before = folderContent(parent)
    const tried = await rotateSecret({ env, dryRun: true })
    expect(tried).toMatchObject({ seen: 2, resealed: 2, unopened: [], dryRun: true })
    expect(folderContent(parent)).toEqual(before)
    expect(await rotateSecret({ env })).toMatchObject({ seen: 2, resealed: 2, unopened: [] })
    expect(await rotateSecret({ env, dryRun: true })).toMatchObject({ seen: 2, resealed: 0 })
  })

  /** Everything but the index that SQLite makes of a log to read it. */
  const withoutShm = (folder: string) =>
    Object.fromEntries(Object.entries(folderContent(folder)).filter(([path]) => !path.endsWith('-shm')))

  it('is refused beside a log of another store, as the rotation is, and changes neither', async () => {
    const { parent, data, env } = await encrypted(['ann', 'bob'])
    const backup = join(parent, 'backup')
    await backupStore({ env, target: backup })
    const storage = await createStorage({ driver: 'file', path: data })
    for (let at = 0; at < 600; at += 1) await storage.items.setItem(`user:${at}`, 'x'.repeat(2000))
    const log = readFileSync(join(data, 'fish.db-wal'))
    await storage.dispose()
    const left = join(parent, 'left')
    cpSync(backup, left, { recursive: true })
    writeFileSync(join(left, 'fish.db-wal'), log)
    const leftEnv = { ...env, ...envOf(left) }
    const before = withoutShm(parent)
    const tried = await outcomeOf(rotateSecret({ env: leftEnv, dryRun: true }))
    expect(tried).toMatchObject({ code: 'damaged', message: expect.stringMatching(/do not belong together/) })
    expect(withoutShm(parent)).toEqual(before)
    expect(await outcomeOf(rotateSecret({ env: leftEnv }))).toEqual(tried)
  })

  it('decrypts the keys of a store whose server was killed, and leaves its log unchanged', async () => {
    const { parent, data, env } = await encrypted(['ann', 'bob'])
    const storage = await createStorage({ driver: 'file', path: data })
    await storage.items.setItem('user:ann', 'ann')
    const left = join(parent, 'left')
    mkdirSync(left)
    for (const name of ['fish.db', 'fish.db-wal']) cpSync(join(data, name), join(left, name))
    await storage.dispose()
    const before = withoutShm(parent)
    const leftEnv = { ...env, ...envOf(left) }
    expect(await rotateSecret({ env: leftEnv, dryRun: true })).toMatchObject({ seen: 2, resealed: 2, unopened: [] })
    expect(withoutShm(parent)).toEqual(before)
    expect(await rotateSecret({ env: leftEnv })).toMatchObject({ seen: 2, resealed: 2 })
  })

  it('names the keys that no secret decrypts', async () => {
    const { data, env } = await encrypted(['ann', 'bob'])
    const storage = await createStorage({ driver: 'file', path: data })
    const value = await storage.items.getItem('secret:ann:fernet')
    await storage.items.setItem('secret:bob:fernet', String(value))
    await storage.dispose()
    expect(await rotateSecret({ env, dryRun: true })).toMatchObject({ seen: 2, resealed: 1, unopened: ['bob'] })
  })

  it('with a new secret makes none', async () => {
    const { parent, env } = await served()
    const before = folderContent(parent)
    expect(await rotateSecret({ env, makeNew: true, dryRun: true })).toMatchObject({ seen: 0, unopened: [] })
    expect(folderContent(parent)).toEqual(before)
  })

  it.each([false, true])('names the secret that is missing, not a new one (--new: %s)', async (makeNew) => {
    const { data } = await encrypted(['ann'])
    rmSync(join(data, 'secrets.json'), { force: true })
    for (const dryRun of [true, false]) {
      expect(await outcomeOf(rotateSecret({ env: envOf(data), makeNew, dryRun }))).toMatchObject({
        code: 'missing_secret',
        message: `${join(data, 'secrets.json')} is missing, and FISH_SECRET is not set.`,
        hint: expect.stringMatching(/^Restore it.*secret that decrypts the keys/),
      })
    }
  })

  it('is refused where the rotation is', async () => {
    const { parent, data, env } = await encrypted(['ann'])
    const refused = (code: string, more: object) =>
      expectSameRefusal(parent, code, (dryRun) => rotateSecret({ env, dryRun, ...more }))
    await refused('wrong_secret', { env: { ...envOf(data), FISH_SECRET: NEW } })
    await refused('missing_secret', { env: { FISH_STORAGE: 'redis://127.0.0.1:1' } })
    await refused('invalid_settings', { makeNew: true })
    await refused('no_store', { env: { ...env, ...envOf(join(parent, 'none')) } })
    const server = await startTestServer(env)
    for (const dryRun of [true, false]) {
      expect(await outcomeOf(rotateSecret({ env, dryRun }))).toMatchObject({ code: 'in_use' })
    }
    await server.close()
    writeFileSync(join(data, 'fish.db'), 'something else, but long enough to be looked at')
    await refused('not_a_store', {})
  })
})

describeWithRedis('on a Redis, a dry run', () => {
  async function redisOf() {
    const redis = await startRedis()
    onTestFinished(redis.stop)
    const env = { FISH_STORAGE: redis.url, FISH_SECRET: NEW, FISH_SECRET_PREVIOUS: OLD }
    const file = join(newFolder(), 'fish.jsonl')
    writeExport(file, 5)
    return { redis, env, file }
  }

  it('of an import leaves no key, and is refused where it is not empty', async () => {
    const { redis, env, file } = await redisOf()
    const waits: number[] = []
    const work = { env, file, noticeMs: 0, onWait: (ms: number) => waits.push(ms) }
    expect(await importStore({ ...work, dryRun: true })).toMatchObject({ folder: null, items: 5, dryRun: true })
    expect([await redis.admin.keys('*'), waits]).toEqual([[], []])
    expect(await importStore(work)).toMatchObject({ items: 5 })
    // That of a probe expires by itself.
    const keys = async () => (await redis.admin.keys('*')).filter((key) => !key.endsWith(':probe')).sort()
    const before = await keys()
    expect(await outcomeOf(importStore({ ...work, dryRun: true }))).toMatchObject({ code: 'exists' })
    await redis.admin.del('fish:schema')
    expect(await outcomeOf(importStore({ ...work, dryRun: true }))).toMatchObject({ code: 'exists' })
    await redis.admin.set('fish:schema', '99')
    expect(await outcomeOf(importStore({ ...work, dryRun: true }))).toMatchObject({ code: 'newer_schema' })
    await redis.admin.set('fish:schema', '1')
    await redis.admin.set('fish:item:{setting}:setting:store', 'unfinished')
    expect(await outcomeOf(importStore({ ...work, dryRun: true }))).toMatchObject({ code: 'unfinished' })
    expect(await keys()).toEqual(before)
  })

  it('of an import is refused, as the import is, where there is only the id of a store', async () => {
    const { redis, env, file } = await redisOf()
    await redis.admin.set('fish:item:{setting}:setting:store', 'TheStoreOfTheTest')
    const tried = await outcomeOf(importStore({ env, file, dryRun: true }))
    expect(await redis.admin.keys('*')).toEqual(['fish:item:{setting}:setting:store'])
    expect(tried).toMatchObject({ code: 'exists', hint: 'Name an empty one.' })
    expect(await outcomeOf(importStore({ env, file, noticeMs: 0 }))).toEqual(tried)
    expect(await redis.admin.get('fish:item:{setting}:setting:store')).toBe('TheStoreOfTheTest')
  })

  it('of an import or a rotation is refused by a replica, as these are', async () => {
    const { redis, env, file } = await redisOf()
    await redis.admin.call('REPLICAOF', '127.0.0.1', '1')
    const refusal = {
      code: 'read_only',
      message: 'This Redis is a replica.',
      hint: 'Name its primary in FISH_STORAGE.',
    }
    for (const dryRun of [true, false]) {
      expect(await outcomeOf(importStore({ env, file, dryRun }))).toEqual(refusal)
      expect(await outcomeOf(rotateSecret({ env, dryRun }))).toEqual(refusal)
    }
  })

  it('of a rotation decrypts each key, and changes none', async () => {
    const { redis, env } = await redisOf()
    expect(await rotateSecret({ env, dryRun: true })).toMatchObject({ seen: 0, resealed: 0 })
    expect(await redis.admin.keys('*')).toEqual([])
    const storage = await createStorage({ driver: 'redis', url: redis.url })
    onTestFinished(() => storage.dispose())
    const encryption = createEncryption([OLD], (bytes) => crypto.getRandomValues(bytes))
    for (const id of ['ann', 'bob'])
      await storage.items.setItem(`secret:${id}:fernet`, await encryption.encrypt('a key', id))
    const all = async () =>
      Object.fromEntries(
        await Promise.all(['ann', 'bob'].map(async (id) => [id, await storage.items.getItem(`secret:${id}:fernet`)])),
      )
    const before = await all()
    expect(await rotateSecret({ env, dryRun: true })).toMatchObject({ seen: 2, resealed: 2, unopened: [] })
    expect(await all()).toEqual(before)
    const other = { ...env, FISH_SECRET: OLD, FISH_SECRET_PREVIOUS: '' }
    expect(await rotateSecret({ env: other, dryRun: true })).toMatchObject({ seen: 2, resealed: 0, unopened: [] })
  })
})
