import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test, vi } from 'vitest'
import { newCollection, newRecord, readEntries } from '../../src/storage-conformance/samples.ts'
import { mountSmallDisk } from './small-disk.ts'

test('a full disk rejects writes, loses nothing acknowledged, and works again once there is space', async ({
  skip,
}) => {
  const mounted = mountSmallDisk()
  if ('reason' in mounted) {
    skip(mounted.reason)
    return
  }
  const path = join(mounted.disk, 'data')
  const ballast = join(mounted.disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(512 * 1024))
  const collection = newCollection()
  const append = (plain: string) => storage.append(collection, newRecord({ plain, full: 'x'.repeat(20_000) }))
  let storage = await createStorage({ driver: 'file', path })

  const acknowledged: string[] = []
  let refusal: unknown
  for (let i = 0; i < 200 && !refusal; i += 4) {
    const batch = [i, i + 1, i + 2, i + 3].map(String)
    const results = await Promise.allSettled(batch.map(append))
    acknowledged.push(...batch.filter((_, at) => results[at]?.status === 'fulfilled'))
    refusal = results.find((result) => result.status === 'rejected')?.reason
  }
  expect(refusal).toMatchObject({ name: 'StorageError', code: 'full', message: expect.stringContaining('space') })
  expect(acknowledged.length).toBeGreaterThan(10)
  expect(await readEntries(storage, collection)).toEqual(acknowledged)

  await expect(storage.ping()).rejects.toMatchObject({ name: 'StorageError', code: 'full' })

  rmSync(ballast)
  expect(await append('after')).toMatchObject({ outcome: 'stored' })
  await vi.waitFor(() => storage.ping(), { timeout: 3000 })
  await storage.dispose()
  storage = await createStorage({ driver: 'file', path })
  expect(await readEntries(storage, collection)).toEqual([...acknowledged, 'after'])
  await storage.dispose()
})
