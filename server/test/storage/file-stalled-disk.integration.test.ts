import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startRemoteStorage } from '../../../scripts/test-support/remote-storage.ts'
import { createStallingDisk } from '../../../scripts/test-support/stalled-disk.ts'
import { newFolder } from './folders.ts'

const UNAVAILABLE = { name: 'StorageError', code: 'unavailable' }
const MIB = 1024 * 1024

test('a stalled disk fails pings and writes in time, takes bounded memory, and works again by itself', {
  timeout: 60_000,
}, async ({ skip }) => {
  const disk = createStallingDisk(skip)
  const storage = await startRemoteStorage(newFolder(), disk.env)
  expect(await storage.append('before')).toMatchObject({ result: { outcome: 'stored' } })
  const { memory } = await storage.ping()
  const before = await storage.version()

  disk.stall()
  const late = storage.append('late')
  // The last check stays valid for a moment.
  await expect.poll(async () => (await storage.ping()).error).toBeDefined()
  const [ping, again] = await Promise.all([storage.ping(), storage.ping()])
  for (const reply of [ping, again]) {
    expect(reply).toMatchObject({
      isLate: false,
      error: { ...UNAVAILABLE, message: expect.stringContaining('has not responded') },
    })
  }
  // The stall is known by now, so this ping fails without waiting.
  expect(await storage.ping(0)).toMatchObject({ isLate: false, error: UNAVAILABLE })

  // Only 64 of these 100 MiB may wait.
  const flood = Array.from({ length: 100 }, (_, at) => storage.append(`flood-${at}`, MIB))
  const replies = await Promise.all([late, ...flood])
  expect(replies[0]).toMatchObject({
    error: { ...UNAVAILABLE, message: expect.stringContaining('may still be stored') },
  })
  const refused = replies.filter(({ error }) => /too slow/.test(String((error as Error).message)))
  expect(refused.length).toBeGreaterThanOrEqual(36)
  for (const reply of replies) expect(reply).toMatchObject({ isLate: false, error: UNAVAILABLE })
  // The writes are not stored, and no longer awaited.
  expect(await storage.version()).toMatchObject({ result: before.result })
  const { memory: stalled } = await storage.ping()
  expect(stalled - memory).toBeLessThan(500 * MIB)

  disk.resume()
  await expect.poll(async () => (await storage.ping()).error).toBeUndefined()
  expect((await storage.version()).result).not.toBe(before.result)
  // The late write is stored once.
  expect(await storage.append('late')).toMatchObject({ result: { outcome: 'replayed', id: 'late' } })
  expect(await storage.append('after')).toMatchObject({ result: { outcome: 'stored' } })
  expect(await storage.dispose()).not.toHaveProperty('error')
})

test('a storage with a stalled disk is disposed in time, and reports unfinished writes', {
  timeout: 60_000,
}, async ({ skip }) => {
  const disk = createStallingDisk(skip)
  const storage = await startRemoteStorage(newFolder(), disk.env)
  disk.stall()
  const write = storage.append('unfinished')
  expect(await storage.dispose()).toMatchObject({
    isLate: false,
    error: { ...UNAVAILABLE, message: expect.stringContaining('Unfinished writes: 1.') },
  })
  expect(await write).toMatchObject({ error: UNAVAILABLE })
})

test('a write is acknowledged once its log is flushed', async ({ skip }) => {
  const disk = createStallingDisk(skip)
  const folder = newFolder()
  const storage = await startRemoteStorage(folder, disk.env)
  // The first write of a log is always flushed.
  await storage.append('first')
  const flushes = (name: string) => disk.flushed().filter((path) => path === join(folder, name)).length
  const before = flushes('fish.db-wal')
  expect(await storage.append('one')).toMatchObject({ result: { outcome: 'stored' } })
  expect(flushes('fish.db-wal')).toBeGreaterThan(before)
  await storage.dispose()
})
