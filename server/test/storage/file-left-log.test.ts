import { copyFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage, StorageError } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { newFolder } from './folders.ts'

/** Creates the files of a killed server, whose last writes are only in the log. */
async function crashed(folder: string, from: number, to: number): Promise<void> {
  const live = join(folder, 'live')
  const left = join(folder, 'left')
  await mkdir(left, { recursive: true })
  const storage = await createStorage({ driver: 'file', path: live })
  for (let item = from; item < to; item += 1) await storage.items.setItem(`user:${item}`, 'x'.repeat(2000))
  for (const name of ['fish.db', 'fish.db-wal']) await copyFile(join(live, name), join(left, name))
  await storage.dispose()
}

async function refusal(path: string): Promise<unknown> {
  return createStorage({ driver: 'file', path }).then(
    () => 'opened',
    (error: unknown) => error,
  )
}

describe('a leftover log', () => {
  it('is used if it belongs to the database', async () => {
    const folder = newFolder()
    await crashed(folder, 0, 50)
    const storage = await createStorage({ driver: 'file', path: join(folder, 'left') })
    expect(await storage.countItems('user:')).toBe(50)
    await storage.dispose()
  })

  it('is refused if its database was deleted, and nothing is changed', async () => {
    const folder = newFolder()
    await crashed(folder, 0, 50)
    const log = join(folder, 'left', 'fish.db-wal')
    const before = await readFile(log)
    await rm(join(folder, 'left', 'fish.db'))
    expect(await refusal(join(folder, 'left'))).toMatchObject({ name: 'StorageError', code: 'damaged' })
    expect(await readFile(log)).toEqual(before)
  })

  it('is refused if a backup was copied over the database', async () => {
    const folder = newFolder()
    await crashed(folder, 0, 300)
    const backup = join(folder, 'backup.db')
    const db = new DatabaseSync(join(folder, 'live', 'fish.db'))
    db.exec(`VACUUM INTO '${backup}'`)
    db.close()
    await crashed(folder, 200, 900)
    const left = join(folder, 'left', 'fish.db')
    await copyFile(backup, left)
    const before = await readFile(left)
    const error = await refusal(join(folder, 'left'))
    expect(error).toBeInstanceOf(StorageError)
    expect(error).toMatchObject({ code: 'damaged', message: expect.stringContaining('move fish.db-wal') })
    expect(await readFile(left)).toEqual(before)
  })
})
