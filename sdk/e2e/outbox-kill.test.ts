import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@fish-crab/sdk'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it, onTestFinished } from 'vitest'
import { createUser, startServerProcess } from '../../scripts/test-support/server-process.ts'

const CATCHES = 400
const ROUNDS = 8

function startChild(env: Record<string, string>): ChildProcess {
  const script = fileURLToPath(new URL('./outbox-child.ts', import.meta.url))
  return spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

it('an outbox delivers 400 catches once and in order, despite 8 kills of the sender and 4 kills of the server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-kill-'))
  const limits = { FISH_RATE_LIMIT: '25', FISH_RATE_WINDOW: '1', FISH_STORAGE: `file:${join(folder, 'server')}` }
  let server = await startServerProcess(limits)
  const { url } = server
  const alex = await createUser(url, 'Alex')
  const path = join(folder, 'outbox.db')
  let running: ChildProcess | undefined
  const child = (until: number, more: Record<string, string> = {}) => {
    const about = { OUTBOX_URL: url, OUTBOX_PATH: path, OUTBOX_FERNET_KEY: alex.fernetKey }
    running = startChild({ ...about, OUTBOX_UNTIL: String(until), ...more })
    return running
  }
  onTestFinished(async () => {
    running?.kill('SIGKILL')
    server.child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  })

  let leftBehind = 0
  for (let round = 1; round <= ROUNDS; round += 1) {
    const sender = child((CATCHES / ROUNDS) * round)
    const exited = once(sender, 'exit')
    await once(sender, 'message')
    await sleep(Math.random() * 450)
    if (round % 2 === 0) {
      await server.end('SIGKILL')
      server = await startServerProcess({ ...limits, FISH_PORT: new URL(url).port })
    }
    sender.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])
    await using outbox = await openOutbox({ path })
    leftBehind += (await outbox.cancel({ dryRun: true })).frozen
  }
  const last = child(CATCHES, { OUTBOX_LAST: '1' })
  expect(await once(last, 'exit')).toEqual([0, null])

  const client = createClient({ baseUrl: url, apiKey: alex.apiKey })
  const { fish } = await client.fish.list({ user: 'Alex', gamemode: 'earth' })
  await using outbox = await openOutbox({ path })
  const status = await outbox.status()
  expect(await server.end('SIGTERM')).toBe(0)

  expect(fish.map(({ name }) => name)).toEqual(Array.from({ length: CATCHES }, (_, index) => `fish ${index + 1}`))
  expect(status).toMatchObject({ pending: 0, rejected: 0 })
  // At least one kill must happen after a token is stored and before the response to the token arrives. Otherwise, the
  // test shows little.
  expect(leftBehind).toBeGreaterThan(0)
})
