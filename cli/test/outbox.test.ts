import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { keptIn, newFolder } from './folders.ts'
import { type Env, run, worldOfFile } from './harness.ts'

const world = worldOfFile()
let folder: string
let env: Env

beforeEach(() => {
  folder = newFolder()
  env = { ...world.player, ...keptIn(folder) }
})

const json = async (argv: readonly string[], more: Env = {}) => {
  const { status, stdout } = await run([...argv, '--json'], { env: { ...env, ...more } })
  return { status, document: JSON.parse(stdout) }
}

/** Puts catches of somebody whom the service does not know into the outbox: they are set aside. */
async function setAside(count: number) {
  const file = join(folder, 'catches.csv')
  await writeFile(file, Array.from({ length: count }, (_, index) => `Cod ${index},1\n`).join(''))
  const { status } = await run(['add', '--file', file, '--user', 'Nobody'], { env })
  expect(status).toBe(7)
}

describe('outbox', () => {
  test('that nobody used is empty, and is not made by looking', async () => {
    const { status, document } = await json(['outbox', 'status'])
    expect({ status, document }).toMatchObject({ status: 0, document: { queued: 0, setAside: 0, collections: [] } })
    const { stdout, stderr } = await run(['outbox', 'status'], { env })
    expect(stdout).toBe('')
    expect(stderr).toContain('empty')
  })

  test('says what is set aside and why, queues it again, and drops it only after a yes', async () => {
    await setAside(3)
    const { document } = await json(['outbox', 'status'])
    expect(document).toMatchObject({ queued: 0, setAside: 3, batches: [{ count: 3, user: 'Nobody' }] })
    const id = String(document.batches[0].id)
    expect((await json(['outbox', 'retry', id, '--dry-run'])).document).toEqual({ dryRun: true, queued: 3 })
    expect((await json(['outbox', 'retry', id])).document).toEqual({ queued: 3 })
    expect((await json(['outbox', 'flush'])).document).toMatchObject({ sent: 0, left: 3 })
    expect((await json(['outbox', 'flush', '--user', 'Nobody'])).status).toBe(7)
    expect((await json(['outbox', 'drop'])).status).toBe(2)
    expect((await json(['outbox', 'drop', '--dry-run'])).document).toEqual({ dryRun: true, dropped: 3 })
    expect((await json(['outbox', 'status'])).document.setAside).toBe(3)
    expect((await json(['outbox', 'drop', '--yes'])).document).toEqual({ dropped: 3 })
    expect((await json(['outbox', 'status'])).document.setAside).toBe(0)
  })

  test('knows a wrong ID from one that is none', async () => {
    await setAside(1)
    expect((await json(['outbox', 'drop', '99', '--yes'])).status).toBe(5)
    expect((await json(['outbox', 'retry', 'all'])).status).toBe(2)
  })

  test('of one service is not sent to another', async () => {
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: 'http://127.0.0.1:9' }, piped: 'Cod' })
    expect((await json(['outbox', 'flush'])).document).toEqual({ sent: 0, setAside: 0, left: 0 })
    const other = { FISH_URL: 'http://127.0.0.1:9' }
    expect((await json(['outbox', 'status'], other)).document.queued).toBe(1)
  })
})
