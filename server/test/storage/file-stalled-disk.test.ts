import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from './folders.ts'
import { createStallingDisk } from './stalled-disk.ts'

interface Reply {
  readonly id: number
  readonly ms: number
  readonly memory: number
  readonly result?: unknown
  readonly error?: unknown
}

const UNAVAILABLE = { name: 'StorageError', code: 'unavailable' }
const MIB = 1024 * 1024

/** A storage in a process of its own. */
async function startRemoteStorage(folder: string, env: Readonly<Record<string, string>>) {
  const script = fileURLToPath(new URL('./fixtures/remote-storage.ts', import.meta.url))
  const child = fork(script, [folder], { env: { ...process.env, ...env } })
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply))
  let last = 0
  const receive = (id: number) => new Promise<Reply>((resolve) => waiting.set(id, resolve))
  await receive(0)
  const order = (type: string, fields = {}) => {
    last += 1
    child.send({ id: last, type, ...fields })
    return receive(last)
  }
  return {
    ping: () => order('ping'),
    append: (record: string, length = 1) => order('append', { record, length }),
    dispose: () => order('dispose'),
  }
}

test('a disk that stalls fails pings and writes in time, takes bounded memory, and is found again by itself', {
  timeout: 60_000,
}, async ({ skip }) => {
  const disk = createStallingDisk()
  if ('reason' in disk) {
    skip(disk.reason)
    return
  }
  const storage = await startRemoteStorage(newFolder(), disk.env)
  expect(await storage.append('before')).toMatchObject({ result: { outcome: 'stored' } })
  const { memory } = await storage.ping()

  disk.stall()
  const late = storage.append('late')
  const [ping, again] = await Promise.all([storage.ping(), storage.ping()])
  for (const reply of [ping, again]) {
    expect(reply).toMatchObject({ error: { ...UNAVAILABLE, message: expect.stringContaining('has not responded') } })
    expect(reply.ms).toBeLessThan(2000)
  }
  // Known by now, so nobody waits for it any more.
  expect((await storage.ping()).ms).toBeLessThan(500)

  // 100 MiB, of which 64 may wait.
  const flood = Array.from({ length: 100 }, (_, at) => storage.append(`flood-${at}`, MIB))
  const replies = await Promise.all([late, ...flood])
  expect(replies[0]).toMatchObject({
    error: { ...UNAVAILABLE, message: expect.stringContaining('may still be stored') },
  })
  const refused = replies.filter(({ error }) => /too slow/.test(String((error as Error).message)))
  expect(refused.length).toBeGreaterThanOrEqual(36)
  for (const { error, ms } of replies) {
    expect(error).toMatchObject(UNAVAILABLE)
    expect(ms).toBeLessThan(10_000)
  }
  const { memory: stalled } = await storage.ping()
  expect(stalled - memory).toBeLessThan(500 * MIB)

  disk.resume()
  await expect.poll(async () => (await storage.ping()).error, { timeout: 10_000 }).toBeUndefined()
  // What was late is stored once.
  expect(await storage.append('late')).toMatchObject({ result: { outcome: 'replayed', id: 'late' } })
  expect(await storage.append('after')).toMatchObject({ result: { outcome: 'stored' } })
  expect(await storage.dispose()).not.toHaveProperty('error')
})

test('a storage whose disk has stalled is disposed in time, and says that writes were not finished', {
  timeout: 60_000,
}, async ({ skip }) => {
  const disk = createStallingDisk()
  if ('reason' in disk) {
    skip(disk.reason)
    return
  }
  const storage = await startRemoteStorage(newFolder(), disk.env)
  disk.stall()
  const write = storage.append('unfinished')
  const { error, ms } = await storage.dispose()
  expect(error).toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('Unfinished writes: 1.') })
  expect(ms).toBeLessThan(8000)
  expect(await write).toMatchObject({ error: UNAVAILABLE })
})
