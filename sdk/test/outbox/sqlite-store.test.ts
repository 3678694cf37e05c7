import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type OutboxStore, openOutbox, sqliteStore } from '@fish-crab/sdk/outbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fish } from './fake-service.ts'
import { testFolder } from './folders.ts'
import { describeStore } from './store-conformance.ts'

const defaults = { user: 'Alex', gamemode: 'earth' } as const

async function openIn(path: string): Promise<OutboxStore> {
  const store = await sqliteStore(path)
  onTestFinished(async () => store.close())
  return store
}

describeStore('sqliteStore', async () => openIn(join(await testFolder(), 'outbox.db')))

describe('the file of sqliteStore', () => {
  it('is for its owner only, like a folder that is made for it', async () => {
    const folder = join(await testFolder(), 'state', 'fish')
    const outbox = await openOutbox({ path: join(folder, 'outbox.db'), ...defaults })
    await outbox.add(fish(1))
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const end of ['', '-wal', '-shm']) {
      expect((await stat(join(folder, `outbox.db${end}`))).mode & 0o777).toBe(0o600)
    }
    await outbox.close()
  })

  it('keeps everything from one opening to the next', async () => {
    const path = join(await testFolder(), 'outbox.db')
    const first = await openOutbox({ path, ...defaults })
    await first.add(fish(1, 3), { checkpoint: { name: 'log', value: '3' } })
    await first.close()
    const second = await openOutbox({ path })
    expect((await second.peek()).map(({ entry }) => entry.name)).toEqual(['1', '2', '3'])
    expect(await second.checkpoint('log')).toBe('3')
    await second.close()
  })

  it('is refused, and left as it is, when a newer version wrote it', async () => {
    const path = join(await testFolder(), 'outbox.db')
    await (await sqliteStore(path)).close()
    const db = new DatabaseSync(path)
    db.exec('PRAGMA user_version = 99')
    db.close()
    await expect(sqliteStore(path)).rejects.toMatchObject({
      name: 'OutboxStoreError',
      code: 'outbox_newer',
      message: expect.stringContaining('Update the package'),
    })
  })

  it('is refused when it is damaged, or no outbox', async () => {
    const folder = await testFolder()
    const noise = join(folder, 'noise.db')
    await writeFile(noise, 'no database at all, and longer than the header of one. '.repeat(40))
    await expect(sqliteStore(noise)).rejects.toMatchObject({ code: 'outbox_damaged' })
    expect(await readFile(noise, 'utf8')).toContain('no database at all')

    const foreign = join(folder, 'foreign.db')
    const db = new DatabaseSync(foreign)
    db.exec('CREATE TABLE precious (value TEXT)')
    db.close()
    await expect(sqliteStore(foreign)).rejects.toMatchObject({ code: 'outbox_damaged' })
  })

  it('is refused when it cannot be made', async () => {
    const folder = await testFolder()
    await writeFile(join(folder, 'file'), '')
    await expect(sqliteStore(join(folder, 'file', 'outbox.db'))).rejects.toMatchObject({ name: 'OutboxStoreError' })
    await mkdir(join(folder, 'folder'))
    await expect(sqliteStore(join(folder, 'folder'))).rejects.toMatchObject({
      code: 'outbox_not_writable',
      summary: `The outbox ${join(folder, 'folder')} is not writable.`,
    })
    // Linux: nobody can make a folder there, and Node's own way to make several would never end.
    if (existsSync('/proc/self')) {
      const nowhere = sqliteStore('/proc/fish-crab-none/fish-crab/outbox.db')
      await expect(nowhere).rejects.toMatchObject({ name: 'OutboxStoreError' })
    }
  })

  it('may be opened by several at once', async () => {
    const path = join(await testFolder(), 'outbox.db')
    const outboxes = await Promise.all(Array.from({ length: 4 }, () => openOutbox({ path, ...defaults })))
    await Promise.all(outboxes.map((outbox, index) => outbox.add(fish(index))))
    expect(await outboxes[0]?.status()).toMatchObject({ queued: 4 })
    for (const outbox of outboxes) await outbox.close()
  })

  it('says that the store is closed instead of failing anyhow', async () => {
    const store = await sqliteStore(join(await testFolder(), 'outbox.db'))
    await store.close()
    expect(() => store.peek(1)).toThrow(expect.objectContaining({ code: 'outbox_unavailable' }))
  })
})
