import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage } from '@fish-crab/server/storage'
import { expect, onTestFinished, test } from 'vitest'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { caughtRecord, collectionTalliesOf, newCollection } from '../../src/storage-conformance/samples.ts'
import { newFolder } from './folders.ts'

async function open(path = newFolder()) {
  const storage = await createStorage({ driver: 'file', path })
  onTestFinished(() => storage.dispose())
  const sql = (query: string) => {
    using db = new DatabaseSync(join(path, 'fish.db'))
    return db.prepare(query).all()
  }
  return { storage, path, sql }
}

const manyRecords = (species: number) =>
  Array.from({ length: species / 500 }, (_, at) =>
    caughtRecord(...Array.from({ length: 500 }, (_, index) => [{ name: `Fish ${at} ${index}` }, 0] as const)),
  )

test('the name of a removed catch is deleted from the species table, even if nobody reads the species again', async () => {
  const { storage, sql } = await open()
  const collection = newCollection()
  const [kept, removed] = [caughtRecord([{ name: 'Koi' }, 0]), caughtRecord([{ name: 'Cod' }, 0])]
  for (const record of [kept, removed]) await storage.append(collection, record)
  await storage.removeRecord(collection, removed.id)
  expect(sql('SELECT name FROM species').map(({ name }) => name)).toEqual(['Koi'])
})

test('a new collection contains no species or days of an owner who was removed during an append', async () => {
  const { storage } = await open()
  const [removed, later] = [newCollection(), newCollection()]
  const append = storage.append(removed, caughtRecord([{ name: 'Koi' }, 0]))
  await Promise.all([append, storage.removeOwner(removed.owner)])
  await storage.append(later, caughtRecord([{ name: 'Cod' }, 0]))
  expect(await collectionTalliesOf(storage, later)).toEqual({
    species: [{ name: 'Cod', label: null, count: 1, first: 0, last: 0 }],
    days: [{ day: '1970-01-01', count: 1 }],
  })
})

test('concurrent reads count the records only once', async () => {
  const { storage } = await open()
  const collection = newCollection()
  const removed = caughtRecord([{ name: 'Cod' }, 0])
  for (const record of [removed, caughtRecord([{ name: 'Koi' }, 0])]) await storage.append(collection, record)
  await storage.removeRecord(collection, removed.id)
  const lists = await Promise.all(Array.from({ length: 20 }, () => storage.collectionTallies(collection)))
  expect(new Set(lists.map(({ species }) => species)).size).toBe(1)
})

test('more than 10,000 species are counted only once, since the store records that there are too many species', async () => {
  const { storage, path, sql } = await open()
  const collection = newCollection()
  const extra = caughtRecord([{ name: 'Extra' }, 0])
  for (const record of [extra, ...manyRecords(10_500)]) await storage.append(collection, record)
  await storage.removeRecord(collection, extra.id)
  expect((await storage.collectionTallies(collection)).species).toBeNull()
  await expect.poll(() => sql('SELECT has_tallies FROM collections')).toEqual([{ has_tallies: 1 }])
  await storage.dispose()
  // Without records, a second count would not find too many species.
  sql('DELETE FROM records')
  const { storage: again } = await open(path)
  expect((await again.collectionTallies(collection)).species).toBeNull()
})

test('species are counted on a nearly full disk, but the counts are not stored in space that catches need', async ({
  skip,
}) => {
  const small = mountSmallDisk()
  if ('reason' in small) return skip(small.reason)
  const { storage, sql } = await open(join(small.disk, 'data'))
  const collection = newCollection()
  const removed = caughtRecord([{ name: 'Cod' }, 0])
  for (const record of [removed, caughtRecord([{ name: 'Koi' }, 0])]) await storage.append(collection, record)
  await storage.removeRecord(collection, removed.id)
  const koi = { name: 'Koi', label: null, count: 1, first: 0, last: 0 }
  for (let read = 0; read < 3; read += 1)
    expect((await collectionTalliesOf(storage, collection)).species).toEqual([koi])
  await storage.ping()
  expect(sql('SELECT has_tallies FROM collections')).toEqual([{ has_tallies: 0 }])
  // The storage must be closed before the disk is unmounted.
  await storage.dispose()
})

test('a read of thousands of species during writes shows each write completely or not at all', async () => {
  const { storage } = await open()
  const collection = newCollection()
  for (const record of manyRecords(3000)) await storage.append(collection, record)
  let isReading = true
  const writing = (async () => {
    while (isReading) await storage.append(collection, caughtRecord([{ name: '!first' }, 0], [{ name: '~last' }, 0]))
  })()
  const torn: unknown[] = []
  for (let read = 0; read < 30; read += 1) {
    const { species } = await storage.collectionTallies(collection)
    const [first, last] = ['!first', '~last'].map((wanted) => species?.find(({ name }) => name === wanted)?.count)
    if (first !== last) torn.push([first, last])
  }
  isReading = false
  await writing
  expect(torn).toEqual([])
})
