import {
  createMemoryStorage,
  createStorage,
  type NewRecord,
  type StorageDriver,
  type StorageOptions,
  wrapDriver,
} from '@fish-crab/server/storage'
import { createStorage as createUnstorage } from 'unstorage'
import memoryDriver from 'unstorage/drivers/memory'
import { describe, expect, test } from 'vitest'
import { newCollection, recordOf } from '../storage-suite/samples.ts'

test('a plain unstorage driver is refused, and the error lists the missing operations and the next step', () => {
  expect(() => wrapDriver(memoryDriver() as unknown as StorageDriver)).toThrow(
    /lacks ping, append, .*peekWindow, onChange\. .*implement StorageDriver/,
  )
})

test.each([[{ driver: 'fs' }], [{ driver: memoryDriver() }], [createUnstorage()], [{}], [null], [undefined]])(
  'createStorage refuses an unknown driver, and the error names wrapDriver()',
  async (options) => {
    await expect(createStorage(options as unknown as StorageOptions)).rejects.toThrow(/^createStorage: .*wrapDriver/)
  },
)

describe('a wrapped driver', () => {
  const storage = createMemoryStorage()
  const [collection, key] = [newCollection({ kind: 'refused' }), 'test:a']

  const two = recordOf('Koi', 'Cod')
  const labelled = (labels: Record<string, number>): Partial<NewRecord> => ({ tally: { ...two.tally, labels } })

  test.each<Partial<NewRecord>>([
    ...[0, 1.5, Number.NaN].map((count) => ({ tally: { ...two.tally, count } })),
    ...[{ entries: '\ud800' }, { entries: 'x\udfff' }],
    ...[{ Gold: 0 }, { Gold: 3 }, { Gold: 0.5 }, { '': 1 }, { '\ud800': 1 }].map(labelled),
  ])('rejects a record that would change when stored and read, and stores nothing: %j', async (part) => {
    const append = storage.append(collection, { ...two, dedupeKey: 'token', ...part })
    await expect(append).rejects.toMatchObject({ name: 'StorageError', code: 'invalid_value' })
    expect(await storage.findRecord(collection.owner, 'token')).toBeUndefined()
    expect(await storage.tallies()).toEqual([])
    expect(await storage.version(collection)).toBe('empty')
  })

  test.each(['', 'alice?x', 'a/b', 'a\\b', 'a::b', ':a', 'a:', 'a:..:b', 'a$', 'é', 'a b'])(
    'rejects the key %j, which unstorage would change, and stores nothing',
    async (changed) => {
      const calls = [
        () => storage.items.setItem(changed, 'x'),
        () => storage.items.getItem(changed),
        () => storage.items.removeItem(changed),
        () => storage.setItemIfAbsent(changed, 'x'),
        () => storage.replaceItemIf(changed, 'x', 'y'),
        () => storage.removeItemIf(changed, 'x'),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'invalid_key' })
      expect(await storage.items.getKeys()).toEqual([])
    },
  )

  test.each(['\ud800', 1, { a: 1 }, null, undefined] as string[])(
    'rejects the value %j, which would change when stored and read',
    async (value) => {
      const calls = [
        () => storage.items.setItem(key, value),
        () => storage.setItemIfAbsent(key, value),
        () => storage.replaceItemIf(key, 'x', value),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'invalid_value' })
      expect(await storage.items.getItem(key)).toBeNull()
    },
  )

  test.each([
    ['a listing without a base', 'invalid_key', () => storage.listItems({ base: '', limit: 1 })],
    ['a listing with an incomplete base', 'invalid_key', () => storage.listItems({ base: 'user', limit: 1 })],
    ['a listing with a limit of 0', 'invalid_value', () => storage.listItems({ base: 'user:', limit: 0 })],
    ['a count with an incomplete base', 'invalid_key', () => storage.countItems('user')],
    ['a leaderboard with a limit of 0', 'invalid_value', () => storage.leaders({ kind: 'fish', limit: 0 })],
    ['a leaderboard with a fractional limit', 'invalid_value', () => storage.leaders({ kind: 'fish', limit: 1.5 })],
    ['a move to the same gamemode', 'invalid_value', () => storage.moveRecord(collection, 'id', collection.gamemode)],
  ])('rejects %s', async (_, code, call) => {
    await expect(call()).rejects.toMatchObject({ name: 'StorageError', code })
  })
})
