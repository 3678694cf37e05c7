import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { readNames } from '../storage-suite/samples.ts'
import { newFolder, startHolder } from './folders.ts'

const ROUNDS = 5

test('every acknowledged record exists exactly once after kill -9 under load', { timeout: 60_000 }, async () => {
  const folder = newFolder()
  const acknowledged: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const holder = await startHolder(folder, 'append')
    await holder.acknowledged(50)
    await wait(Math.random() * 50)
    await holder.kill()
    // The kill may truncate the last line, so only whole lines count.
    acknowledged.push(...holder.stdout().split('\n').slice(1, -1))
    expect(holder.stderr()).toBe('')

    const storage = await createStorage({ driver: 'file', path: folder })
    const stored = await Promise.all(
      [0, 1, 2, 3].map((owner) => readNames(storage, { owner: `owner-${owner}`, kind: 'fish', gamemode: 'earth' })),
    )
    const counts = new Map<string, number>()
    for (const entry of stored.flat()) counts.set(entry, (counts.get(entry) ?? 0) + 1)
    expect(acknowledged.filter((id) => counts.get(id) !== 1)).toEqual([])
    expect([...counts.values()].every((count) => count === 1)).toBe(true)
    await storage.dispose()

    const db = new DatabaseSync(join(folder, 'fish.db'), { readOnly: true })
    expect(db.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
    db.close()
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * 50)
})
