import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspectOutbox, openOutbox } from '@fish-crab/sdk/outbox'
import { describe, expect, it } from 'vitest'
import { fish } from './fake-service.ts'
import { testFolder } from './folders.ts'

const defaults = { user: 'Alex', gamemode: 'earth' } as const

describe('the file of an outbox', () => {
  it('is readable only by its owner, as is a folder that was created for the file', async () => {
    const folder = join(await testFolder(), 'state', 'fish')
    const outbox = await openOutbox({ path: join(folder, 'outbox.db'), ...defaults })
    await outbox.add(fish(1))
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const end of ['', '-wal', '-shm', '.lock']) {
      expect((await stat(join(folder, `outbox.db${end}`))).mode & 0o777).toBe(0o600)
    }
    await outbox.close()
  })

  it('retains catches and checkpoints after the outbox is closed', async () => {
    const path = join(await testFolder(), 'outbox.db')
    const first = await openOutbox({ path, ...defaults })
    await first.add(fish(1, 3), { checkpoint: { name: 'log', value: '3' } })
    await first.close()
    const second = await openOutbox({ path })
    expect((await second.peek()).map(({ entry }) => entry.name)).toEqual(['1', '2', '3'])
    expect(await second.checkpoint('log')).toBe('3')
    await second.close()
  })

  it('is rejected and stays unchanged if the file is from another version', async () => {
    const path = join(await testFolder(), 'outbox.db')
    await using outbox = await openOutbox({ path, ...defaults })
    await outbox.add(fish(1))
    const db = new DatabaseSync(path)
    db.exec(`PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE only_in_the_log (value)`)
    const contents = () => Promise.all([readFile(path), readFile(`${path}-wal`)])
    const before = await contents()
    await expect(openOutbox({ path, ...defaults })).rejects.toMatchObject({
      name: 'OutboxStoreError',
      code: 'outbox_other_version',
      summary: `Another version of @fish-crab/sdk wrote the outbox ${path}.`,
      hint: 'Send the catches in the file with that version, or move the file away.',
    })
    expect(await contents()).toEqual(before)
    db.close()
  })

  it('is not changed by an inspection', async () => {
    const path = join(await testFolder(), 'outbox.db')
    await expect(inspectOutbox(path)).rejects.toMatchObject({ name: 'OutboxStoreError' })
    const outbox = await openOutbox({ path, baseUrl: 'https://fish.example.org', ...defaults })
    await outbox.add([{ kind: 'crab', key: 'log:1' }, ...fish(1)])
    const open = await inspectOutbox(path)
    expect(open).toMatchObject({ service: 'https://fish.example.org', pending: 2 })
    expect([open.hasKey('log:1'), open.hasKey('log:2')]).toEqual([true, false])
    open.close()
    await outbox.close()
    const before = await readFile(path)
    const closed = await inspectOutbox(path)
    expect(closed).toMatchObject({ pending: 2 })
    closed.close()
    expect(await readFile(path)).toEqual(before)
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  it('is rejected if the file is damaged or is not an outbox', async () => {
    const folder = await testFolder()
    const noise = join(folder, 'noise.db')
    await writeFile(noise, 'no database at all, and longer than the header of one. '.repeat(40))
    await expect(openOutbox({ path: noise })).rejects.toMatchObject({ code: 'outbox_damaged' })
    expect(await readFile(noise, 'utf8')).toContain('no database at all')

    const foreign = join(folder, 'foreign.db')
    const db = new DatabaseSync(foreign)
    db.exec('CREATE TABLE precious (value TEXT)')
    db.close()
    await expect(openOutbox({ path: foreign })).rejects.toMatchObject({ code: 'outbox_damaged' })
  })

  it('causes an OutboxStoreError if the file cannot be created', async () => {
    const folder = await testFolder()
    await writeFile(join(folder, 'file'), '')
    await expect(openOutbox({ path: join(folder, 'file', 'outbox.db') })).rejects.toMatchObject({
      name: 'OutboxStoreError',
    })
    await mkdir(join(folder, 'folder'))
    await expect(openOutbox({ path: join(folder, 'folder') })).rejects.toMatchObject({
      code: 'outbox_not_writable',
      summary: `The outbox ${join(folder, 'folder')} is not writable.`,
    })
    // On Linux, no process can create a folder under /proc, and Node's recursive mkdir would never end.
    if (existsSync('/proc/self')) {
      const nowhere = openOutbox({ path: '/proc/fish-crab-none/fish-crab/outbox.db' })
      await expect(nowhere).rejects.toMatchObject({ name: 'OutboxStoreError' })
    }
  })

  it('can be opened by several outboxes at the same time', async () => {
    const path = join(await testFolder(), 'outbox.db')
    const outboxes = await Promise.all(Array.from({ length: 4 }, () => openOutbox({ path, ...defaults })))
    await Promise.all(outboxes.map((outbox, index) => outbox.add(fish(index))))
    expect(await outboxes[0]?.status()).toMatchObject({ pending: 4 })
    for (const outbox of outboxes) await outbox.close()
  })

  it('still contains every catch after a listener throws or rejects', async () => {
    const onEvent = () => {
      throw new Error('The display is gone.')
    }
    await using outbox = await openOutbox({ path: ':memory:', ...defaults, onEvent })
    outbox.subscribe(async () => Promise.reject(new Error('The display is gone.')))
    expect(await outbox.add({ kind: 'crab' })).toMatchObject({ added: 1, duplicates: 0 })
  })
})
