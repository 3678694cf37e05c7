import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import {
  caughtRecord,
  newRecord,
  readAll,
  readEntries,
  speciesOf,
  talliesOf,
} from '../../src/storage-conformance/samples.ts'
import { inspect, OF_VERSION_1, oldStore } from './old-store.ts'

const SMALL = `
  INSERT INTO collections (owner, kind, gamemode) VALUES
    ('a', 'fish', 'earth'), ('a', 'fish', 'sky'), ('b', 'fish', 'earth'), ('b', 'crab', 'earth'), ('c', 'crab', 'sky');
  INSERT INTO records (collection, count, id, plain, full) VALUES
    (1, 1, 'r1', '{"name":"Salmon","rarity":"Gold"}', '{"f":1}'),
    (1, 3, 'r2', '{"name":"A","rarity":"Gold"},{"name":"B \\"]","rarity":"Unknown/Other"},{"name":"🦀","rarity":"Gold"}', '{"f":2}'),
    (2, 1, 'r3', '{"name":"Koi","rarity":"Bronze"}', '{"f":3}'),
    (3, 2, 'r4', '{"name":"Koi","rarity":"Gold"},{"name":"Koi","rarity":"Bronze"}', '{"f":4}'),
    (4, 2, 'r5', '{"name":"crab"},{"name":"rarity"}', '{"f":5}'),
    (4, 1, 'r6', 'not JSON', '{"f":6}'),
    (4, 1, 'gone', '{"name":"crab"}', '{"f":7}');
  DELETE FROM records WHERE id = 'gone';
  INSERT INTO tokens VALUES ('a', 't1', 'r1'), ('a', 't2', 'r2'), ('b', 'gone', 'gone');
  INSERT INTO removed_owners VALUES ('x');
  INSERT INTO items VALUES ('user:alice', '1'), ('user:bob', '2'), ('secret:id:password', '3'), ('secret:id:fernet', '4');
`

test('a store of version 1 opens with everything in it, and with the sums it did not keep', async () => {
  const { folder, file } = oldStore(SMALL)
  const storage = await createStorage({ driver: 'file', path: folder })
  const at = (owner: string, kind: string, gamemode: string) => ({ owner, kind, gamemode })

  expect(await readAll(storage, at('a', 'fish', 'earth'), 'full')).toEqual([
    { sequence: 1, count: 1, entries: '{"f":1}' },
    { sequence: 2, count: 3, entries: '{"f":2}' },
  ])
  expect(await readEntries(storage, at('b', 'crab', 'earth'))).toEqual([
    '{"name":"crab"},{"name":"rarity"}',
    'not JSON',
  ])
  expect(await storage.findRecord('a', 't2')).toBe('r2')
  expect(await storage.items.getItem('user:bob')).toBe('2')
  expect(await storage.append(at('x', 'fish', 'earth'), newRecord())).toEqual({ outcome: 'owner_removed' })

  const tally = (kind: string, gamemode: string, label: string | null, count: number) => ({
    kind,
    gamemode,
    label,
    count,
  })
  expect(await talliesOf(storage, 'fish')).toEqual([
    tally('fish', 'earth', null, 6),
    tally('fish', 'earth', 'Bronze', 1),
    tally('fish', 'earth', 'Gold', 4),
    tally('fish', 'earth', 'Unknown/Other', 1),
    tally('fish', 'sky', null, 1),
    tally('fish', 'sky', 'Bronze', 1),
  ])
  expect(await talliesOf(storage, 'crab')).toEqual([tally('crab', 'earth', null, 3)])
  expect(await storage.leaders({ kind: 'fish', limit: 9 })).toEqual([
    { owner: 'a', count: 5 },
    { owner: 'b', count: 2 },
  ])
  expect(await storage.leaders({ kind: 'fish', gamemode: 'sky', limit: 9 })).toEqual([{ owner: 'a', count: 1 }])
  expect(await storage.leaders({ kind: 'crab', limit: 9 })).toEqual([{ owner: 'b', count: 3 }])
  for (const [base, count] of [
    ['user:', 2],
    ['secret:', 2],
    ['secret:id:', 2],
    ['other:', 0],
  ] as const) {
    expect(await storage.countItems(base), base).toBe(count)
  }
  await storage.dispose()
  expect(inspect(file)).toMatchObject({ version: 4, integrity: 'ok', records: 6 })
})

test('a store of version 1 goes on working once it is migrated: sums, removals, versions, sequences', async () => {
  const { folder } = oldStore(SMALL)
  const storage = await createStorage({ driver: 'file', path: folder })
  const place = { owner: 'a', kind: 'fish', gamemode: 'earth' }
  const other = { ...place, gamemode: 'sky' }
  const versions = [await storage.version(place), await storage.version(other)]
  expect(new Set(versions).size).toBe(2)
  expect(await storage.removeRecord(place, 'r2')).toBe(true)
  expect(await storage.append(place, newRecord({ dedupeKey: 't2' }))).toEqual({ outcome: 'replayed', id: 'r2' })
  await storage.append(place, newRecord({ labels: { Gold: 1 } }))
  await storage.removeOwner('b')
  expect(versions).not.toContain(await storage.version(place))
  expect(await storage.version(other)).toBe(versions[1])
  // Seven sequences were given in version 1, one of them to a record that is gone.
  expect((await readAll(storage, place)).map(({ sequence }) => sequence)).toEqual([1, 8])
  expect(await talliesOf(storage, 'fish')).toEqual([
    { kind: 'fish', gamemode: 'earth', label: null, count: 2 },
    { kind: 'fish', gamemode: 'earth', label: 'Gold', count: 2 },
    { kind: 'fish', gamemode: 'sky', label: null, count: 1 },
    { kind: 'fish', gamemode: 'sky', label: 'Bronze', count: 1 },
  ])
  expect(await talliesOf(storage, 'crab')).toEqual([])
  await storage.items.removeItem('user:bob')
  expect(await storage.countItems('user:')).toBe(1)
  await storage.dispose()
})

test('a store of version 1 has its species when they are first read, also while catches are added', async () => {
  const entry = (name: string, day: number) =>
    JSON.stringify({ name, rarity: 'Gold', caughtAt: `2025-01-0${day}T00:00:00.000Z` })
  const { folder } = oldStore(`
    INSERT INTO collections (owner, kind, gamemode) VALUES ('a', 'fish', 'earth');
    INSERT INTO records (collection, count, id, plain, full) VALUES
      (1, 2, 'r1', '', '${entry('Koi', 2)},${entry('Cod', 3)}'), (1, 1, 'r2', '', '${entry('Koi', 1)}')`)
  const storage = await createStorage({ driver: 'file', path: folder })
  const place = { owner: 'a', kind: 'fish', gamemode: 'earth' }
  const add = (day: number) =>
    storage.append(place, caughtRecord([{ name: 'Koi', rarity: 'Gold' }, Date.UTC(2025, 0, day)]))
  await add(4)
  const [, during] = await Promise.all([add(5), storage.species(place), add(6)])
  expect(during?.length).toBe(2)
  await add(7)
  const [first, last] = [Date.UTC(2025, 0, 1), Date.UTC(2025, 0, 7)]
  const cod = { name: 'Cod', label: 'Gold', count: 1, first: Date.UTC(2025, 0, 3), last: Date.UTC(2025, 0, 3) }
  const expected = [cod, { name: 'Koi', label: 'Gold', count: 6, first, last }]
  expect(await speciesOf(storage, place)).toEqual(expected)
  await storage.dispose()
  const again = await createStorage({ driver: 'file', path: folder })
  expect(await speciesOf(again, place)).toEqual(expected)
  await again.dispose()
})

test('a migration that fails leaves version 1 as it was, and says why', async () => {
  const { folder, file } = oldStore(`${SMALL}; CREATE TABLE item_counts (mine TEXT)`)
  const schema = OF_VERSION_1.schema.replace('items', 'item_counts,items')
  for (const _ of [1, 2]) {
    await expect(createStorage({ driver: 'file', path: folder })).rejects.toMatchObject({
      name: 'StorageError',
      code: 'unavailable',
      message: expect.stringContaining('item_counts'),
    })
    expect(inspect(file)).toEqual({ ...OF_VERSION_1, schema, records: 6 })
  }
})
