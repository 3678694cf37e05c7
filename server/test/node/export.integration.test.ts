import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { exportStore, importStore, MaintenanceError } from '@fish-crab/server'
import { createStorage, type FishStorage, itemKey, type NewRecord } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { caughtRecord, ENCRYPTED, HASH, userItems, writeLines } from '../../../scripts/test-support/export-file.ts'
import { describeWithRedis, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { newRecord, readAll } from '../../src/storage-conformance/samples.ts'
import { newFolder } from './data-folder.ts'

const NOW = new Date(0)
const STORE = itemKey('setting', 'store')
const CHECK = itemKey('setting', 'secret-check')
const [KEY, KEY_OF_OLD] = ['new', 'old'].map((id) => itemKey('secret', id, 'fernet')) as [string, string]
const ENCRYPTED_OF_OLD = `v1.${'A+/z'.repeat(4)}.${'B'.repeat(78)}==`
const [ANN, BOB, GONE] = ['owner-ann', 'owner-bob', 'owner-gone']
const at = (owner: string, kind = 'fish', gamemode = 'earth') => ({ owner, kind, gamemode })
const COD = { name: 'Cod', rarity: 'Bronze' } as const
const PLACES = [at(ANN), at(ANN, 'crab'), at(BOB), at(BOB, 'fish', 'survival'), at(GONE)]

// U+2028 and U+2029 end lines elsewhere, but not in JSON.
const ODD = 'Kọi 🐟 \u2028\u2029 "\\'
const USER = { id: ANN, name: 'Ann', createdAt: NOW.toISOString() }
const ADMIN = { ...USER, username: 'boss', role: 'superadmin' }

/** Records of every sort, a removed one, one without a token, a removed owner, and items. */
async function fill(storage: FishStorage) {
  const kept: Record<string, NewRecord> = {
    odd: caughtRecord({ entries: [{ name: ODD, rarity: 'Gold' }] }),
    two: caughtRecord({
      entries: [COD, { name: 'Koi', rarity: 'Unknown/Other', caughtAt: '2026-01-31T12:00:00.000Z' }],
    }),
    tokenless: caughtRecord({ dedupeKey: null }),
    crab: caughtRecord({ entries: [{ name: 'crab' }, { name: 'Hermit' }] }),
    bob: caughtRecord({ dedupeKey: '' }),
    far: caughtRecord(),
  }
  const removed = caughtRecord()
  await storage.append(at(ANN), removed)
  for (const name of ['odd', 'two', 'tokenless']) await storage.append(at(ANN), kept[name] ?? caughtRecord())
  await storage.append(at(ANN, 'crab'), kept.crab ?? caughtRecord())
  await storage.append(at(BOB), kept.bob ?? caughtRecord())
  await storage.append(at(BOB, 'fish', 'survival'), kept.far ?? caughtRecord())
  const many = Array.from({ length: 1200 }, (_, more) =>
    caughtRecord({ id: `${more}`, entries: [{ ...COD, name: `Cod ${more}` }] }),
  )
  await Promise.all(many.map((record) => storage.append(at(BOB), record)))
  await storage.removeRecord(at(ANN), removed.id)
  await storage.append(at(GONE), newRecord())
  await storage.removeOwner(GONE)
  await storage.items.setItem(itemKey('visit', 'bob ?'), `${ODD} \n \u0000`)
  await storage.items.setItem(itemKey('setting', 'empty'), '')
  await storage.items.setItem(STORE, 'TheStoreOfTheTest')
  await storage.items.setItem(CHECK, ENCRYPTED)
  for (const { item, value } of [...userItems(ANN, 'Ann'), ...userItems(BOB, 'Bob')]) {
    await storage.items.setItem(item, value)
  }
  return { kept: Object.values(kept), removed }
}

/** Everything that can be read of a storage; sequences only by their order. */
async function everything(storage: FishStorage) {
  const records = await Promise.all(
    PLACES.map(async (place) => (await readAll(storage, place)).map(({ count, entries }) => ({ count, entries }))),
  )
  const tallies = (await storage.tallies()).map((tally) => JSON.stringify(tally, Object.keys(tally).sort())).sort()
  const leaders = ['fish', 'crab', 'removed'].flatMap((kind) =>
    [undefined, 'earth', 'survival', 'removed'].map((gamemode) => storage.leaders({ kind, gamemode, limit: 9 })),
  )
  const keys = (await storage.items.getKeys()).sort()
  return {
    records,
    tallies,
    leaders: await Promise.all(leaders),
    items: await Promise.all(keys.map(async (key) => [key, await storage.items.getItem(key)])),
    users: await storage.countItems('user:'),
  }
}

async function open(address: Parameters<typeof createStorage>[0]) {
  const storage = await createStorage(address)
  onTestFinished(() => storage.dispose())
  return storage
}

const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })

/** A store that is open, and an export of it. */
async function exported() {
  const parent = newFolder()
  const [folder, file] = [join(parent, 'data'), join(parent, 'fish.jsonl')]
  const storage = await open({ driver: 'file', path: folder })
  const content = await fill(storage)
  const report = await exportStore({ env: envOf(folder), target: file, now: NOW })
  return { parent, folder, file, storage, report, ...content }
}

const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(MaintenanceError)
  const { code, message, hint } = error as MaintenanceError
  return { code, message, hint }
}

/** What is in the second storage must be that of the first, and it must response writes like it. */
async function expectSame(copy: FishStorage, { storage, kept, removed }: Awaited<ReturnType<typeof exported>>) {
  expect(await everything(copy)).toEqual(await everything(storage))
  for (const record of kept.filter(({ dedupeKey }) => dedupeKey !== null)) {
    const owner = (await storage.findRecord(ANN, record.dedupeKey ?? '')) === record.id ? ANN : BOB
    const again = newRecord({ dedupeKey: record.dedupeKey })
    expect(await copy.append(at(owner), again)).toEqual({ outcome: 'replayed', id: record.id })
  }
  const again = newRecord({ dedupeKey: removed.dedupeKey })
  expect(await copy.append(at(ANN), again)).toEqual({ outcome: 'replayed', id: removed.id })
  expect(await copy.append(at(GONE), newRecord())).toEqual({ outcome: 'owner_removed' })
  expect(await everything(copy)).toEqual(await everything(storage))
}

describe('an export of a store that is open', () => {
  it('creates the same store where it is imported: records, tokens, removals, sums and items', async () => {
    const source = await exported()
    const target = join(source.parent, 'copy')
    const report = await importStore({ env: envOf(target), file: source.file })
    const counts = { items: 16, records: 1206, tokens: 1, removedOwners: 1, users: 2, entries: 1208 }
    expect(source.report).toMatchObject({ ...counts, file: source.file, folder: source.folder })
    expect(report).toEqual({ ...counts, folder: target, secrets: 'needed' })
    expect(readdirSync(target).sort()).toEqual(['fish.db', 'fish.lock'])
    await expectSame(await open({ driver: 'file', path: target }), source)
  })

  it('is the same when the imported store is exported again', async () => {
    const { parent, file } = await exported()
    const [target, again] = [join(parent, 'copy'), join(parent, 'again.jsonl')]
    await importStore({ env: envOf(target), file })
    await exportStore({ env: envOf(target), target: again, now: NOW })
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'))
  })

  it('is a snapshot, whatever is written while a slow reader reads it', async () => {
    const { folder, file, storage } = await exported()
    const target = new PassThrough({ highWaterMark: 1 })
    const done = exportStore({ env: envOf(folder), target, now: NOW })
    await once(target, 'readable')
    await storage.append(at(BOB), newRecord())
    await storage.items.setItem(itemKey('user', 'late'), '{}')
    await storage.removeOwner(ANN)
    const chunks: Buffer[] = []
    target.on('data', (chunk: Buffer) => chunks.push(chunk))
    await done
    expect(Buffer.concat(chunks).toString()).toBe(readFileSync(file, 'utf8'))
  })

  it('fails with one line when its reader disconnects', async () => {
    const { folder } = await exported()
    const target = new PassThrough({ highWaterMark: 1 })
    target.once('readable', () => target.destroy())
    const refused = await refusal(exportStore({ env: envOf(folder), target, now: NOW }))
    expect(refused).toEqual({
      code: 'unavailable',
      message: 'The reader of the export stopped before the end.',
      hint: 'Run it again, and let the reader read all of it.',
    })
  })

  it('does not replace a file that is created meanwhile', async () => {
    const { parent, folder } = await exported()
    const target = join(parent, 'meanwhile.jsonl')
    const refused = refusal(exportStore({ env: envOf(folder), target, now: NOW }))
    const isBegun = () => readdirSync(parent).some((name) => name.startsWith('meanwhile.jsonl.'))
    // Without a turn of the event loop in between: nothing is written before the other file is there.
    for (let looks = 0; looks < 50_000 && !isBegun(); looks += 1) await Promise.resolve()
    writeFileSync(target, 'of somebody else')
    expect((await refused).code).toBe('exists')
    expect(readFileSync(target, 'utf8')).toBe('of somebody else')
    expect(readdirSync(parent).sort()).toEqual(['data', 'fish.jsonl', 'meanwhile.jsonl'])
  })

  it('is readable by its owner alone, changes no existing file, and leaves none when it is interrupted', async () => {
    const { parent, folder, file } = await exported()
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    const before = readFileSync(file, 'utf8')
    expect(await refusal(exportStore({ env: envOf(folder), target: file, now: NOW }))).toMatchObject({ code: 'exists' })
    expect(readFileSync(file, 'utf8')).toBe(before)

    const target = join(parent, 'interrupted.jsonl')
    const signal = AbortSignal.abort(new Error('stopped by hand'))
    const error = await exportStore({ env: envOf(folder), target, now: NOW, signal }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'interrupted', message: `Interrupted. ${target} was not made.` })
    expect((error as MaintenanceError).cause).toBe(signal.reason)
    expect(readdirSync(parent).sort()).toEqual(['data', 'fish.jsonl'])
  })
})

it('an export and an import onto a full disk leave nothing of what was begun', async ({ skip }) => {
  const mounted = mountSmallDisk()
  if ('reason' in mounted) {
    skip(mounted.reason)
    return
  }
  const { disk } = mounted
  const { folder, parent, storage } = await exported()
  await storage.items.setItem(itemKey('note', 'filler'), 'x'.repeat(6_000_000))
  const file = join(parent, 'large.jsonl')
  await exportStore({ env: envOf(folder), target: file, now: NOW })
  const onto = join(disk, 'large.jsonl')
  expect((await refusal(exportStore({ env: envOf(folder), target: onto, now: NOW }))).code).toBe('full')
  expect(existsSync(onto)).toBe(false)
  expect((await refusal(importStore({ env: envOf(join(disk, 'data')), file }))).code).toBe('full')
  expect(readdirSync(disk)).toEqual([])
})

describe('an import', () => {
  const change = (file: string, how: (lines: string[]) => readonly string[]) =>
    writeFileSync(file, `${how(readFileSync(file, 'utf8').trimEnd().split('\n')).join('\n')}\n`)
  const item = (key: string, value: string) => JSON.stringify({ item: key, value })
  const changed = (part: object) => (line: string) =>
    JSON.stringify({ record: { ...JSON.parse(line).record, ...part } })
  const record = (part: object) =>
    changed(part)(JSON.stringify({ record: { ...at(BOB), ...caughtRecord({ entries: [COD] }) } }))
  const FIRST_RECORD = 17
  const STORE_LINE = JSON.stringify({ item: STORE, value: 'another' })

  it.each<[string, RegExp, (lines: string[]) => readonly string[]]>([
    ['a line that is no JSON', /^Line 3 /, (lines) => lines.with(2, '{"item":')],
    ['a line of an unknown kind', /^Line 3 /, (lines) => lines.with(2, '{"fish":1}')],
    ['a line with something added', /^Line 3 /, (lines) => lines.with(2, '{"item":"user:a","value":"","more":1}')],
    ['a key that no item has', /^Line 2 /, (lines) => lines.with(1, '{"item":"user:A b","value":""}')],
    ['half a character', /^Line 2 /, (lines) => lines.with(1, '{"item":"user:a","value":"\\ud800"}')],
    [
      'entries that are no JSON',
      /^Line 18 /,
      (lines) => lines.with(FIRST_RECORD, changed({ entries: '{' })(lines[FIRST_RECORD] ?? '')),
    ],
    [
      'another count of entries',
      /^Line 18 /,
      (lines) => lines.with(FIRST_RECORD, changed({ count: 2 })(lines[FIRST_RECORD] ?? '')),
    ],
    [
      'more labels than entries',
      /^Line 18 /,
      (lines) => lines.with(FIRST_RECORD, changed({ labels: { a: 2 } })(lines[FIRST_RECORD] ?? '')),
    ],
    [
      'another version',
      /^Line 1 has version 2,/,
      (lines) => lines.with(0, lines[0]?.replace('"version":1', '"version":2') ?? ''),
    ],
    ['something else altogether', /^Line 1 is not the first line/, () => ['hello']],
    ['nothing at all', /^Line \d is /, () => []],
    ['a store without an id', /^Line 2 has an invalid store id/, (lines) => lines.with(1, item(STORE, 'unfinished'))],
    [
      'a key in an unknown form of encryption',
      /^Line 2 has a value that is not encrypted/,
      (lines) => lines.with(1, item(KEY, 'v2.abc.def.ghi')),
    ],
    [
      'a key in plain',
      /^Line 2 has a value that is not encrypted/,
      (lines) => lines.with(1, item(KEY, 'a'.repeat(44))),
    ],
    ['a key of an unknown form', /^Line 2 has/, (lines) => lines.with(1, item(KEY, ENCRYPTED.replace('v2', 'v3')))],
    ['an encrypted key that was cut', /^Line 2 has/, (lines) => lines.with(1, item(KEY, ENCRYPTED.slice(0, -1)))],
    ['a check of the secret that is none', /^Line 2 has/, (lines) => lines.with(1, item(CHECK, `${ENCRYPTED} x`))],
    ['no end', /cut off/, (lines) => lines.slice(0, -1)],
    ['a line too few', /^Line \d+ has other counts/, (lines) => lines.toSpliced(7, 1)],
    ['a line after the last one', /follows the last line/, (lines) => [...lines, lines[1] ?? '']],
  ])('of a file with %s is refused by the number of the line, and writes nothing', async (_, message, how) => {
    const parent = newFolder()
    const [folder, file, target] = ['data', 'fish.jsonl', 'copy'].map((name) => join(parent, name)) as [
      string,
      string,
      string,
    ]
    const storage = await open({ driver: 'file', path: folder })
    await fill(storage)
    await exportStore({ env: envOf(folder), target: file, now: NOW })
    change(file, how)
    const refused = await refusal(importStore({ env: envOf(target), file }))
    expect(refused.code).toBe('invalid_line')
    expect(refused.message).toMatch(message)
    expect(existsSync(target)).toBe(false)
  })

  const caughtBy = (entry: object, labels: object = { Bronze: 1 }) => {
    const { name, rarity, ...rest } = { ...COD, caughtAt: NOW.toISOString(), ...entry }
    const shape = { name, rarity }
    return { id: 'r', entries: JSON.stringify({ ...shape, id: 'r', ...rest }), labels }
  }
  const exportOf = (...lines: string[]) => {
    const parent = newFolder()
    const file = join(parent, 'fish.jsonl')
    writeLines(
      file,
      lines.map((line) => JSON.parse(line)),
    )
    return { file, target: join(parent, 'copy') }
  }
  const PASSWORD = itemKey('secret', ANN, 'password')
  const ADMINS = itemKey('setting', 'admins')
  const adminsWith = (passwordHash: string) => JSON.stringify([{ ...ADMIN, passwordHash }])
  const adminsOf = (...parts: object[]) =>
    item(ADMINS, JSON.stringify(parts.map((part) => ({ ...ADMIN, passwordHash: HASH, ...part }))))
  const AUDIT = {
    id: 'e',
    at: NOW.toISOString(),
    actor: 'boss',
    action: 'login',
    address: '192.0.2.1',
    requestId: 'r',
  }
  const AUDIT_KEY = itemKey('audit', 'f'.repeat(12), 'e')
  const ANNS = userItems(ANN, 'Ann').map(({ item: key, value }) => item(key, value))

  async function expectRefused(line: RegExp, message: RegExp, ...lines: string[]) {
    const { file, target } = exportOf(...lines)
    const refused = await refusal(importStore({ env: envOf(target), file }))
    expect(refused).toMatchObject({ code: 'invalid_line', message: expect.stringMatching(line) })
    expect(refused.message).toMatch(message)
    expect(refused.message).not.toContain('hunter2')
    expect(existsSync(target)).toBe(false)
  }

  it.each<[string, RegExp, string]>([
    ['a kind that there is not', /kind of catches/, record({ kind: 'removed' })],
    ['a gamemode that there is not', /unknown gamemode/, record({ gamemode: 'Earth' })],
    ['a control character in a name', /catches/, record(caughtBy({ name: 'Cod\n' }))],
    ['a name that is too long', /catches/, record(caughtBy({ name: 'x'.repeat(101) }))],
    ['a rarity that there is not', /catches/, record(caughtBy({ rarity: 'Copper' }, { Copper: 1 }))],
    ['a rarity as a number', /catches/, record(caughtBy({ rarity: 1 }, { 1: 1 }))],
    ['a moment of another form', /catches/, record(caughtBy({ caughtAt: '2026-01-31T12:00:00Z' }))],
    ['a field that is never stored', /catches/, record(caughtBy({ length: 31.5 }))],
    ['crabs with a rarity', /catches/, record({ ...caughtBy({}), kind: 'crab' })],
    ['fish without a rarity', /catches/, record(caughtBy({ rarity: undefined }, {}))],
    ['counts of other rarities than its fish have', /catches/, record(caughtBy({}, { Gold: 1 }))],
    ['another id in its entries', /catches/, record({ ...caughtBy({}), id: 'other' })],
    ['JSON that is spaced', /catches/, record({ ...caughtBy({}), entries: caughtBy({}).entries.replace(':', ': ') })],
    ['a user with a control character', /user/, item('user:ann', JSON.stringify({ ...USER, name: 'An\u0007' }))],
    ['a user under the key of another', /user/, item('user:bob', JSON.stringify(USER))],
    ['a user that could not be deleted', /user/, item('user:ann', JSON.stringify({ ...USER, more: 1 }))],
    ['the name of a user with a space', /user/, item(itemKey('user-name', ANN), 'An n')],
    ['a bcrypt hash', /password hash/, item(PASSWORD, `$2b$12$${'a'.repeat(53)}`)],
    ['a password in plain', /password hash/, item(PASSWORD, 'hunter2')],
    ['a hash with a short key', /password hash/, item(PASSWORD, HASH.replace(/B{20}/, ''))],
    ['an administrator with a foreign hash', /administrators/, item(ADMINS, adminsWith('hunter2'))],
    ['an administrator of no name', /administrators/, item(ADMINS, adminsWith(HASH).replace('boss', ''))],
    ['administrators that are no JSON', /administrators/, item(ADMINS, HASH)],
    ['an administrator without an id', /administrators/, adminsOf({ id: undefined })],
    ['an administrator without a role', /administrators/, adminsOf({ role: undefined })],
    ['an administrator of an unknown role', /administrators/, adminsOf({ role: 'owner' })],
    ['two administrators of one name', /administrators/, adminsOf({}, { username: 'Boss' })],
    ['administrators without a superadmin', /without a superadmin/, adminsOf({ role: 'admin' })],
    ['no administrator at all', /without a superadmin/, adminsOf()],
    ['a hash that would stop every login', /password hash/, item(PASSWORD, HASH.replace('131072', `${2 ** 24}`))],
    ['a hash of so many rounds', /password hash/, item(PASSWORD, HASH.replace('$1$', '$999999999$'))],
    ['a hash of a cost that scrypt does not know', /password hash/, item(PASSWORD, HASH.replace('131072', '131071'))],
    ['an entry of the audit log that is no JSON', /audit log/, item(AUDIT_KEY, 'hunter2')],
    ['an entry of an unknown action', /audit log/, item(AUDIT_KEY, JSON.stringify({ ...AUDIT, action: 'hunter2' }))],
    ['an entry under the key of another moment', /audit log/, item(itemKey('audit', 'f', 'e'), JSON.stringify(AUDIT))],
    ['an entry with something added', /audit log/, item(AUDIT_KEY, JSON.stringify({ ...AUDIT, more: 1 }))],
    [
      'a failed login that names no entry',
      /audit log/,
      item(itemKey('failed-login', '1', '1'), itemKey('setting', 'admins')),
    ],
    ['a key reading at no time', /user/, item(itemKey('key-read', 'u'), 'hunter2')],
    ['an entry without an id', /audit log/, item(AUDIT_KEY, JSON.stringify({ ...AUDIT, id: '' }))],
  ])('of what the service cannot have stored, %s, is refused by the number of the line', async (_, message, line) => {
    await expectRefused(/^Line 3 /, message, item(itemKey('secret', BOB, 'password'), HASH), line)
  })

  it('takes such lines when nothing is wrong with them', async () => {
    const { file, target } = exportOf(
      item(CHECK, ENCRYPTED),
      ...ANNS,
      item(ADMINS, adminsWith(HASH)),
      item(AUDIT_KEY, JSON.stringify(AUDIT)),
      record({ ...caughtBy({}), owner: ANN }),
    )
    expect(await importStore({ env: envOf(target), file })).toMatchObject({ items: 9, records: 1, users: 1 })
  })

  it('takes what a creation or a deletion of a user leaves behind that a crash has cut short', async () => {
    const { file, target } = exportOf(
      item(CHECK, ENCRYPTED),
      ...ANNS.filter((line) => !line.includes('"user:')),
      item(itemKey('user', 'bob'), JSON.stringify({ ...USER, id: BOB, name: 'Bob' })),
      JSON.stringify({ removedOwner: BOB }),
    )
    expect(await importStore({ env: envOf(target), file })).toMatchObject({ items: 7, users: 1 })
  })

  it('takes what a killed removal of a user leaves: records, and tokens whose records are gone', async () => {
    const bob = itemKey('user', 'bob')
    const { file, target } = exportOf(
      item(CHECK, ENCRYPTED),
      ...ANNS,
      item(bob, JSON.stringify({ ...USER, id: BOB, name: 'Bob' })),
      ...userItems(BOB, 'Bob')
        .filter((one) => one.item !== bob)
        .map((one) => item(one.item, one.value)),
      record({}),
      JSON.stringify({ token: { owner: BOB, dedupeKey: 'gone', id: 'gone' } }),
      JSON.stringify({ removedOwner: BOB }),
    )
    expect(await importStore({ env: envOf(target), file })).toMatchObject({ records: 1, users: 2 })
    const storage = await createStorage({ driver: 'file', path: target })
    expect(await storage.append(at(BOB), newRecord())).toEqual({ outcome: 'owner_removed' })
    expect(await readAll(storage, at(BOB))).toEqual([])
    await storage.dispose()
  })

  it.each([
    ['a record', record({})],
    ['a used token', JSON.stringify({ token: { owner: BOB, dedupeKey: 'd', id: 'r' } })],
  ])('of %s whose user is not in the export is refused by the number of the line', async (_, line) => {
    await expectRefused(/^Line 9 /, /belongs to a user/, item(CHECK, ENCRYPTED), ...ANNS, line)
  })

  it.each(['user-name:owner-ann', 'secret:owner-ann:password', 'secret:owner-ann:fernet', 'secret:owner-ann:api-key'])(
    'of a user without %s is refused by the number of the line',
    async (missing) => {
      const lines = ANNS.filter((line) => !line.includes(`"${missing}"`)).sort()
      await expectRefused(/^Line \d+ has a user, /, new RegExp(missing), item(CHECK, ENCRYPTED), ...lines)
    },
  )

  it('of a user under the id of another is refused', async () => {
    const other = item('user:bob', JSON.stringify({ ...USER, name: 'Bob' }))
    await expectRefused(/^Line 9 has a user, /, /names another/, item(CHECK, ENCRYPTED), ...ANNS, other)
  })

  it.each<[string, RegExp, string[]]>([
    ['without any', /^Line 2 has an encrypted key, and setting:secret-check, .* is missing\./, [item(KEY, ENCRYPTED)]],
    [
      'that does not name it',
      /^Line 3 has a key that is encrypted under a secret unknown to setting:secret-check\./,
      [item(CHECK, ENCRYPTED), item(KEY, ENCRYPTED.replace('abcd', 'efgh'))],
    ],
    ['without any, of the first release', /^Line 2 /, [item(KEY_OF_OLD, ENCRYPTED_OF_OLD)]],
  ])(
    'of an encrypted key and a check of the secret %s is refused, since no start could tell a wrong secret',
    async (...row) => {
      const [, message, lines] = row
      await expectRefused(/^Line \d /, message, ...lines)
    },
  )

  it('takes every form that encrypted keys have had', async () => {
    const { file, target } = exportOf(
      item(KEY, ENCRYPTED),
      item(CHECK, `${ENCRYPTED_OF_OLD} ${ENCRYPTED}`),
      item(KEY_OF_OLD, ENCRYPTED_OF_OLD),
      item(itemKey('secret', 'later', 'fernet'), ENCRYPTED.replace('abcd', 'efgh')),
    )
    expect(await importStore({ env: envOf(target), file })).toMatchObject({ secrets: 'needed' })
    expect(await (await open({ driver: 'file', path: target })).items.getItem(KEY_OF_OLD)).toBe(ENCRYPTED_OF_OLD)
  })

  it('of an older file, which has no store id, creates one', async () => {
    const { parent, file } = await exported()
    change(file, (lines) => {
      const end = JSON.parse(lines.at(-1) ?? '').end
      const others = lines.slice(0, -1).filter((line) => !line.includes(`"${STORE}"`))
      return [...others, JSON.stringify({ end: { ...end, items: end.items - 1 } })]
    })
    const ids = await Promise.all(
      ['one', 'two'].map(async (name) => {
        await importStore({ env: envOf(join(parent, name)), file })
        return (await open({ driver: 'file', path: join(parent, name) })).items.getItem(STORE)
      }),
    )
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{22}$/)
    expect(ids[0]).not.toBe(ids[1])
  })

  it('of a file with two store ids is refused', async () => {
    const { parent, file } = await exported()
    change(file, (lines) => {
      const end = JSON.parse(lines.at(-1) ?? '').end
      const more = JSON.stringify({ end: { ...end, items: end.items + 1 } })
      return [...lines.slice(0, 1), STORE_LINE, ...lines.slice(1, -1), more]
    })
    const refused = await refusal(importStore({ env: envOf(join(parent, 'copy')), file }))
    expect(refused).toMatchObject({ code: 'invalid_line', message: expect.stringMatching(/^Line 13 repeats what/) })
  })

  it('of a file cut in the middle of a line is refused', async () => {
    const { parent, file } = await exported()
    writeFileSync(file, readFileSync(file).subarray(0, -100))
    const target = join(parent, 'copy')
    expect((await refusal(importStore({ env: envOf(target), file }))).code).toBe('invalid_line')
    expect(existsSync(target)).toBe(false)
  })

  it('of a file that repeats a line is refused, and leaves no store', async () => {
    const { parent, file } = await exported()
    change(file, (lines) => {
      const end = JSON.parse(lines.at(-1) ?? '').end
      const more = JSON.stringify({ end: { ...end, items: end.items + 1 } })
      return [...lines.slice(0, 2), lines[1] ?? '', ...lines.slice(2, -1), more]
    })
    const target = join(parent, 'copy')
    const refused = await refusal(importStore({ env: envOf(target), file }))
    expect(refused).toMatchObject({ code: 'invalid_line', message: expect.stringMatching(/^Line 3 repeats what/) })
    expect(existsSync(target)).toBe(false)
  })

  it('into a store is refused, open or not, and so is one into memory, or of a file that is not there', async () => {
    const { parent, folder, file, storage } = await exported()
    const before = await everything(storage)
    expect((await refusal(importStore({ env: envOf(folder), file }))).code).toBe('in_use')
    expect(await everything(storage)).toEqual(before)
    await importStore({ env: envOf(join(parent, 'copy')), file })
    expect((await refusal(importStore({ env: envOf(join(parent, 'copy')), file }))).code).toBe('exists')
    expect((await refusal(importStore({ env: { FISH_STORAGE: 'memory:' }, file }))).code).toBe('invalid_settings')
    expect((await refusal(importStore({ env: envOf(join(parent, 'new')), file: join(parent, 'none') }))).code).toBe(
      'no_store',
    )
  })
})

describeWithRedis('an import into Redis', () => {
  it('makes the same storage, and is refused where there is anything', async () => {
    const redis = await startRedis()
    onTestFinished(redis.stop)
    const source = await exported()
    const env = { FISH_STORAGE: redis.url }
    expect(await importStore({ env, file: source.file, noticeMs: 10 })).toMatchObject({
      folder: null,
      records: 1206,
      users: 2,
    })
    await expectSame(await open({ driver: 'redis', url: redis.url }), source)
    expect((await refusal(importStore({ env, file: source.file, noticeMs: 10 }))).code).toBe('exists')
  })
})
