import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage } from '@fish-crab/server/storage'
import { describeStorage } from '@fish-crab/server/storage/conformance'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { newCollection, newEntry, newRecord, readNames, recordOf } from '../storage-suite/samples.ts'
import { newFolder, startHolder } from './folders.ts'

const open = (path: string) => createStorage({ driver: 'file', path })
const parent = mkdtempSync(join(tmpdir(), 'fish-storage-'))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

describeStorage('file', async () => {
  const path = mkdtempSync(join(parent, 'data-'))
  const storage = await open(path)
  const reopen = async () => {
    await storage.dispose()
    return open(path)
  }
  return { storage, reopen }
})

test.runIf(process.platform !== 'win32')('a store file that is a pipe is refused without waiting', async () => {
  const name = 'fish.db'
  const folder = newFolder()
  await (await open(folder)).dispose()
  rmSync(join(folder, name), { force: true })
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(folder, name)])
  await expect(open(folder)).rejects.toMatchObject({
    code: 'not_a_store',
    message: expect.stringMatching(`${name} is not a file\\. Move it away`),
  })
})

describe('a folder that is in use', () => {
  test('cannot be opened by a second storage in the same process, through any path, until the first storage is closed', async () => {
    const folder = newFolder()
    const first = await open(folder)
    symlinkSync(folder, `${folder}-link`)
    for (const path of [folder, `${folder}/`, `${folder}-link`]) {
      await expect(open(path)).rejects.toMatchObject({
        code: 'in_use',
        message: expect.stringMatching(/in use.*Stop/),
        hint: expect.stringMatching(/^Stop/),
      })
    }
    const collection = newCollection()
    await first.append(collection, newRecord())
    await first.dispose()
    const second = await open(folder)
    expect(await readNames(second, collection)).toHaveLength(1)
    await second.dispose()
  })

  test('is opened after another program closes the store file, although SQLite locks the file for a moment', async () => {
    const folder = newFolder()
    await (await open(folder)).dispose()
    rmSync(join(folder, 'fish.lock'))
    const other = new DatabaseSync(join(folder, 'fish.db'))
    onTestFinished(() => {
      if (other.isOpen) other.close()
    })
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    const opening = open(folder)
    opening.catch(() => undefined)
    await vi.waitUntil(() => existsSync(join(folder, 'fish.lock')), { interval: 5, timeout: 5000 })
    await new Promise((resolve) => setTimeout(resolve, 50))
    other.close()
    await (await opening).dispose()
  })

  test('cannot be opened while another process has it open, but can be opened after that process is killed', async () => {
    const folder = newFolder()
    const holder = await startHolder(folder)
    await expect(open(folder)).rejects.toMatchObject({ name: 'StorageError', code: 'in_use' })
    await holder.kill()
    const storage = await open(folder)
    await storage.ping()
    await storage.dispose()
    expect(holder.stderr()).toBe('')
  })
})

describe('a file that is not a store', () => {
  async function refused(folder: string, code: string): Promise<void> {
    const before = readFileSync(join(folder, 'fish.db'))
    await expect(open(folder)).rejects.toMatchObject({ name: 'StorageError', code })
    expect(readFileSync(join(folder, 'fish.db')).equals(before)).toBe(true)
  }

  test('is refused and stays unchanged if the file is not a database', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    for (const content of ['', 'a shopping list', 'x'.repeat(10_000), 'SQLite format 3\0']) {
      writeFileSync(join(folder, 'fish.db'), content)
      await refused(folder, 'not_a_store')
    }
  })

  test('is refused and stays unchanged if the file is the database of a different program', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    const db = new DatabaseSync(join(folder, 'fish.db'))
    db.exec('CREATE TABLE items (key TEXT)')
    db.close()
    await refused(folder, 'not_a_store')
    // The first refusal released the lock, so the second refusal has the same reason.
    await refused(folder, 'not_a_store')
  })

  test('is refused and stays unchanged if a newer version wrote the file', async () => {
    const folder = newFolder()
    await (await open(folder)).dispose()
    const db = new DatabaseSync(join(folder, 'fish.db'))
    db.exec('PRAGMA user_version = 1000')
    db.close()
    await refused(folder, 'newer_schema')
  })

  test('from an interrupted first start is ignored, and the next start creates the store', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    writeFileSync(join(folder, 'fish.db.new'), 'half')
    const storage = await open(folder)
    await storage.ping()
    await storage.dispose()
  })
})

test('the removal of an owner who has many records lets other writes run in between, and leaves nothing behind', async () => {
  const folder = newFolder()
  const first = await open(folder)
  const large = newCollection()
  await first.append(large, newRecord({ dedupeKey: 'token', entries: [newEntry('Koi', { rarity: 'Gold' })] }))
  await first.dispose()
  const db = new DatabaseSync(join(folder, 'fish.db'))
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
    INSERT INTO records (collection, count, labels, id, entries)
    SELECT collection, 1, labels, hex(id) || n, entries FROM records, numbers;
    INSERT INTO tokens SELECT owners.owner, hex(records.id), records.id FROM records
      JOIN collections USING (collection) JOIN owners ON owners.id = collections.owner;
    -- Of records that were removed one by one.
    INSERT INTO tokens SELECT owner, 'removed ' || dedupe_key, id FROM tokens;
    INSERT INTO species_and_days SELECT collection, hex(id), '', 1, 0, 0, NULL FROM records;
    INSERT INTO species_and_days SELECT collection, sequence, '', 1, NULL, NULL, NULL FROM records;
    UPDATE collections SET count = 5001; UPDATE tallies SET count = 5001;
  `)
  db.close()

  const storage = await open(folder)
  const small = newCollection()
  const settled: string[] = []
  const removal = storage.removeOwner(large.owner).then(() => settled.push('removal'))
  await storage.append(small, newRecord()).then(() => settled.push('append'))
  expect(await storage.append(large, newRecord())).toEqual({ outcome: 'owner_removed' })
  await removal
  expect(settled).toEqual(['append', 'removal'])
  expect(await storage.leaders({ kind: large.kind, limit: 9 })).toEqual([{ owner: small.owner, count: 1 }])
  expect(await storage.tallies()).toEqual([{ kind: small.kind, gamemode: small.gamemode, label: null, count: 1 }])
  await storage.dispose()
  const left = new DatabaseSync(join(folder, 'fish.db'))
  const count = (table: string) => left.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n
  const tables = ['records', 'tokens', 'collections', 'species_and_days']
  expect(tables.map(count)).toEqual([1, 1, 1, 2])
  left.close()
})

test('a catch takes at most 260 bytes on disk, even if every catch is a separate write', async () => {
  const CATCHES = 5000
  const folder = newFolder()
  const storage = await open(folder)
  const collection = newCollection()
  const catchOf = () => {
    const entries = [newEntry('Salmon', { rarity: 'Bronze', at: Date.now() })]
    return newRecord({ dedupeKey: randomUUID().replaceAll('-', ''), entries })
  }
  await Promise.all(Array.from({ length: CATCHES }, () => storage.append(collection, catchOf())))
  await storage.dispose()
  const db = new DatabaseSync(join(folder, 'fish.db'))
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
  const bytes = pragma('page_count') * pragma('page_size')
  db.close()
  expect(bytes / CATCHES).toBeLessThanOrEqual(260)
})

test('concurrent large reads leave turns of the event loop to other tasks, even if all readers are fast', async () => {
  const storage = await open(join(parent, 'turns'))
  onTestFinished(() => storage.dispose())
  const collection = newCollection()
  const [READS, CHUNKS] = [6, 10]
  const name = 'x'.repeat(70_000)
  await Promise.all(Array.from({ length: CHUNKS }, () => storage.append(collection, recordOf(name))))
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const read = async () => {
    let chunks = 0
    for await (const _ of storage.read(collection)) chunks += 1
    return chunks
  }
  expect(await Promise.all(Array.from({ length: READS }, read))).toEqual(Array(READS).fill(CHUNKS))
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(CHUNKS)
})

test('consecutive reads that continue a collection each leave a turn of the event loop to other tasks', async () => {
  const storage = await open(newFolder())
  const collection = newCollection()
  await Promise.all(Array.from({ length: 20 }, () => storage.append(collection, newRecord())))
  let [turns, isReading] = [0, true]
  const countTurns = () => {
    turns += 1
    if (isReading) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  for (let from = 2; from <= 20; from += 1) {
    for await (const chunk of storage.read(collection, { from, entries: 1 })) {
      expect(chunk).toHaveLength(1)
      break
    }
  }
  isReading = false
  expect(turns).toBeGreaterThanOrEqual(19)
  await storage.dispose()
})

test('a new folder and its files are accessible only to their owner', async () => {
  const folder = newFolder()
  const storage = await open(folder)
  await storage.items.setItem('a:b', 'c')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const file of ['fish.db', 'fish.db-wal', 'fish.db-shm', 'fish.lock']) {
    expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600)
  }
  await storage.dispose()
})

test('a closed storage leaves a complete database file, and no log', async () => {
  const folder = newFolder()
  const storage = await open(folder)
  await storage.append(newCollection(), newRecord())
  await storage.dispose()
  expect(statSync(join(folder, 'fish.db-wal'), { throwIfNoEntry: false })).toBeUndefined()
  const db = new DatabaseSync(join(folder, 'fish.db'), { readOnly: true })
  expect(db.prepare('SELECT count(*) AS count FROM records').get()).toMatchObject({ count: 1 })
  expect(db.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
  db.close()
})

describe('a path that is unsuitable for a store', () => {
  const message = async (path: string) => {
    const error = await open(path).then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error).toMatchObject({ name: 'StorageError', code: 'not_a_store' })
    expect(error?.message).not.toMatch(/EEXIST|EISDIR|ENOTDIR/)
    return error?.message
  }

  test.each(['', '/x', '/x/y'])('is refused, and the error names the path, which is a file%s', async (below) => {
    const file = newFolder()
    writeFileSync(file, '')
    expect(await message(file + below)).toBe(
      `Cannot store data in ${file}${below}: a file is where a folder should be. Name another folder.`,
    )
  })

  test('is refused, and the error names the path: a device', async () => {
    expect(await message('/dev/null/x')).toContain('/dev/null/x')
  })

  test('is refused, and the error names the path: a folder with the name of the data file', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'fish.db'), { recursive: true })
    expect(await message(folder)).toBe(
      `${join(folder, 'fish.db')} is not a file. Move it away, or choose another folder.`,
    )
  })

  test('is named in the error if it is not writable', async ({ skip }) => {
    const mounted = mountSmallDisk()
    if ('reason' in mounted) {
      skip(mounted.reason)
      return
    }
    execFileSync('mount', ['-o', 'remount,ro', mounted.disk])
    const path = join(mounted.disk, 'data')
    await expect(open(path)).rejects.toMatchObject({
      code: 'read_only',
      message: `Permission denied: cannot write to ${path}. Check owner and mode.`,
    })
  })
})

test('a folder with an unfinished copy, restore or migration is not opened as a new store', async () => {
  const path = newFolder()
  for (const kind of ['copy', 'restore', 'migrate']) {
    const leftover = join(path, `.${kind}-0123abcd`)
    mkdirSync(leftover, { recursive: true })
    await expect(open(path)).rejects.toMatchObject({ code: 'unfinished', message: expect.stringContaining(leftover) })
    expect(readdirSync(path).filter((name) => name.startsWith('fish.db'))).toEqual([])
    rmSync(leftover, { recursive: true })
  }
  await (await open(path)).dispose()
})
