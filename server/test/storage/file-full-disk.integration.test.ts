import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { expect, onTestFinished, test } from 'vitest'
import { startRemoteStorage } from '../../../scripts/test-support/remote-storage.ts'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { newCollection, readNames, recordOf } from '../storage-suite/samples.ts'
import { newFolder } from './folders.ts'

test('writes that fail on a full disk do not affect later reads and counts', async ({ skip }) => {
  const mounted = mountSmallDisk()
  if ('reason' in mounted) {
    skip(mounted.reason)
    return
  }
  const storage = await createStorage({ driver: 'file', path: join(mounted.disk, 'data') })
  onTestFinished(() => storage.dispose())
  const collection = newCollection()
  const { bavail, bsize } = statfsSync(mounted.disk)
  const ballast = join(mounted.disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 256 * 1024))
  const append = (plain: string, bytes: number) => storage.append(collection, recordOf(plain.padEnd(bytes)))

  // Together, the writes exceed the memory of SQLite, so a write fails before the commit.
  const refused = await Promise.allSettled(Array.from({ length: 100 }, (_, at) => append(`${at}`, 50_000)))
  expect(refused.filter(({ status }) => status === 'fulfilled')).toEqual([])
  rmSync(ballast)
  expect(await append('after', 1)).toMatchObject({ outcome: 'stored' })
  expect(await readNames(storage, collection)).toEqual(['after'])
  const { owner, kind, gamemode } = collection
  expect(await storage.leaders({ kind, limit: 10 })).toEqual([{ owner, count: 1 }])
  expect((await storage.tallies()).filter(({ label }) => label === null)).toEqual([
    { kind, gamemode, label: null, count: 1 },
  ])
})

test('a store that is closed on a full disk keeps all acknowledged writes', async ({ skip }) => {
  const mounted = mountSmallDisk()
  if ('reason' in mounted) {
    skip(mounted.reason)
    return
  }
  const path = join(mounted.disk, 'data')
  const collection = newCollection()
  const plains = Array.from({ length: 16 }, (_, at) => String(at))
  const storage = await createStorage({ driver: 'file', path })
  for (const plain of plains) await storage.append(collection, recordOf(plain.padEnd(20_000)))
  const { bavail, bsize } = statfsSync(mounted.disk)
  const ballast = join(mounted.disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(bavail * bsize))
  await storage.dispose()

  rmSync(ballast)
  const again = await createStorage({ driver: 'file', path })
  expect((await readNames(again, collection)).map((text) => text.trim())).toEqual(plains)
  await again.dispose()
})

test('a store opens on a full disk with the space of its reserve, and reports a full disk if it has no reserve', async ({
  skip,
}) => {
  const mounted = mountSmallDisk()
  if ('reason' in mounted) {
    skip(mounted.reason)
    return
  }
  const path = join(mounted.disk, 'data')
  await (await createStorage({ driver: 'file', path })).dispose()
  const { bavail, bsize } = statfsSync(mounted.disk)
  writeFileSync(join(mounted.disk, 'ballast'), Buffer.alloc(bavail * bsize))
  await (await createStorage({ driver: 'file', path })).dispose()
  const reserve = join(path, 'fish.reserve')
  rmSync(reserve)
  const freed = statfsSync(mounted.disk)
  writeFileSync(join(mounted.disk, 'more'), Buffer.alloc(freed.bavail * freed.bsize))
  await expect(createStorage({ driver: 'file', path })).rejects.toMatchObject({ name: 'StorageError', code: 'full' })
})

test('a ping detects a limit other than free space, such as a quota, as long as catches are rejected', {
  timeout: 60_000,
}, async ({ skip }) => {
  const storage = await startRemoteStorage(newFolder())
  const limitFiles = (bytes: string) => execFileSync('prlimit', [`--fsize=${bytes}:`, '--pid', String(storage.pid)])
  try {
    limitFiles('1000000')
  } catch {
    skip('there is no prlimit, which limits the files of a process on Linux')
    return
  }
  let error: unknown
  for (let at = 0; error === undefined && at < 50; at += 1) error = (await storage.append(`${at}`, 50_000)).error
  expect(error).toMatchObject({ name: 'StorageError' })
  // Small writes still fit.
  for (let turn = 0; turn < 3; turn += 1) expect((await storage.ping()).error).toEqual(error)

  limitFiles('unlimited')
  expect(await storage.append('after', 50_000)).toMatchObject({ result: { outcome: 'stored' } })
  expect(await storage.ping()).not.toHaveProperty('error')
})
