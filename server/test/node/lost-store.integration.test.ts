import { type CreatedUser, HEADERS, MEDIA_TYPES, type Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { beforeEach, expect, it } from 'vitest'
import { describeWithRedis, type RedisServer, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { runServe, startTestServer } from './running.ts'

const [SECRET, OTHER] = ['the secret of the beginning, long', 'the secret of somebody else, long']
const ADMIN = { FISH_ADMIN_USERNAME: 'boss', FISH_ADMIN_PASSWORD: 'boss-password', FISH_LOG: 'json' }

describeWithRedis('a server on a Redis', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedis()
    return redis.stop
  })
  const envWith = (secret: string) => ({
    ...ADMIN,
    FISH_STORAGE: redis.url,
    FISH_SECRET: secret,
    FISH_JWT_SECRET: `${secret} for sessions`,
    FISH_RATE_LIMIT: '100000',
  })
  const everything = async () => {
    // The key of the start probe is excluded, since it expires after a second.
    const keys = (await redis.admin.keys('*')).filter((key) => !key.endsWith(':probe')).sort()
    return Promise.all(keys.map(async (key) => [key, await redis.admin.dumpBuffer(key)]))
  }
  const readiness = async (url: string) => (await fetch(`${url}/readyz`)).status

  it('detects an emptied Redis, even if another server starts a new store there, until the data is restored', async () => {
    const run = runServe(envWith(SECRET))
    const url = await run.ready
    const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { method: 'POST', body, headers: { 'content-type': MEDIA_TYPES.json, ...headers } })
    const logIn = () => post('/admin/login', JSON.stringify({ username: 'boss', password: 'boss-password' }))
    const { token: session } = (await (await logIn()).json()) as Session
    const create = (name: string) =>
      post('/admin/users', JSON.stringify({ name }), { authorization: `Bearer ${session}` })
    const alex = (await (await create('Alex')).json()) as CreatedUser
    const token = await createFernet(alex.fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
    const write = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: 'earth' }
    const requests = () => [
      post('/post/fish?name=Alex', token, write),
      post('/post/fish', token, { ...write, [HEADERS.apiKey]: alex.apiKey }),
      fetch(`${url}/get/fish?name=Alex&gamemode=earth`),
      logIn(),
      create('Bob'),
    ]
    const expectLost = async () => {
      expect(await readiness(url)).toBe(503)
      for (const response of await Promise.all(requests())) {
        expect([response.status, await response.json()]).toEqual([
          500,
          expect.objectContaining({ code: 'storage_error' }),
        ])
      }
    }
    expect(await readiness(url)).toBe(200)
    const kept = await everything()

    await redis.admin.flushall()
    await expectLost()
    expect((await redis.admin.keys('fish:*')).filter((key) => !/^fish:(?:window:|.*:probe$)/.test(key))).toEqual([])
    const lines = run.stderr.text().split('\n')
    expect(lines.find((line) => line.includes('"code":"unavailable"'))).toMatch(
      /was emptied or replaced\. Restore the data, or restart all servers/,
    )

    const second = await startTestServer(envWith(OTHER))
    expect(await readiness(second.url)).toBe(200)
    await expectLost()

    await redis.admin.flushall()
    for (const [key, dump] of kept) await redis.admin.restore(String(key), 0, dump as Buffer)
    expect(await readiness(url)).toBe(200)
    expect(await readiness(second.url)).toBe(503)
    expect((await post('/post/fish?name=Alex', token, write)).status).toBe(201)
  })
})
