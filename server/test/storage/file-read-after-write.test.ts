import { createStorage } from '@fish-crab/server/storage'
import { expect, onTestFinished, test } from 'vitest'
import { rememberReads } from '../../src/storage/file/recent-reads.ts'
import { newRecord } from '../storage-suite/samples.ts'
import { newFolder } from './folders.ts'

test('a read sees every write that was acknowledged earlier, even after a previous read in the same turn of the event loop', async () => {
  const storage = await createStorage({ driver: 'file', path: newFolder() })
  onTestFinished(() => storage.dispose())
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      await storage.items.getItem('note:a')
      // The wait is long enough for a commit, so the write is acknowledged in the same turn.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const stale: number[] = []
  for (let write = 0; write < 60; write += 1) {
    await storage.items.setItem('note:a', String(write))
    if ((await storage.items.getItem('note:a')) !== String(write)) stale.push(write)
  }
  isOver = true
  await reading
  expect(stale).toEqual([])
})

test('at most ten thousand reads are cached', () => {
  const read: string[] = []
  const recent = rememberReads({
    item: (key) => {
      read.push(key)
      return key
    },
    version: () => '',
  })
  for (let index = 0; index <= 10_000; index += 1) recent.item(String(index))
  recent.item('10000')
  recent.item('0')
  expect(read.slice(10_000)).toEqual(['10000', '0'])
})

test('a cached read is repeated after every kind of write', async () => {
  const storage = await createStorage({ driver: 'file', path: newFolder() })
  onTestFinished(() => storage.dispose())
  const collection = { owner: 'alex', kind: 'fish', gamemode: 'earth' }
  const record = newRecord({ entries: ['Koi', 'Cod'] })
  const key = 'note:a'
  const look = async () => ({ item: await storage.items.getItem(key), version: await storage.version(collection) })
  const writes: readonly (() => Promise<unknown>)[] = [
    () => storage.items.setItem(key, 'one'),
    () => storage.replaceItemIf(key, 'one', 'two'),
    () => storage.removeItemIf(key, 'two'),
    () => storage.setItemIfAbsent(key, 'three'),
    () => storage.items.removeItem(key),
    () => storage.append(collection, record),
    () => storage.removeEntry(collection, record.id, 0),
    () => storage.removeRecord(collection, record.id),
    () => storage.removeOwner(collection.owner),
  ]
  for (const write of writes) {
    const before = await look()
    await Promise.all([write(), look()])
    expect(await look(), write.toString()).not.toEqual(before)
  }
})

test('the cached versions of both collections are read again after a move', async () => {
  const storage = await createStorage({ driver: 'file', path: newFolder() })
  onTestFinished(() => storage.dispose())
  const earth = { owner: 'alex', kind: 'fish', gamemode: 'earth' }
  const versions = () => Promise.all([earth, { ...earth, gamemode: 'sky' }].map((one) => storage.version(one)))
  const record = newRecord()
  await storage.append(earth, record)
  const before = await versions()
  await storage.moveRecord(earth, record.id, 'sky')
  const after = await versions()
  expect(after.map((version, at) => version === before[at])).toEqual([false, false])
})
