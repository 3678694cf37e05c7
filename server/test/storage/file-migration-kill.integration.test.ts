import { copyFileSync, rmSync, statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { talliesOf } from '../../src/storage-conformance/samples.ts'
import { spawnHolder } from './folders.ts'
import { inspect, OF_VERSION_1, oldStore } from './old-store.ts'

const RECORDS = 40_000
const LARGE = `
  INSERT INTO collections (owner, kind, gamemode) VALUES ('a', 'fish', 'earth'), ('b', 'fish', 'earth');
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RECORDS})
  INSERT INTO records (collection, count, id, plain, full)
    SELECT 1 + n % 2, 1, 'id' || n, '{"name":"Salmon","rarity":"Gold"}', '{"full":' || n || '}' FROM numbers;
`

test('a process killed in the middle of a migration leaves version 1 whole, and the next start finishes', {
  timeout: 60_000,
}, async () => {
  const { folder, file } = oldStore(LARGE)
  const spare = `${file}-spare`
  copyFileSync(file, spare)
  const written = () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  let killedMidway = 0
  for (let round = 0; round < 30 && killedMidway < 3; round += 1) {
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
    copyFileSync(spare, file)
    const holder = spawnHolder(folder)
    // Pages that no longer fit the cache go to the log before the transaction ends: the migration is under way.
    while (written() === 0 && !holder.stdout()) await wait(1)
    await wait(round * 2)
    await holder.kill()
    const [size, found] = [written(), inspect(file)]
    expect(found).toMatchObject({ integrity: 'ok', records: RECORDS })
    if (found.version === 1) {
      expect(found).toMatchObject(OF_VERSION_1)
      if (size > 0) killedMidway += 1
    } else {
      expect([2, 3, 4]).toContain(found.version)
    }
  }
  expect(killedMidway).toBe(3)

  const storage = await createStorage({ driver: 'file', path: folder })
  expect(await storage.leaders({ kind: 'fish', limit: 9 })).toEqual([
    { owner: 'a', count: RECORDS / 2 },
    { owner: 'b', count: RECORDS / 2 },
  ])
  expect(await talliesOf(storage, 'fish')).toMatchObject([{ count: RECORDS }, { label: 'Gold', count: RECORDS }])
  await storage.dispose()
  expect(inspect(file)).toMatchObject({ version: 4, integrity: 'ok', records: RECORDS })
})
