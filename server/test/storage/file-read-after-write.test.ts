import { createStorage } from '@fish-crab/server/storage'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from './folders.ts'

test('a read sees every write that was acknowledged before it, also in a turn of the event loop that has read before', async () => {
  const storage = await createStorage({ driver: 'file', path: newFolder() })
  onTestFinished(() => storage.dispose())
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      await storage.items.getItem('note:a')
      // Long enough for a commit, so that it is acknowledged in the same turn.
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
