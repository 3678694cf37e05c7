import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@fish-crab/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Database, objectId, writeArchive } from '../../scripts/test-support/mongo-dump.ts'
import { describeWithRedis, startRedis } from '../../scripts/test-support/redis-server.ts'
import { newFolder } from './folders.ts'
import { launch, serveFolder } from './maintenance-processes.ts'

const SECONDS = Date.UTC(2024, 0, 1) / 1000
const PLAYERS = ['Alex', 'Bea', 'Cid']
const CATCHES = 2000
const keyOf = (index: number) => Buffer.alloc(32, index + 1).toString('base64')

const database: Database = new Map<string, () => Iterable<object>>([
  [
    'users',
    () =>
      PLAYERS.map((name, index) => ({
        _id: objectId(SECONDS, index),
        id: `u-${name}`,
        name,
        userPassword: `password of ${name}`,
        fernetKey: keyOf(index),
      })),
  ],
  [
    'api_keys',
    () => PLAYERS.map((name, index) => ({ _id: objectId(SECONDS, index), key: `of-${name}`, userId: `u-${name}` })),
  ],
  ...PLAYERS.map(
    (name, index) =>
      [
        `fish_${name}_earth`,
        function* () {
          for (let count = 0; count < CATCHES; count += 1) {
            yield {
              _id: objectId(SECONDS + count, index * CATCHES + count),
              fish: `Fish ${count}`,
              rarity: 1 + (count % 4),
            }
          }
        },
      ] as const,
  ),
])

/** Starts the same migration again and again, and kills it when `writes` has grown. */
async function killOften(start: () => ReturnType<typeof launch>, writes: () => Promise<number>): Promise<number> {
  let kills = 0
  let seen = 0
  for (const more of [1, 4, 600, 1200, 1200]) {
    const run = start()
    const wanted = seen + more
    let isEnded = false
    void run.closed.then(() => {
      isEnded = true
    })
    while (!isEnded && (await writes()) < wanted) await sleep(10)
    run.child.kill('SIGKILL')
    if ((await run.closed) === null) kills += 1
    seen = await writes()
  }
  return kills
}

async function expectAll(url: string): Promise<void> {
  for (const [index, name] of PLAYERS.entries()) {
    const client = createClient({ baseUrl: url, user: name, gamemode: 'earth', apiKey: `of-${name}`, env: {} })
    const { fish } = await client.fish.list({ detail: 'full' })
    const expected = Array.from(
      { length: CATCHES },
      (_, count) => `Fish ${count} ${new Date((SECONDS + count) * 1000).toISOString()}`,
    )
    expect(fish.map((one) => `${one.name} ${one.caughtAt}`)).toEqual(expected)
    const { fernetKey } = await client.keys.get({ username: name, password: `password of ${name}` })
    expect(fernetKey).toBe(keyOf(index))
  }
}

describe('a migration that is killed', () => {
  test('continues, has everything once and in order, and shows nothing before', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const [dump, data] = [join(folder, 'dump.archive'), join(folder, 'data')]
    await writeArchive(dump, database)
    const start = () => launch(['migrate', dump, '--yes'], { FISH_STORAGE: `file:${data}` })
    const writes = async () => {
      const temp = existsSync(data) ? readdirSync(data).find((name) => name.startsWith('.migrate-')) : undefined
      const file = join(data, temp ?? '', 'fish.db')
      if (temp === undefined || !existsSync(file)) return 0
      try {
        using db = new DatabaseSync(file, { readOnly: true })
        const count = (sql: string) => Number(db.prepare(`SELECT count(*) AS count FROM ${sql}`).get()?.count)
        return count('records') + count("items WHERE key LIKE 'secret:%:password'")
      } catch {
        return 0
      }
    }
    expect(await killOften(start, writes)).toBe(5)
    expect(existsSync(join(data, 'fish.db'))).toBe(false)
    const last = start()
    expect({ code: await last.closed, stderr: last.stderr() }).toMatchObject({ code: 0 })
    expect(readdirSync(data).filter((name) => !name.startsWith('fish.'))).toEqual(['secrets.json'])
    const server = await serveFolder(data)
    await expectAll(server.url)
    await server.stop()
  })

  test('while its files get their names continues when it is repeated', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const dump = join(folder, 'dump.archive')
    const one: Database = new Map([
      ['users', () => [{ _id: objectId(SECONDS, 1), id: 'u', name: 'Alex', userPassword: 'x', fernetKey: keyOf(1) }]],
    ])
    await writeArchive(dump, one)
    const data = join(folder, 'data')
    const hook = fileURLToPath(new URL('kill-at-rename.mjs', import.meta.url))
    let code: number | null = null
    for (let killAt = 1; code !== 0; killAt += 1) {
      const env = { FISH_STORAGE: `file:${data}`, FISH_KILL_AT: String(killAt), NODE_OPTIONS: `--import=${hook}` }
      const run = launch(['migrate', dump, '--yes'], env)
      code = await run.closed
      expect({ code, stderr: code ? run.stderr() : '' }).toEqual({ code: code === 0 ? 0 : null, stderr: '' })
    }
    const last = await serveFolder(data)
    const client = createClient({ baseUrl: last.url, user: 'Alex', env: {} })
    expect((await client.keys.get({ username: 'Alex', password: 'x' })).fernetKey).toBe(keyOf(1))
    await last.stop()
  })
})

describeWithRedis('a migration into Redis that is killed', () => {
  test('continues, has everything once and in order, and shows no player before', { timeout: 120_000 }, async () => {
    const dump = join(newFolder(), 'dump.archive')
    await writeArchive(dump, database)
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    const env = {
      FISH_STORAGE: redis.url,
      FISH_SECRET: 'a secret of a test that is long enough',
      FISH_JWT_SECRET: 'a session secret of a test, 32 bytes',
    }
    const start = () => launch(['migrate', dump, '--yes'], env)
    const writes = async () => Number((await redis.admin.get('fish:writes')) ?? 0)
    expect(await killOften(start, writes)).toBe(5)
    expect(await redis.admin.keys('*user:alex*')).toEqual([])
    expect(await start().closed).toBe(0)
    const server = await serveFolder('', env)
    await expectAll(server.url)
    await server.stop()
  })
})
