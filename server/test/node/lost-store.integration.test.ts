import { join } from 'node:path'
import { type CreatedUser, HEADERS, MEDIA_TYPES, type Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { importStore, MaintenanceError, rotateSecret } from '@fish-crab/server'
import { itemKey } from '@fish-crab/server/storage'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { afterFirstBatch, writeExport } from '../../../scripts/test-support/export-file.ts'
import { describeWithRedis, type RedisServer, startRedis, until } from '../../../scripts/test-support/redis-server.ts'
import { newFolder } from './data-folder.ts'
import { runServe, startTestServer } from './running.ts'

const [SECRET, OTHER] = ['the secret of the beginning, long', 'the secret of somebody else, long']
const ADMIN = { FISH_ADMIN_USERNAME: 'boss', FISH_ADMIN_PASSWORD: 'boss-password', FISH_LOG: 'json' }
const STORE = itemKey('setting', 'store')
const QUICK = { noticeMs: 10 }

describeWithRedis('a server over a Redis', () => {
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
    // The probe of a start expires after a second.
    const keys = (await redis.admin.keys('*')).filter((key) => !key.endsWith(':probe')).sort()
    return Promise.all(keys.map(async (key) => [key, await redis.admin.dumpBuffer(key)]))
  }
  const readiness = async (url: string) => (await fetch(`${url}/readyz`)).status

  /** An import that is interrupted once a part of it is written, and what it says. */
  async function interruptedImport(file: string) {
    const stop = new AbortController()
    const onProgress = afterFirstBatch(() => stop.abort(new Error('stopped by hand')))
    return importStore({ ...QUICK, env: envWith(SECRET), file, signal: stop.signal, onProgress }).catch(
      (error: unknown) => error,
    )
  }

  it('does not start on a part of an import, under whatever secret, and changes nothing; nor does anything else', async () => {
    const file = join(newFolder(), 'fish.jsonl')
    writeExport(file, 20_000)
    const error = await interruptedImport(file)
    expect(error).toBeInstanceOf(MaintenanceError)
    expect(error).toMatchObject({
      code: 'interrupted',
      message: 'Interrupted. The Redis contains a part of the export now.',
      hint: expect.stringMatching(/^Empty it /),
    })
    expect(await redis.admin.dbsize()).toBeLessThan(20_000)
    const before = await everything()
    for (const secret of [SECRET, OTHER]) {
      await expect(startTestServer(envWith(secret))).rejects.toMatchObject({ code: 'unfinished' })
      const run = runServe(envWith(secret))
      expect(await run.status).toBe(1)
      expect(run.stdout.text()).toBe('')
      expect(run.stderr.text()).toMatch(/^fish-cli serve: The store is incomplete: [^\n]+\n$/)
    }
    await expect(rotateSecret({ env: envWith(SECRET) })).rejects.toMatchObject({ code: 'unfinished' })
    await expect(importStore({ ...QUICK, env: envWith(SECRET), file })).rejects.toMatchObject({ code: 'unfinished' })
    expect(await everything()).toEqual(before)

    await redis.admin.flushall()
    expect(await importStore({ ...QUICK, env: envWith(SECRET), file })).toMatchObject({ items: 20_000 })
    const server = await startTestServer(envWith(SECRET))
    expect(await readiness(server.url)).toBe(200)
  })

  it('does not start on what an import wrote behind an emptying of its Redis', async () => {
    const file = join(newFolder(), 'fish.jsonl')
    writeExport(file, 20_000)
    const onProgress = afterFirstBatch(() => void redis.admin.flushall())
    const error = await importStore({ ...QUICK, env: envWith(SECRET), file, onProgress }).catch(
      (error: unknown) => error,
    )
    expect(error).toMatchObject({ code: 'replaced', message: expect.stringMatching(/contains a part/) })
    expect(await redis.admin.dbsize()).toBeLessThan(10_000)
    await expect(startTestServer(envWith(SECRET))).rejects.toMatchObject({ code: 'unfinished' })
  })

  it('finds the data of one import there when two were begun at once', async () => {
    const folder = newFolder()
    const files = ['one', 'two'].map((id) => {
      const file = join(folder, id)
      writeExport(file, 2000, [{ item: STORE, value: id }])
      return file
    })
    const results = await Promise.allSettled(files.map((file) => importStore({ ...QUICK, env: envWith(SECRET), file })))
    const [done, ...more] = results.flatMap(({ status }, at) => (status === 'fulfilled' ? [['one', 'two'][at]] : []))
    expect(more).toEqual([])
    expect(results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))).toEqual(['unfinished'])
    expect(await redis.admin.get(`fish:item:{setting}:${STORE}`)).toBe(done)
  })

  it('notices that it was emptied, also when another one begins anew there, until its data is back', async () => {
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

  it('is not ready while its Redis takes no writes, says so to whoever asks, and is ready again afterwards', async () => {
    const { url } = await startTestServer(envWith(SECRET))
    const statuses = async () => [await readiness(url), (await fetch(`${url}/status`)).status]
    for (const [spoil, mend] of [
      [
        ['REPLICAOF', '127.0.0.1', '1'],
        ['REPLICAOF', 'NO', 'ONE'],
      ],
      [
        ['CONFIG', 'SET', 'maxmemory', '1'],
        ['CONFIG', 'SET', 'maxmemory', '0'],
      ],
    ] as const) {
      await redis.admin.call(spoil[0], ...spoil.slice(1))
      await until(async () => (await readiness(url)) === 503)
      expect(await statuses()).toEqual([503, 503])
      await redis.admin.call(mend[0], ...mend.slice(1))
      await until(async () => (await readiness(url)) === 200)
      expect(await statuses()).toEqual([200, 200])
    }
  })

  it('goes on with a store that was imported anew into its emptied Redis, for it is the same', async () => {
    const file = join(newFolder(), 'fish.jsonl')
    writeExport(file, 10, [{ item: STORE, value: 'TheVeryStore' }])
    const env = { ...QUICK, env: envWith(SECRET), file }
    await importStore(env)
    const server = await startTestServer(envWith(SECRET))
    await redis.admin.flushall()
    expect(await readiness(server.url)).toBe(503)
    await importStore(env)
    await until(async () => (await readiness(server.url)) === 200)
    onTestFinished(() => server.close())
  })
})
