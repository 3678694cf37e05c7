import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { expect, onTestFinished, test } from 'vitest'
import { newCollection, recordOf, recordOfSize } from '../storage-suite/samples.ts'
import { newFolder } from './folders.ts'

async function open(path: string) {
  const storage = await createStorage({ driver: 'file', path })
  onTestFinished(() => storage.dispose())
  return storage
}

test('leaderboards of a thousand owners are exact, in one gamemode and in all', async () => {
  const storage = await open(newFolder())
  const owned = Array.from({ length: 1000 }, (_, at) => ({
    collection: newCollection({ gamemode: at % 3 === 0 ? 'survival' : 'earth' }),
    count: 1 + ((at * 7) % 40),
  }))
  const others = owned.slice(0, 50).map(({ collection }, at) => ({
    collection: { ...collection, gamemode: 'oneblock' },
    count: at,
  }))
  const all = [...owned, ...others.slice(1)]
  await Promise.all(all.map(({ collection, count }) => storage.append(collection, recordOfSize(count))))
  for (const gamemode of [undefined, 'earth', 'survival', 'oneblock']) {
    const counts = new Map<string, number>()
    for (const { collection, count } of all) {
      if (gamemode !== undefined && collection.gamemode !== gamemode) continue
      counts.set(collection.owner, (counts.get(collection.owner) ?? 0) + count)
    }
    const ranked = Array.from(counts, ([owner, count]) => ({ owner, count }))
    ranked.sort((one, other) => other.count - one.count || (one.owner < other.owner ? -1 : 1))
    expect(await storage.leaders({ kind: 'fish', gamemode, limit: 100 })).toEqual(ranked.slice(0, 100))
  }
})

test('a catch of one of many owners changes fewer than 10 pages', async () => {
  const path = newFolder()
  const [OWNERS, CATCHES, PAGE_BYTES] = [4000, 50, 4096]
  const first = await open(path)
  const collections = Array.from({ length: OWNERS }, () => newCollection())
  await Promise.all(collections.map((one, at) => first.append(one, recordOfSize(at < CATCHES ? 1 : 5))))
  await first.dispose()
  const storage = await open(path)
  const logBytes = () => statSync(join(path, 'fish.db-wal')).size
  const before = logBytes()
  for (const collection of collections.slice(0, CATCHES)) await storage.append(collection, recordOf('Koi'))
  expect((logBytes() - before) / CATCHES / PAGE_BYTES).toBeLessThan(10)
})
