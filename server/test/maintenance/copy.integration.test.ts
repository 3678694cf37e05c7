import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CreatedUser, HEADERS, MEDIA_TYPES, type Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { backupStore, copyStore, restoreStore } from '@fish-crab/server/maintenance'
import { createStorage, itemKey } from '@fish-crab/server/storage'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import {
  describeWithRedis,
  type RedisServer,
  startCluster,
  startRedis,
} from '../../../scripts/test-support/redis-server.ts'
import { newFolder } from '../node/data-folder.ts'
import { startTestServer } from '../node/running.ts'
import { newRecord } from '../storage-suite/samples.ts'

const ADMIN = { FISH_ADMIN_USERNAME: 'boss', FISH_ADMIN_PASSWORD: 'boss-password', FISH_RATE_LIMIT: '1000000' }
type Env = Readonly<Record<string, string>>

/** Starts a server with functions for requests of players and of the administrator. */
async function serving(env: Env) {
  const server = await startTestServer({ ...ADMIN, ...env })
  const send = (path: string, init: RequestInit = {}) => fetch(server.url + path, init)
  const post = async (path: string, body: object, session = '') => {
    const headers = { 'content-type': MEDIA_TYPES.json, authorization: `Bearer ${session}` }
    return (await send(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  return {
    ...server,
    send,
    login: async () => ((await post('/admin/login', { username: 'boss', password: 'boss-password' })) as Session).token,
    post,
    catches: async () => (await send('/get/fish?name=Alex&gamemode=earth&detail=full')).json(),
    summary: async () => (await send('/get/fish?name=Alex&gamemode=earth&summary=species')).json(),
    events: async (lastEventId = '') => {
      const headers = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
      return send('/events?name=Alex&gamemode=earth&follow=false', { headers })
    },
    sendToken: async (token: string) => {
      const headers = { [HEADERS.gamemode]: 'earth', 'content-type': MEDIA_TYPES.token }
      const response = await send('/post/fish?name=Alex', { method: 'POST', headers, body: token })
      return [response.status, ((await response.json()) as { id: string }).id]
    },
    async keyOf(user: CreatedUser) {
      const authorization = `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`
      return (await (await send('/get/user/key', { headers: { authorization } })).json()) as { fernetKey: string }
    },
  }
}

/** The keys of all items except the epoch, which a copy omits. */
async function keysOf(address: Parameters<typeof createStorage>[0]) {
  const storage = await createStorage(address)
  const keys = await storage.items.getKeys()
  await storage.dispose()
  return keys.filter((key) => key !== itemKey('setting', 'epoch')).sort()
}

/** A folder with a player who has two catches. A third catch was removed. */
async function storeOfAlex() {
  const path = join(newFolder(), 'data')
  const server = await serving({ FISH_STORAGE: `file:${path}` })
  const session = await server.login()
  const alex = (await server.post('/admin/users', { name: 'Alex' }, session)) as CreatedUser
  const fernet = createFernet(alex.fernetKey)
  const [next = '', ...tokens] = await Promise.all(
    ['Tuna', 'Salmon', 'Koi', 'Cod'].map((fish) =>
      fernet.encrypt(new TextEncoder().encode(JSON.stringify({ fish, rarity: 3 }))),
    ),
  )
  const ids: unknown[] = []
  for (const token of tokens) ids.push((await server.sendToken(token))[1])
  const headers = { authorization: `Bearer ${session}` }
  const removal = await server.send(`/admin/users/Alex/fish/${ids[2]}?gamemode=earth`, { method: 'DELETE', headers })
  expect(removal.status).toBe(204)
  const [catches, summary] = [await server.catches(), await server.summary()]
  const [, eventId = ''] = /^id: (.+)$/m.exec(await (await server.events()).text()) ?? []
  expect((await server.events(eventId)).status).toBe(200)
  // The requests add a key read and a failed login, so that the store contains every kind of item.
  await server.keyOf(alex)
  await server.keyOf({ ...alex, password: 'wrong' })
  await server.close()
  return { path, alex, tokens, next, ids, catches, summary, eventId }
}

describeWithRedis('a copy', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedis()
    return redis.stop
  })

  it('transfers a store with its keys to a Redis, a Cluster and a folder, where a repeated token is not stored again', async () => {
    const { path, alex, tokens, next, ids, catches, summary, eventId } = await storeOfAlex()
    const cluster = await startCluster()
    onTestFinished(async () => void (await Promise.all(cluster.map((server) => server.stop()))))
    const { encryption } = JSON.parse(readFileSync(join(path, 'secrets.json'), 'utf8'))
    const secrets = { FISH_SECRET: encryption, FISH_JWT_SECRET: 'j'.repeat(32) }
    const counts = { users: 1, records: 2, entries: 2 }
    const parent = newFolder()
    const [back, beside, backup, restored] = ['back', 'beside', 'backup', 'restored'].map((name) => join(parent, name))
    const nodes = `redis-cluster://${cluster.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
    for (const [from, to, report] of [
      [`file:${path}`, redis.url, { folder: null, secrets: 'needed' }],
      [redis.url, `file:${back}`, { folder: back, secrets: 'needed' }],
      [`file:${path}`, nodes, { folder: null, secrets: 'needed' }],
      [`file:${path}`, `file:${beside}`, { folder: beside, secrets: 'included' }],
    ] as const) {
      expect(await copyStore({ env: {}, from, to })).toEqual({ ...counts, ...report })
    }
    expect(await keysOf({ driver: 'redis', url: redis.url })).toEqual(await keysOf({ driver: 'file', path }))
    await backupStore({ env: { FISH_STORAGE: `file:${path}` }, target: `${backup}` })
    await restoreStore({ env: { FISH_STORAGE: `file:${restored}` }, backup: `${backup}` })

    for (const env of [
      { ...secrets, FISH_STORAGE: redis.url },
      { ...secrets, FISH_STORAGE: nodes },
      { ...secrets, FISH_STORAGE: `file:${back}` },
      { FISH_STORAGE: `file:${beside}` },
      { FISH_STORAGE: `file:${restored}` },
    ]) {
      const server = await serving(env)
      expect([await server.catches(), await server.summary()]).toEqual([catches, summary])
      expect(await server.keyOf(alex)).toEqual({ fernetKey: alex.fernetKey })
      expect((await server.events(eventId)).status).toBe(400)
      expect(await Promise.all(tokens.map(server.sendToken))).toEqual(ids.map((id) => [200, id]))
      expect([await server.catches(), await server.summary()]).toEqual([catches, summary])
      expect(await server.sendToken(next)).toEqual([201, expect.any(String)])
      expect(await server.summary()).toMatchObject({ total: 3, unique: 3 })
      await server.close()
    }
  })

  it('refuses a target that contains data, and a source that is missing or incomplete', async () => {
    const { path } = await storeOfAlex()
    const from = `file:${path}`
    await copyStore({ env: {}, from, to: redis.url })
    await expect(copyStore({ env: {}, from, to: redis.url })).rejects.toMatchObject({ code: 'exists' })
    const missing = join(newFolder(), 'missing')
    await expect(copyStore({ env: {}, from: `file:${missing}`, to: redis.url })).rejects.toMatchObject({
      code: 'no_store',
    })
    expect(existsSync(missing)).toBe(false)
  })

  it('refuses a target folder that already contains secrets, and does not change the folder', async () => {
    const { path } = await storeOfAlex()
    const folder = newFolder()
    writeFileSync(join(folder, 'secrets.json'), '{"encryption":"another","session":"one"}')
    await expect(copyStore({ env: {}, from: `file:${path}`, to: `file:${folder}` })).rejects.toMatchObject({
      code: 'exists',
    })
    expect(readFileSync(join(folder, 'secrets.json'), 'utf8')).toBe('{"encryption":"another","session":"one"}')
  })

  it('names the invalid address in the error', async () => {
    const copying = (from: string, to: string) => copyStore({ env: {}, from, to })
    await expect(copying('data', 'file:./x')).rejects.toThrow(/^FROM must be file:FOLDER, /)
    await expect(copying('file:./x', 'memory:')).rejects.toThrow(
      /^TO is memory:, which other commands cannot access\.$/,
    )
  })

  it('fails if the target cannot store a record, and reports the partial copy', async () => {
    const { path, alex } = await storeOfAlex()
    const target = await createStorage({ driver: 'redis', url: redis.url })
    await target.removeOwner(alex.id)
    const copying = copyStore({ env: {}, from: `file:${path}`, to: redis.url })
    await expect(copying).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringContaining('The Redis contains a part of the copy.'),
    })
    await target.dispose()
  })

  it('leaves no folder after an interruption, and no server accepts an incomplete copy in Redis', async () => {
    const { path } = await storeOfAlex()
    const from = `file:${path}`
    const cut = (to: string) => {
      const abort = new AbortController()
      return copyStore({ env: {}, from, to, signal: abort.signal, onProgress: () => abort.abort() })
    }
    await expect(cut(redis.url)).rejects.toMatchObject({ code: 'interrupted' })
    const secrets = { FISH_SECRET: 's'.repeat(32), FISH_JWT_SECRET: 'j'.repeat(32) }
    await expect(startTestServer({ ...secrets, FISH_STORAGE: redis.url })).rejects.toThrow(/^The store is incomplete: /)
    await expect(copyStore({ env: {}, from: redis.url, to: `file:${newFolder()}/x` })).rejects.toMatchObject({
      code: 'unfinished',
    })
    await expect(copyStore({ env: {}, from, to: redis.url })).rejects.toMatchObject({ code: 'exists' })
    const folder = join(newFolder(), 'new')
    await expect(cut(`file:${folder}`)).rejects.toMatchObject({ code: 'interrupted' })
    expect(existsSync(folder)).toBe(false)
  })

  it('fails if another process writes to the source', async () => {
    const source = await createStorage({ driver: 'redis', url: redis.url })
    const owner = 'u1'
    await source.items.setItem(itemKey('user', 'alex'), JSON.stringify({ id: owner, name: 'Alex', createdAt: '' }))
    const append = (id: string) => source.append({ owner, kind: 'fish', gamemode: 'earth' }, newRecord({ id }))
    for (let at = 0; at < 600; at += 1) await append(`id${at}`)
    let written: Promise<unknown> | undefined
    const onProgress = () => {
      written ??= append('meanwhile')
    }
    const to = `file:${join(newFolder(), 'data')}`
    await expect(copyStore({ env: {}, from: redis.url, to, onProgress })).rejects.toMatchObject({ code: 'in_use' })
    await written
    await source.dispose()
  })
})
