import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage } from '@fish-crab/server/storage'
import { expect, onTestFinished, test } from 'vitest'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { collectionTalliesOf, newCollection, recordOf } from '../storage-suite/samples.ts'
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
    recordOf(...Array.from({ length: 500 }, (_, index) => `Fish ${at} ${index}`)),
  )

test('the name of a removed catch is deleted from the store, even if nobody reads the species again', async () => {
  const { storage, sql } = await open()
  const collection = newCollection()
  const [kept, removed] = [recordOf('Koi'), recordOf('Cod')]
  for (const record of [kept, removed]) await storage.append(collection, record)
  await storage.removeRecord(collection, removed.id)
  expect(sql(`SELECT name FROM species_and_days WHERE name >= ''`).map(({ name }) => name)).toEqual(['Koi'])
})

test('a day is stored as an integer, which takes fewer bytes than a double', async () => {
  const { storage, sql } = await open()
  await storage.append(newCollection(), recordOf('Koi'))
  expect(sql(`SELECT typeof(name) AS type FROM species_and_days WHERE name < ''`)).toEqual([{ type: 'integer' }])
})

test('a new collection contains no species or days of an owner who was removed during an append', async () => {
  const { storage } = await open()
  const [removed, later] = [newCollection(), newCollection()]
  const append = storage.append(removed, recordOf('Koi'))
  await Promise.all([append, storage.removeOwner(removed.owner)])
  await storage.append(later, recordOf('Cod'))
  expect(await collectionTalliesOf(storage, later)).toEqual({
    count: 1,
    species: [{ name: 'Cod', label: null, count: 1, first: 0, last: 0 }],
    days: [{ day: '1970-01-01', label: null, count: 1 }],
  })
})

test('the times of a species are found once and stored, so that a read after a restart needs no records', async () => {
  const { storage, path, sql } = await open()
  const collection = newCollection()
  const removed = recordOf('Koi')
  for (const record of [removed, recordOf('Koi')]) await storage.append(collection, record)
  await storage.removeRecord(collection, removed.id)
  expect(sql('SELECT count(mark) AS marks FROM species_and_days')).toEqual([{ marks: 1 }])
  await storage.collectionTallies(collection)
  await expect.poll(() => sql('SELECT count(mark) AS marks FROM species_and_days')).toEqual([{ marks: 0 }])
  await storage.dispose()
  sql('DELETE FROM records')
  const { storage: again } = await open(path)
  expect((await again.collectionTallies(collection)).species).toMatchObject([
    { name: 'Koi', count: 1, first: 0, last: 0 },
  ])
})

test('the times of species are found on a full disk, but they are not stored in the space that administrators need', async ({
  skip,
}) => {
  const small = mountSmallDisk()
  if ('reason' in small) return skip(small.reason)
  const { storage, sql } = await open(join(small.disk, 'data'))
  const collection = newCollection()
  const removed = recordOf('Koi')
  for (const record of [removed, recordOf('Koi')]) await storage.append(collection, record)
  const fill = async () => {
    for (;;) await storage.append(newCollection(), recordOf('x'.repeat(100_000)))
  }
  await expect(fill()).rejects.toMatchObject({ code: 'full' })
  await storage.removeRecord(collection, removed.id)
  for (let read = 0; read < 3; read += 1)
    expect((await storage.collectionTallies(collection)).species).toMatchObject([{ count: 1, first: 0, last: 0 }])
  expect(sql('SELECT count(mark) AS marks FROM species_and_days')).toEqual([{ marks: 1 }])
  // The storage must be closed before the disk is unmounted.
  await storage.dispose()
})

test('a read of thousands of species during writes shows each write completely or not at all', async () => {
  const { storage } = await open()
  const collection = newCollection()
  for (const record of manyRecords(3000)) await storage.append(collection, record)
  let isReading = true
  const writing = (async () => {
    while (isReading) await storage.append(collection, recordOf('!first', '~last'))
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
