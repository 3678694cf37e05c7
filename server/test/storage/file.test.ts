import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage } from '@fish-crab/server/storage'
import { describeStorage } from '@fish-crab/server/storage/conformance'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { newCollection, newRecord, readEntries } from '../../src/storage-conformance/samples.ts'
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

test.runIf(process.platform !== 'win32').each(['fish.db', 'fish.db-journal', 'fish.db-wal', 'fish.db-shm'])(
  'a store whose %s is a pipe is refused, and not waited for',
  async (name) => {
    const folder = newFolder()
    await (await open(folder)).dispose()
    rmSync(join(folder, name), { force: true })
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(folder, name)])
    await expect(open(folder)).rejects.toMatchObject({
      code: 'not_a_store',
      message: expect.stringMatching(`${name} is not a file\\. Move it away`),
    })
  },
)

describe('a folder that is in use', () => {
  test('is refused to a second storage of the same process, by whatever path, until the first is disposed', async () => {
    const folder = newFolder()
    const first = await open(folder)
    symlinkSync(folder, `${folder}-link`)
    for (const path of [folder, `${folder}/`, `${folder}-link`]) {
      await expect(open(path)).rejects.toMatchObject({ code: 'in_use', message: expect.stringMatching(/in use.*Stop/) })
    }
    const collection = newCollection()
    await first.append(collection, newRecord())
    await first.dispose()
    const second = await open(folder)
    expect(await readEntries(second, collection)).toHaveLength(1)
    await second.dispose()
  })

  test('is opened once another program has let go of its file, which SQLite locks for a moment as that closes it', async () => {
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

  test('is refused while another process holds it, and free once that was killed', async () => {
    const folder = newFolder()
    const holder = await startHolder(folder)
    await expect(open(folder)).rejects.toMatchObject({ name: 'StorageError', code: 'in_use' })
    await expect(open(folder)).rejects.toMatchObject({ code: 'in_use' })
    await holder.kill()
    const storage = await open(folder)
    await storage.ping()
    await storage.dispose()
    expect(holder.stderr()).toBe('')
  })
})

describe('a file that is not ours', () => {
  async function refused(folder: string, code: string): Promise<void> {
    const before = readFileSync(join(folder, 'fish.db'))
    await expect(open(folder)).rejects.toMatchObject({ name: 'StorageError', code })
    expect(readFileSync(join(folder, 'fish.db')).equals(before)).toBe(true)
    // The lock was given back: the second refusal is for the same reason.
    await expect(open(folder)).rejects.toMatchObject({ code })
  }

  test('is refused unchanged when it is no database', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    for (const content of ['a shopping list', 'x'.repeat(10_000), 'SQLite format 3\0']) {
      writeFileSync(join(folder, 'fish.db'), content)
      await refused(folder, 'not_a_store')
    }
  })

  test('is refused unchanged when it is the database of another program', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    const db = new DatabaseSync(join(folder, 'fish.db'))
    db.exec('CREATE TABLE items (key TEXT)')
    db.close()
    await refused(folder, 'not_a_store')
  })

  test('is refused unchanged when a newer version wrote it', async () => {
    const folder = newFolder()
    await (await open(folder)).dispose()
    const db = new DatabaseSync(join(folder, 'fish.db'))
    db.exec('PRAGMA user_version = 1000')
    db.close()
    await refused(folder, 'newer_schema')
  })

  test('is refused unchanged when it is empty, which no crash of a first start leaves', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    writeFileSync(join(folder, 'fish.db'), '')
    await refused(folder, 'damaged')
    await expect(open(folder)).rejects.toMatchObject({ message: expect.stringMatching(/fish\.db is empty.*backup/) })
  })

  test('is left alone when a first start was cut short: the next one makes the store', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    writeFileSync(join(folder, 'fish.db.new'), 'half')
    const storage = await open(folder)
    await storage.ping()
    await storage.dispose()
  })
})

test('removing an owner with many records lets other writes pass in between, and leaves nothing', async () => {
  const folder = newFolder()
  const first = await open(folder)
  const large = newCollection()
  await first.append(large, newRecord({ dedupeKey: 'token', labels: { Gold: 1 } }))
  await first.dispose()
  const db = new DatabaseSync(join(folder, 'fish.db'))
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
    INSERT INTO records (collection, count, labels, id, plain, full)
    SELECT collection, 1, labels, id || n, plain, full FROM records, numbers;
    INSERT INTO tokens SELECT owner, id, id FROM records JOIN collections USING (collection);
    -- Of records that were removed one by one.
    INSERT INTO tokens SELECT owner, 'removed ' || dedupe_key, id FROM tokens;
    UPDATE collections SET count = 5001; UPDATE totals SET count = 5001; UPDATE tallies SET count = 5001;
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
  expect(['records', 'tokens', 'collections', 'totals', 'removed_owners'].map(count)).toEqual([1, 1, 1, 1, 1])
  left.close()
})

test('many large reads at once leave turns of the event loop to others, however fast their readers are', async () => {
  const storage = await open(join(parent, 'turns'))
  onTestFinished(() => storage.dispose())
  const collection = newCollection()
  const [READS, CHUNKS] = [20, 10]
  const plain = `"${'x'.repeat(70_000)}"`
  await Promise.all(Array.from({ length: CHUNKS }, () => storage.append(collection, newRecord({ plain }))))
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const read = async () => {
    let chunks = 0
    for await (const _ of storage.read(collection, 'plain')) chunks += 1
    return chunks
  }
  expect(await Promise.all(Array.from({ length: READS }, read))).toEqual(Array(READS).fill(CHUNKS))
  isOver = true
  expect(turns).toBeGreaterThanOrEqual((READS * (CHUNKS - 1)) / 4)
})

test('reads one after the other, each of which begins behind the first records, leave a turn of the event loop each', async () => {
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
    for await (const chunk of storage.read(collection, 'full', { from, entries: 1 })) {
      expect(chunk).toHaveLength(1)
      break
    }
  }
  isReading = false
  expect(turns).toBeGreaterThanOrEqual(19)
  await storage.dispose()
})

test('a new folder and its files are for their owner only', async () => {
  const folder = newFolder()
  const storage = await open(folder)
  await storage.items.setItem('a:b', 'c')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const file of ['fish.db', 'fish.db-wal', 'fish.db-shm', 'fish.lock']) {
    expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600)
  }
  await storage.dispose()
})

test('disposing leaves one whole file and nothing that must be copied with it', async () => {
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

test('a deleted file is noticed: the ping rejects, and nothing is acknowledged any more', async () => {
  const folder = newFolder()
  const storage = await createStorage({ driver: 'file', path: folder })
  onTestFinished(() => storage.dispose().catch(() => {}))
  await storage.ping()
  rmSync(join(folder, 'fish.db'))
  await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable', message: /deleted or replaced/ })
  await expect(storage.append(newCollection(), newRecord())).rejects.toMatchObject({ code: 'unavailable' })
  await expect(storage.items.setItem('a:b', 'c')).rejects.toMatchObject({ code: 'unavailable' })
})

test('a file that was deleted and not put back fails a stop, which says so', async () => {
  const folder = newFolder()
  const file = join(folder, 'fish.db')
  const storage = await createStorage({ driver: 'file', path: folder })
  await storage.append(newCollection(), newRecord())
  renameSync(file, `${file}-moved`)
  await expect(storage.ping()).rejects.toMatchObject({ message: /put it back.* before you stop the service/ })
  await expect(storage.dispose()).rejects.toMatchObject({
    code: 'replaced',
    message: /Unless it was moved, its data is lost/,
  })
})

test('a file that was moved and put back loses nothing', async () => {
  const folder = newFolder()
  const file = join(folder, 'fish.db')
  const [storage, collection] = [await open(folder), newCollection()]
  renameSync(file, `${file}-moved`)
  await expect(storage.ping()).rejects.toMatchObject({ message: /put it back/ })
  renameSync(`${file}-moved`, file)
  const record = newRecord()
  await storage.append(collection, record)
  await storage.dispose()
  expect(await readEntries(await open(folder), collection)).toEqual([record.plain])
})

describe('a write-ahead log that is taken away while it is open', () => {
  const UNSAVED = /^Acknowledged writes are not in .*fish\.db yet, .* if this process ends now\. End every backup/
  const LOG_GONE = { name: 'StorageError', code: 'unavailable', message: expect.stringMatching(/fish\.db-.*SIGTERM/) }

  test.each([
    ['deleted', 'fish.db-wal', (log: string) => rmSync(log)],
    ['replaced', 'fish.db-wal', (log: string) => renameSync(`${log}-copy`, log)],
    ['deleted', 'fish.db-shm', (log: string) => rmSync(log)],
    ['replaced', 'fish.db-shm', (log: string) => renameSync(`${log}-copy`, log)],
  ])('is noticed: %s %s refuses writes, and a stop saves what was acknowledged', async (_, name, take) => {
    const folder = newFolder()
    const [storage, collection] = [await open(folder), newCollection()]
    const record = newRecord()
    await storage.append(collection, record)
    await storage.ping()
    copyFileSync(join(folder, name), join(folder, `${name}-copy`))
    take(join(folder, name))

    await expect(storage.append(collection, newRecord())).rejects.toMatchObject(LOG_GONE)
    await expect(storage.items.setItem('a:b', 'c')).rejects.toMatchObject(LOG_GONE)
    await expect(storage.ping()).rejects.toMatchObject(LOG_GONE)
    expect(await readEntries(storage, collection)).toEqual([record.plain])
    await storage.dispose()

    const again = await open(folder)
    expect(await readEntries(again, collection)).toEqual([record.plain])
    expect(await again.append(collection, newRecord())).toMatchObject({ outcome: 'stored' })
    await again.dispose()
  })

  /** A storage with an acknowledged write whose log is deleted or replaced while another program reads the file. */
  async function takenFromReader(take: (log: string) => void) {
    const folder = newFolder()
    const onWarning = vi.fn<(message: string) => void>()
    const [storage, collection] = [await createStorage({ driver: 'file', path: folder, onWarning }), newCollection()]
    const reader = new DatabaseSync(join(folder, 'fish.db'), { readOnly: true })
    onTestFinished(() => (reader.isOpen ? reader.close() : undefined))
    reader.exec('BEGIN; SELECT count(*) FROM records')
    const log = join(folder, 'fish.db-wal')
    copyFileSync(log, `${log}-copy`)
    const record = newRecord()
    await storage.append(collection, record)
    take(log)
    const isKept = async () => {
      const again = await open(folder)
      const entries = await readEntries(again, collection)
      await again.dispose()
      return entries.length === 1 && entries[0] === record.plain
    }
    return { storage, reader, onWarning, isKept }
  }

  test.each([
    ['deleted', 'ends', (log: string) => rmSync(log)],
    ['replaced', 'ends', (log: string) => renameSync(`${log}-copy`, log)],
    ['deleted', 'goes on without it', (log: string) => rmSync(log)],
    ['replaced', 'goes on without it', (log: string) => renameSync(`${log}-copy`, log)],
  ])('and is %s is waited for by a stop until a program that reads the store %s', async (_, end, take) => {
    const { storage, reader, onWarning, isKept } = await takenFromReader(take)
    const stop = storage.dispose()
    await expect.poll(() => onWarning.mock.calls).toEqual([[expect.stringMatching(UNSAVED)]])
    if (end === 'ends') reader.close()
    else reader.exec('COMMIT')
    await stop
    expect(await isKept()).toBe(true)
  })

  test('fails a stop, which says so, where a program reads the store for longer than a minute', async () => {
    const { storage, reader, onWarning, isKept } = await takenFromReader((log) => rmSync(log))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const stop = storage.dispose()
    const failure = expect(stop).rejects.toMatchObject({
      name: 'StorageError',
      code: 'unavailable',
      message: expect.stringMatching(UNSAVED),
    })
    await expect.poll(() => onWarning.mock.calls).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(60_000)
    await failure
    vi.useRealTimers()
    // It is still waited for where the process goes on.
    reader.close()
    await expect.poll(isKept).toBe(true)
  })

  test('is noticed also before anything was written', async () => {
    const folder = newFolder()
    await (await open(folder)).dispose()
    const storage = await open(folder)
    rmSync(join(folder, 'fish.db-wal'))
    await expect(storage.append(newCollection(), newRecord())).rejects.toMatchObject(LOG_GONE)
    await storage.dispose()
  })
})

describe('a store whose files are cut short while it is open', () => {
  /** A store with catches in it. */
  async function filled() {
    const folder = newFolder()
    const storage = await open(folder)
    for (let record = 0; record < 20; record += 1) await storage.append(newCollection(), newRecord())
    return { folder, storage }
  }
  const cut = (path: string, share: number) => truncateSync(path, Math.floor(statSync(path).size * share))
  const refusal = (name: string) => ({
    name: 'StorageError',
    code: 'unavailable',
    message: expect.stringContaining(`${name} was truncated`),
  })

  test.each([0, 0.5])(
    'acknowledges nothing into a log of %d times its length, nor lays that over the database',
    async (share) => {
      const { folder, storage } = await filled()
      const before = readFileSync(join(folder, 'fish.db'))
      cut(join(folder, 'fish.db-wal'), share)

      await expect(storage.append(newCollection(), newRecord())).rejects.toMatchObject(refusal('fish.db-wal'))
      await expect(storage.items.setItem('a:b', 'c')).rejects.toMatchObject(refusal('fish.db-wal'))
      await expect(storage.ping()).rejects.toMatchObject({ name: 'StorageError' })
      await storage.dispose()

      expect(readFileSync(join(folder, 'fish.db')).equals(before)).toBe(true)
      await expect(open(folder)).rejects.toMatchObject({
        code: 'damaged',
        message: expect.stringContaining('lacks about'),
      })
    },
  )

  test('acknowledges nothing into an empty database', async () => {
    const { folder, storage } = await filled()
    cut(join(folder, 'fish.db'), 0)
    await expect(storage.append(newCollection(), newRecord())).rejects.toMatchObject(refusal('fish.db'))
    await storage.dispose()
  })

  test('goes on where it is SQLite that cuts a log which has grown long', async () => {
    const { folder, storage } = await filled()
    const length = () => statSync(join(folder, 'fish.db-wal')).size
    const value = 'ü'.repeat(9 * 1024 * 1024)
    // What is written in one turn is one transaction.
    await Promise.all(['a', 'b', 'c', 'd'].map((key) => storage.items.setItem(key, value)))
    const longest = length()
    await storage.items.setItem('e', 'f')
    expect(length()).toBeLessThan(longest)
    await storage.items.setItem('e', 'g')
    await storage.ping()
    await storage.dispose()
  })
})

describe('a path where no store can be', () => {
  const message = async (path: string) => {
    const error = await open(path).then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error).toMatchObject({ name: 'StorageError', code: 'not_a_store' })
    expect(error?.message).not.toMatch(/EEXIST|EISDIR|ENOTDIR/)
    return error?.message
  }

  test.each(['', '/x', '/x/y'])('is refused in a sentence that names it: a file%s', async (below) => {
    const file = newFolder()
    writeFileSync(file, '')
    expect(await message(file + below)).toBe(
      `Cannot store data in ${file}${below}: a file is where a folder should be. Name another folder.`,
    )
  })

  test('is refused in a sentence that names it: a device', async () => {
    expect(await message('/dev/null/x')).toContain('/dev/null/x')
  })

  test('is refused in a sentence that names it: a folder at the name of the data file', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'fish.db'), { recursive: true })
    expect(await message(folder)).toMatch(`Cannot store data in ${folder}: a folder is where a file should be.`)
  })

  test('is named when it may not be written', async ({ skip }) => {
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
