import type { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { newCollection, newRecord, readNames } from '../storage-suite/samples.ts'
import { newFolder } from './folders.ts'

const started = vi.hoisted((): Worker[] => [])

// Collects the threads that the storage starts, so that a test can terminate a thread to simulate a crash.
vi.mock('node:worker_threads', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:worker_threads')>()
  class KeptWorker extends original.Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given)
      started.push(this)
    }
  }
  return { ...original, Worker: KeptWorker }
})

test('if the writing thread dies, pending and later writes fail, reads continue, and no operation hangs', async () => {
  // Test files share modules. Without a reset, modules that another file has loaded would start uncollected threads.
  vi.resetModules()
  const { createStorage } = await import('@fish-crab/server/storage')
  const path = newFolder()
  const storage = await createStorage({ driver: 'file', path })
  const collection = newCollection()
  const record = newRecord()
  await storage.append(collection, record)

  const pending = Array.from({ length: 10 }, () => storage.append(newCollection(), newRecord()))
  expect(started).toHaveLength(1)
  const settled = Promise.allSettled(pending)
  await started.at(-1)?.terminate()
  const rejected = (await settled).filter((result) => result.status === 'rejected')
  expect(rejected.length).toBeGreaterThan(0)
  for (const result of rejected) {
    expect(result.reason).toMatchObject({ name: 'StorageError', code: 'unavailable' })
  }
  await expect(storage.append(collection, newRecord())).rejects.toMatchObject({ code: 'unavailable' })
  await expect(storage.ping()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('Restart'),
  })
  expect(await readNames(storage, collection)).toEqual([record.id])
  await storage.dispose()

  const again = await createStorage({ driver: 'file', path })
  expect(await readNames(again, collection)).toEqual([record.id])
  await again.dispose()
})
