import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Expected, fishCli, type Player, serviceAt } from '../release/service.ts'
import { run } from '../test-support/child-process.ts'
import { PROJECT } from '../test-support/language-tools.ts'
import { REDIS_MISSING, startRedis } from '../test-support/redis-server.ts'

const RELEASES = join(PROJECT, 'scripts/e2e/releases')
const releases = readdirSync(RELEASES)
  .filter((file) => file.endsWith('.tar.gz'))
  .map((file) => basename(file, '.tar.gz'))

test('the repository contains the data of every release', () => {
  const changelog = readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8')
  const released = Array.from(changelog.matchAll(/^## \[(\d[^\]]*)\]/gm), ([, version]) => version)
  expect(releases).toEqual(expect.arrayContaining(released))
})

describe.each(releases)('the data of release %s', (version) => {
  let folder: string
  let expected: Expected
  let service: ReturnType<typeof serviceAt>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fish-crab-upgrade-'))
    const { status } = await run('tar', ['-xzf', join(RELEASES, `${version}.tar.gz`), '-C', folder])
    expect(status).toBe(0)
    expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected
    service = serviceAt(expected.host)
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Checks that the service returns all data that the release stored, unchanged. */
  async function expectAll(storage: string): Promise<void> {
    await using _ = await service.serve(storage)
    for (const [path, response] of Object.entries(expected.responses))
      expect(await service.get(path)).toMatchObject(response as object)
    for (const { name, password, fernetKey, apiKey } of expected.players) {
      const client = service.client({ name, password, fernetKey, apiKey }, 'earth')
      expect(await client.keys.get({ username: name, password })).toMatchObject({ fernetKey })
    }
    const { user, gamemode, encrypted } = expected.token
    const alex = expected.players.find(({ name }) => name === user) as Player
    const { fish } = service.client(alex, gamemode)
    const sentAgain = await fish.send({ kind: 'fish', user, gamemode, token: encrypted })
    expect(sentAgain.replayed).toBe(true)
    expect((await fish.add({ name: 'New', rarity: 2 })).replayed).toBe(false)
    const names = (await service.admin().admins.list()).admins.map(({ username }) => username)
    expect(names).toEqual(['admin', 'second'])
  }

  test('open as a file store', async () => {
    await expectAll(`file:${folder}/file`)
  })

  test('are restored from their backup', async () => {
    const storage = `file:${folder}/restored`
    await fishCli(['restore', join(folder, 'backup'), '--storage', storage])
    await expectAll(storage)
  })

  test('open in Redis', async ({ skip }) => {
    if (REDIS_MISSING && process.env.CI) throw new Error(REDIS_MISSING)
    skip(REDIS_MISSING !== undefined, REDIS_MISSING)
    const redis = await startRedis({ dir: join(folder, 'redis'), appendonly: 'no' })
    try {
      await expectAll(redis.url)
    } finally {
      await redis.stop()
    }
  })

  test('work with fish-cli, which reads the profiles, secrets and settings, and sends the outbox once', async () => {
    const storage = `file:${folder}/of-the-cli`
    await fishCli(['restore', join(folder, 'backup'), '--storage', storage])
    const home = { HOME: join(folder, 'home') }
    await using _ = await service.serve(storage)
    expect(JSON.parse(await fishCli(['profile', '--json'], home))).toMatchObject({
      profiles: [
        { name: 'default', user: 'Alex', url: service.url },
        { name: 'second', user: 'Kevin_2', url: service.url },
      ],
    })
    for (let each = 0; each < 2; each += 1) await fishCli(['outbox', '--send'], home)
    const { fish } = (await service.get('/get/fish?name=Kevin_2&gamemode=earth')) as {
      fish: readonly { name: string }[]
    }
    const queued = fish.map(({ name }) => name).filter((name) => name.startsWith('Queued'))
    expect(queued).toEqual(['Queued 1', 'Queued 2', 'Queued 3'])
    await fishCli(['add', 'Salmon', '-r', 'gold', '--profile', 'default'], home)
  })
})
