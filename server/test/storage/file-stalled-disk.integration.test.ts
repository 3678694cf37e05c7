import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startRemoteStorage } from '../../../scripts/test-support/remote-storage.ts'
import { createStallingDisk } from '../../../scripts/test-support/stalled-disk.ts'
import { newFolder } from './folders.ts'

const UNAVAILABLE = { name: 'StorageError', code: 'unavailable' }
const MIB = 1024 * 1024

test('on a stalled disk, pings and writes fail in time, memory stays bounded, and the storage recovers by itself', {
  timeout: 60_000,
}, async ({ skip }) => {
  const disk = createStallingDisk(skip)
  const storage = await startRemoteStorage(newFolder(), disk.env)
  expect(await storage.append('before')).toMatchObject({ result: { outcome: 'stored' } })
  const { memory } = await storage.ping()
  const before = await storage.version()

  disk.stall()
  const late = storage.append('late')
  // The result of the last check stays valid for a moment.
  await expect.poll(async () => (await storage.ping()).error).toBeDefined()
  const [ping, again] = await Promise.all([storage.ping(), storage.ping()])
  for (const reply of [ping, again]) {
    expect(reply).toMatchObject({
      isLate: false,
      error: { ...UNAVAILABLE, message: expect.stringContaining('has not responded') },
    })
  }
  // The stall is already detected, so this ping fails without waiting.
  expect(await storage.ping(0)).toMatchObject({ isLate: false, error: UNAVAILABLE })

  // At most 64 MiB of these 100 MiB may wait.
  const flood = Array.from({ length: 100 }, (_, at) => storage.append(`flood-${at}`, MIB))
  const replies = await Promise.all([late, ...flood])
  expect(replies[0]).toMatchObject({
    error: { ...UNAVAILABLE, message: expect.stringContaining('may still be stored') },
  })
  const refused = replies.filter(({ error }) => /too slow/.test(String((error as Error).message)))
  expect(refused.length).toBeGreaterThanOrEqual(36)
  for (const reply of replies) expect(reply).toMatchObject({ isLate: false, error: UNAVAILABLE })
  // The version is unchanged, since no write is stored during the stall. The storage no longer waits for the writes.
  expect(await storage.version()).toMatchObject({ result: before.result })
  const { memory: stalled } = await storage.ping()
  expect(stalled - memory).toBeLessThan(500 * MIB)

  disk.resume()
  await expect.poll(async () => (await storage.ping()).error).toBeUndefined()
  expect((await storage.version()).result).not.toBe(before.result)
  // The late write is stored only once, so the repeated token is a replay.
  expect(await storage.append('late')).toMatchObject({ result: { outcome: 'replayed', id: 'late' } })
  expect(await storage.append('after')).toMatchObject({ result: { outcome: 'stored' } })
  expect(await storage.dispose()).not.toHaveProperty('error')
})

test('a storage on a stalled disk closes in time, and reports unfinished writes', {
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

test('a write is acknowledged only after its log is flushed', async ({ skip }) => {
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
