import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { newFolder } from './folders.ts'

const OWNERS = 3_000_000

/** A large store with the log of a killed server. */
async function largeStore(): Promise<string> {
  const [live, left] = [newFolder(), newFolder()]
  const storage = await createStorage({ driver: 'file', path: live })
  await storage.dispose()
  const db = new DatabaseSync(join(live, 'fish.db'))
  db.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${OWNERS})
    INSERT INTO owners (id) SELECT printf('%08d', n) FROM numbers;
    PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO items (key, value) VALUES ('a:b', 'c')`)
  mkdirSync(left)
  for (const name of ['fish.db', 'fish.db-wal']) copyFileSync(join(live, name), join(left, name))
  db.close()
  return left
}

test('the store of a killed server is checked without blocking the thread that opens it, even if the store is large', async () => {
  const path = await largeStore()
  const turns = [performance.now()]
  const timer = setInterval(() => turns.push(performance.now()), 5)
  const storage = await createStorage({ driver: 'file', path })
  turns.push(performance.now())
  clearInterval(timer)
  expect(await storage.items.getItem('a:b')).toBe('c')
  await storage.dispose()
  const pauses = turns.slice(1).map((at, index) => at - (turns[index] ?? 0))
  const total = pauses.reduce((sum, pause) => sum + pause, 0)
  expect(Math.max(...pauses)).toBeLessThan(total / 2)
})
