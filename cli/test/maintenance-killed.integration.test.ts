import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { type AdminClient, createAdminClient } from '@fish-crab/sdk/admin'
import { describe, expect, test } from 'vitest'
import { newFolder } from './folders.ts'
import { launch, serveFolder } from './maintenance-processes.ts'

const ITEMS = 5000
const PLAYERS = ['Alex', 'Bea', 'Cid', 'Dan']
const OLD = 'the secret of the store, long enough'
const NEW = 'the secret from now on, long enough'
/** Each run is killed after a random part of the duration of a complete run. */
const RUNS = 5

async function withAdmin<Result>(
  folder: string,
  secret: string,
  use: (admin: AdminClient) => Promise<Result>,
): Promise<Result> {
  const { url, stop } = await serveFolder(folder, { FISH_SECRET: secret })
  const result = await use(
    createAdminClient({ baseUrl: url, username: 'admin', password: 'canary-admin-password', env: {} }),
  )
  expect(await stop()).toBe(0)
  return result
}

/** Creates a data folder with players and many items. Returns the folder and the keys of the players. */
async function largeStore() {
  const data = join(newFolder(), 'data')
  const keys = await withAdmin(data, OLD, async (admin) => {
    const created: string[] = []
    for (const name of PLAYERS) created.push((await admin.users.create({ name })).fernetKey)
    return created
  })
  const db = new DatabaseSync(join(data, 'fish.db'))
  db.exec(`
    WITH RECURSIVE fillers (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM fillers WHERE at < ${ITEMS})
    INSERT INTO items SELECT 'audit:filler-' || at, printf('%.900c', 'x') FROM fillers`)
  db.close()
  return { data, keys }
}

function keysIn(folder: string, secret: string): Promise<string[]> {
  return withAdmin(folder, secret, async (admin) => {
    const keys: string[] = []
    for (const name of PLAYERS) keys.push((await admin.keys.get(name)).fernetKey)
    return keys
  })
}

type Env = Readonly<Record<string, string>>

/** Runs a command without and with kills. `check` gets the number of the run, to use a new target in each run. */
async function killOften(
  command: (run: number) => { readonly argv: readonly string[]; readonly env: Env },
  check: (run: number, again: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const complete = async (run: number) => {
    const { argv, env } = command(run)
    const program = launch(argv, env)
    expect({ code: await program.closed, stderr: program.stderr() }).toMatchObject({ code: 0 })
  }
  const startedAt = performance.now()
  await complete(0)
  const duration = performance.now() - startedAt
  for (let run = 1; run <= RUNS; run += 1) {
    const { argv, env } = command(run)
    const program = launch(argv, env)
    await Promise.race([program.closed, delay(duration * (0.3 + 0.7 * Math.random()))])
    program.child.kill('SIGKILL')
    await program.closed
    await check(run, () => complete(run))
  }
}

/** Starts a server on a folder that a killed command left. Returns why the server refuses to start. */
async function refusalOf(folder: string): Promise<string> {
  const env = { FISH_STORAGE: `file:${folder}`, FISH_SECRET: OLD, FISH_PORT: '0', FISH_LOG: 'silent' }
  const server = launch(['serve'], env)
  await server.closed
  return server.stderr()
}

describe('a command that is killed at a random point', { timeout: 120_000 }, () => {
  test.each(['copy', 'restore'])(
    '%s leaves no folder that serves as a new service, and the next run is complete',
    async (name) => {
      const { data, keys } = await largeStore()
      const parent = newFolder()
      const target = (run: number) => join(parent, `target-${run}`)
      const command = (run: number) =>
        name === 'copy'
          ? { argv: ['copy', `file:${data}`, `file:${target(run)}`], env: {} }
          : { argv: ['restore', data], env: { FISH_STORAGE: `file:${target(run)}` } }
      await killOften(command, async (run, again) => {
        const folder = target(run)
        if (!existsSync(join(folder, 'fish.db'))) {
          const files = existsSync(folder) ? readdirSync(folder) : []
          if (files.some((file) => file.startsWith(`.${name}-`))) {
            expect(await refusalOf(folder)).toContain('contains an unfinished store')
          }
          await again()
        }
        expect(await keysIn(folder, OLD)).toEqual(keys)
      })
      expect(await keysIn(data, OLD)).toEqual(keys)
    },
  )

  test('rotate-secret loses no key, and the next rotation finishes', async () => {
    const { data, keys } = await largeStore()
    const parent = newFolder()
    const target = (run: number) => join(parent, `data-${run}`)
    const command = (run: number) => {
      if (!existsSync(target(run))) cpSync(data, target(run), { recursive: true })
      const env = { FISH_STORAGE: `file:${target(run)}`, FISH_SECRET: NEW, FISH_SECRET_PREVIOUS: OLD }
      return { argv: ['rotate-secret'], env }
    }
    await killOften(command, async (run, again) => {
      await again()
      expect(await keysIn(target(run), NEW)).toEqual(keys)
    })
  })
})
