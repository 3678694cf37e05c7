import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@fish-crab/sdk'
import { describe, expect, test } from 'vitest'
import { type Database, objectId, writeArchive } from '../../scripts/test-support/mongo-dump.ts'
import { until } from '../../scripts/test-support/redis-server.ts'
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
  test('leaves no store, and the next run imports everything once and in order', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const [dump, data] = [join(folder, 'dump.archive'), join(folder, 'data')]
    await writeArchive(dump, database)
    const start = () => launch(['migrate', dump, '--yes'], { FISH_STORAGE: `file:${data}` })
    const isWriting = () => existsSync(data) && readdirSync(data).some((name) => name.startsWith('.migrate-'))
    const killed = start()
    await until(async () => killed.child.exitCode !== null || isWriting())
    killed.child.kill('SIGKILL')
    expect(await killed.closed).toBe(null)
    expect(existsSync(join(data, 'fish.db'))).toBe(false)
    const last = start()
    expect({ code: await last.closed, stderr: last.stderr() }).toMatchObject({ code: 0 })
    expect(readdirSync(data).filter((name) => !name.startsWith('fish.'))).toEqual(['secrets.json'])
    const server = await serveFolder(data)
    await expectAll(server.url)
    await server.stop()
  })

  test('while it renames its files is completed by later runs', { timeout: 120_000 }, async () => {
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
