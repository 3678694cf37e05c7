import { createStorage, type StorageDriver, type StorageOptions, wrapDriver } from '@fish-crab/server/storage'
import { createStorage as createUnstorage } from 'unstorage'
import memoryDriver from 'unstorage/drivers/memory'
import { expect, test } from 'vitest'

test('a driver of unstorage alone is refused with what it lacks, and with what to do', () => {
  expect(() => wrapDriver(memoryDriver() as unknown as StorageDriver)).toThrow(
    /lacks ping, append, .*peekWindow\. .*implement StorageDriver/,
  )
})

test.each([[{ driver: 'fs' }], [{ driver: memoryDriver() }], [createUnstorage()], [{}], [null], [undefined]])(
  'createStorage refuses what is none of its drivers, and names wrapDriver()',
  async (options) => {
    await expect(createStorage(options as unknown as StorageOptions)).rejects.toThrow(/^createStorage: .*wrapDriver/)
  },
)
