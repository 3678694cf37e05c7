import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { backupStore, restoreStore } from '@fish-crab/server'
import { createStorage } from '@fish-crab/server/storage'
import { afterAll, describe, expect, it } from 'vitest'
import { startRemoteStorage } from '../../../scripts/test-support/remote-storage.ts'
import { readEntries } from '../../src/storage-conformance/samples.ts'
import { newFolder } from './folders.ts'
import { oldStore } from './old-store.ts'

const RECORDS = 40
const COLLECTION = { owner: 'a', kind: 'fish', gamemode: 'earth' }

const open = (path: string) => createStorage({ driver: 'file', path })
const markOf = (folder: string): { writes: number } => JSON.parse(readFileSync(join(folder, 'fish.mark'), 'utf8'))

const isMark = (folder: string) => {
  try {
    return markOf(folder).writes >= 0
  } catch {
    return false
  }
}

/** What the first process leaves that is killed: to copy it takes less time than to start another. */
const sample = mkdtempSync(join(tmpdir(), 'fish-killed-'))
afterAll(() => rmSync(sample, { recursive: true, force: true }))

/** A folder whose process was killed, a moment behind its last of 40 acknowledged writes. */
async function killed(): Promise<string> {
  const folder = newFolder()
  if (readdirSync(sample).length === 0) {
    await writeAndKill(folder)
    cpSync(folder, sample, { recursive: true })
  } else {
    cpSync(sample, folder, { recursive: true })
  }
  return folder
}

/** Appends 40 records in a process that is killed a moment behind the last. */
async function writeAndKill(folder: string): Promise<void> {
  const storage = await startRemoteStorage(folder)
  await expect.poll(() => isMark(folder)).toBe(true)
  const before = markOf(folder).writes
  for (let record = 0; record < RECORDS; record += 1) await storage.append(`${before + record}`, 2000)
  await expect.poll(() => markOf(folder).writes).toBe(before + RECORDS)
  await storage.kill()
}

async function recordsIn(folder: string): Promise<number> {
  const storage = await open(folder)
  try {
    return (await readEntries(storage, COLLECTION)).length
  } finally {
    await storage.dispose()
  }
}

describe('a store that ends before what was acknowledged', () => {
  it.each([
    ['deleted', (log: string) => rmSync(log)],
    ['emptied', (log: string) => writeFileSync(log, '')],
    ['cut', (log: string) => writeFileSync(log, readFileSync(log).subarray(0, -20_000))],
    [
      'damaged',
      (log: string) => {
        const bytes = readFileSync(log)
        bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 512)
        writeFileSync(log, bytes)
      },
    ],
  ])('is detected at start where its log was %s, and opens once that is accepted', async (_, spoil) => {
    const folder = await killed()
    spoil(join(folder, 'fish.db-wal'))
    const store = readFileSync(join(folder, 'fish.db'))
    for (const _ of [1, 2]) {
      await expect(open(folder)).rejects.toMatchObject({
        name: 'StorageError',
        code: 'damaged',
        message: expect.stringMatching(/lacks about \d+ acknowledged writes.*remove fish\.mark/),
      })
    }
    expect(readFileSync(join(folder, 'fish.db')).equals(store)).toBe(true)

    rmSync(join(folder, 'fish.mark'))
    expect(await recordsIn(folder)).toBeLessThan(RECORDS)
    expect(await recordsIn(folder)).toBeLessThan(RECORDS)
  })

  it('is detected at the next start where its mark was padded', async () => {
    const folder = await killed()
    appendFileSync(join(folder, 'fish.mark'), '\0'.repeat(4096))
    rmSync(join(folder, 'fish.db-wal'))
    await expect(open(folder)).rejects.toMatchObject({ code: 'damaged' })
  })

  it.each(['x'.repeat(5000), '\0'.repeat(4096)])('is detected also where its mark was too long', async (text) => {
    const folder = await killed()
    writeFileSync(join(folder, 'fish.mark'), text)
    await writeAndKill(folder)
    rmSync(join(folder, 'fish.db-wal'))
    await expect(open(folder)).rejects.toMatchObject({ code: 'damaged' })
  })

  it('is detected where only the mark is left, and a new store begins once that is removed', async () => {
    const folder = await killed()
    for (const name of ['fish.db', 'fish.db-wal', 'fish.db-shm']) rmSync(join(folder, name))
    await expect(open(folder)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('is missing'),
    })
    expect(readdirSync(folder)).not.toContain('fish.db')
    rmSync(join(folder, 'fish.mark'))
    expect(await recordsIn(folder)).toBe(0)
  })

  it('counts every kind of write, and no probe', async () => {
    const folder = newFolder()
    const storage = await open(folder)
    await storage.items.setItem('a:b', 'c')
    await storage.ping()
    await storage.removeOwner('b')
    await storage.dispose()
    expect(markOf(folder).writes).toBe(2)
  })
})

/** Makes an index disagree with its table, as a checkpoint beside a reader does whose log is lost afterwards. */
function damage(folder: string): void {
  const file = join(folder, 'fish.db')
  const text = readFileSync(file, 'latin1')
  writeFileSync(file, text.replace('ON records (collection)', 'ON records (labels    )'), 'latin1')
}

describe('a store that is damaged', () => {
  const DAMAGED = { code: 'damaged', message: expect.stringMatching(/fish\.db is damaged; .* Restore a backup\.$/) }

  it('is named so where its log was deleted, instead of an advice to go on without it', async () => {
    const folder = await killed()
    await recordsIn(folder)
    await writeAndKill(folder)
    rmSync(join(folder, 'fish.db-wal'))
    damage(folder)
    await expect(open(folder)).rejects.toMatchObject(DAMAGED)
    rmSync(join(folder, 'fish.mark'))
    await expect(open(folder)).rejects.toMatchObject(DAMAGED)
  })

  it.each([
    ['missing', (mark: string) => rmSync(mark)],
    [
      'missing, and its count with the log',
      (mark: string) => {
        rmSync(mark)
        using db = new DatabaseSync(join(dirname(mark), 'fish.db'))
        db.exec('UPDATE high_water SET writes = 0')
      },
    ],
    ['torn', (mark: string) => writeFileSync(mark, '{')],
    ['of another store', (mark: string) => writeFileSync(mark, '{"lineage":"another","writes":1}')],
  ])('is refused where its mark is %s, and nothing is changed', async (_, spoil) => {
    const folder = await killed()
    await recordsIn(folder)
    damage(folder)
    spoil(join(folder, 'fish.mark'))
    const store = readFileSync(join(folder, 'fish.db'))
    const names = readdirSync(folder)
    for (const _ of [1, 2]) await expect(open(folder)).rejects.toMatchObject(DAMAGED)
    expect(readFileSync(join(folder, 'fish.db')).equals(store)).toBe(true)
    expect(readdirSync(folder)).toEqual(names)
  })
})

it('a store whose log was deleted does not open beside a reader, where a new log would begin after the end of the old one', async () => {
  const folder = newFolder()
  const storage = await startRemoteStorage(folder)
  await storage.append('a')
  const [checkpointer, reader] = [1, 2].map(() => new DatabaseSync(join(folder, 'fish.db'))) as [
    DatabaseSync,
    DatabaseSync,
  ]
  reader.exec('BEGIN; SELECT count(*) FROM records')
  checkpointer.exec('PRAGMA wal_checkpoint(PASSIVE)')
  await storage.kill()
  checkpointer.close()
  rmSync(join(folder, 'fish.db-wal'))
  await expect(open(folder)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^Another program has .*fish\.db open\. Close it and try again\.$/),
  })
  reader.close()
  expect(await recordsIn(folder)).toBe(1)
})

describe('no false alarm is raised', () => {
  it('by a process that is killed, again and again', async () => {
    const folder = await killed()
    await writeAndKill(folder)
    expect(await recordsIn(folder)).toBe(2 * RECORDS)
  })

  it('by a process that is killed while its mark is behind', async () => {
    const folder = newFolder()
    const storage = await startRemoteStorage(folder)
    await storage.append('last')
    await storage.kill()
    expect(await recordsIn(folder)).toBe(1)
  })

  it('by a folder that was copied after a stop', async () => {
    const [folder, copy] = [await killed(), newFolder()]
    await recordsIn(folder)
    mkdirSync(copy)
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copy, name))
    expect(await recordsIn(copy)).toBe(RECORDS)
  })

  it('by a backup that is restored, by the command or by hand, beside the mark of a store that continued', async () => {
    const folder = await killed()
    const [backup, byHand] = [`${folder}-backup`, `${folder}-by-hand`]
    const env = { FISH_STORAGE: `file:${folder}` }
    await backupStore({ env, target: backup })
    await writeAndKill(folder)

    mkdirSync(byHand)
    await recordsIn(folder)
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(byHand, name))
    copyFileSync(join(backup, 'fish.db'), join(byHand, 'fish.db'))
    expect(await recordsIn(byHand)).toBe(RECORDS)

    for (const name of readdirSync(folder)) if (name !== 'fish.mark') rmSync(join(folder, name))
    await restoreStore({ env, backup })
    expect(await recordsIn(folder)).toBe(RECORDS)
  })

  it('by a store that a version before this one wrote', async () => {
    const { folder } = oldStore('')
    writeFileSync(join(folder, 'fish.mark'), '{"lineage":"another","writes":9}')
    expect(await recordsIn(folder)).toBe(0)
  })

  it.each(['', '{', 'null', '{"lineage":1}', '\0'.repeat(256)])('by a mark that is torn: %j', async (text) => {
    const folder = await killed()
    writeFileSync(join(folder, 'fish.mark'), text)
    expect(await recordsIn(folder)).toBe(RECORDS)
    expect(markOf(folder).writes).toBe(RECORDS)
  })
})

it('a mark that becomes unwritable while the store is open is reported once each time, and no write fails for it', async () => {
  const folder = newFolder()
  const mark = join(folder, 'fish.mark')
  const warnings: string[] = []
  const storage = await createStorage({ driver: 'file', path: folder, onWarning: (message) => warnings.push(message) })
  for (let times = 1; times <= 2; times += 1) {
    rmSync(mark)
    mkdirSync(mark)
    for (const value of ['1', '2']) {
      await storage.items.setItem('a:b', value)
      await expect.poll(() => warnings).toHaveLength(times)
    }
    rmdirSync(mark)
    await storage.items.setItem('a:b', '3')
    await expect.poll(() => existsSync(mark)).toBe(true)
  }
  expect(warnings[0]).toMatch(/^Cannot write .*fish\.mark \(EISDIR\): .* Check/)
  await storage.dispose()
  expect(warnings).toHaveLength(2)
})

it.runIf(process.platform !== 'win32').each([
  ['a link', (mark: string, other: string) => symlinkSync(other, mark)],
  ['a pipe', (mark: string) => void execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', mark])],
] as const)('a mark that is %s is warned of, and neither followed nor waited for', async (_, make) => {
  const folder = await killed()
  const mark = join(folder, 'fish.mark')
  const other = `${folder}-other`
  const text = 'a shopping list'.repeat(100)
  writeFileSync(other, text)
  rmSync(mark)
  make(mark, other)
  const storage = await open(folder)
  expect(storage.warnings).toEqual([expect.stringMatching(/^Cannot write .*fish\.mark .* Check that it is a file/)])
  await storage.items.setItem('a:b', 'c')
  await storage.dispose()
  expect(readFileSync(other, 'utf8')).toBe(text)
  expect(await recordsIn(folder)).toBe(RECORDS)
})

it('a mark that cannot be written is warned of, and no write fails for it', async () => {
  const folder = await killed()
  const mark = join(folder, 'fish.mark')
  renameSync(mark, `${mark}-aside`)
  mkdirSync(mark)
  const storage = await open(folder)
  expect(storage.warnings).toEqual([expect.stringMatching(/^Cannot write .*fish\.mark/)])
  await storage.items.setItem('a:b', 'c')
  await storage.dispose()
  expect(await recordsIn(folder)).toBe(RECORDS)
})
