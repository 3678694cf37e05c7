import { join } from 'node:path'
import { type CreatedUser, HEADERS, MEDIA_TYPES, type Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { exportStore, importStore } from '@fish-crab/server'
import { createStorage, itemKey } from '@fish-crab/server/storage'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { afterFirstBatch, caughtRecord, writeExport } from '../../../scripts/test-support/export-file.ts'
import { describeWithRedis, type RedisServer, startRedis, until } from '../../../scripts/test-support/redis-server.ts'
import { newFolder } from './data-folder.ts'
import { startTestServer } from './running.ts'

const SECRETS = { FISH_SECRET: 's'.repeat(32), FISH_JWT_SECRET: 'j'.repeat(32) }
const ADMIN = { FISH_ADMIN_USERNAME: 'boss', FISH_ADMIN_PASSWORD: 'boss-password', FISH_RATE_LIMIT: '1000000' }
const KEPT = 2000
const WATCH_MS = 20
const NOTICE_MS = 200

/** A community of one player, with many records, as an export. */
async function exported() {
  const folder = newFolder()
  const [path, file] = [join(folder, 'data'), join(folder, 'fish.jsonl')]
  const env = { ...SECRETS, ...ADMIN, FISH_STORAGE: `file:${path}` }
  const server = await startTestServer(env)
  const send = (to: string, body: object, session = '') =>
    fetch(`${server.url}${to}`, {
      method: 'POST',
      headers: { 'content-type': MEDIA_TYPES.json, authorization: `Bearer ${session}` },
      body: JSON.stringify(body),
    })
  const login = (await (await send('/admin/login', { username: 'boss', password: 'boss-password' })).json()) as Session
  const alex = (await (await send('/admin/users', { name: 'Alex' }, login.token)).json()) as CreatedUser
  await server.close()
  const storage = await createStorage({ driver: 'file', path })
  const collection = { owner: alex.id, kind: 'fish', gamemode: 'earth' }
  const names = Array.from({ length: KEPT }, (_, at) => `kept ${at}`)
  await Promise.all(
    names.map((name) => storage.append(collection, caughtRecord({ entries: [{ name, rarity: 'Gold' }] }))),
  )
  await storage.dispose()
  await exportStore({ env, target: file, now: new Date(0) })
  return { file, alex, names }
}

describeWithRedis('servers that are left running while their Redis is emptied and filled by an import', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedis()
    return redis.stop
  })
  const env = () => ({ ...SECRETS, ...ADMIN, FISH_STORAGE: redis.url })
  const start = () => startTestServer(env(), { watchMs: WATCH_MS })

  it('acknowledge nothing and show no part of it, are ready by themselves afterwards, and lose nothing', async () => {
    const { file, alex, names } = await exported()
    const work = { env: env(), file, noticeMs: NOTICE_MS }
    await importStore(work)
    const servers = await Promise.all([start(), start()])
    const fernet = createFernet(alex.fernetKey)
    let phase: 'before' | 'marked' | 'noticed' | 'done' = 'before'
    let isOver = false
    const tooEarly: string[] = []

    const request = async (path: string, init: RequestInit, server: number) => {
      const begun = phase
      const response = await fetch(`${servers[server]?.url}${path}`, init)
      const text = await response.text()
      const ended = phase as typeof phase
      if (begun === 'noticed' && ended === 'noticed' && response.ok) tooEarly.push(`${init.method} ${path} ${text}`)
      return { status: response.status, ok: response.ok, text }
    }
    const entriesOf = (text: string) => (JSON.parse(text) as { fish: { name: string }[] }).fish.map(({ name }) => name)
    const sent: string[][] = [[], []]
    /** As the clients do: a catch is sent again until it was acknowledged, then the next. */
    const write = async (server: number) => {
      for (let at = 0; !isOver || at === 0; at += 1) {
        const name = `of ${server} ${at}`
        const body = await fernet.encrypt(JSON.stringify({ fish: name, rarity: 3 }))
        const headers = {
          'content-type': MEDIA_TYPES.token,
          [HEADERS.gamemode]: 'earth',
          [HEADERS.apiKey]: alex.apiKey,
        }
        const post = () => request('/post/fish?name=Alex', { method: 'POST', headers, body }, server)
        await until(async () => {
          const { status, ok } = await post()
          expect([200, 201, 500]).toContain(status)
          return ok
        })
        sent[server]?.push(name)
      }
    }
    const read = async (server: number) => {
      while (!isOver) {
        const { status, text } = await request('/get/fish?name=Alex&gamemode=earth', { method: 'GET' }, server)
        if (status === 200) expect(entriesOf(text).slice(0, KEPT)).toEqual(names)
        else expect(status).toBe(500)
      }
    }

    await redis.admin.flushall()
    const clients = [write(0), write(1), read(0), read(1)]
    await importStore({
      ...work,
      onWait: (ms) => {
        expect(ms).toBe(NOTICE_MS)
        phase = 'marked'
        const areAllUnready = async () => {
          const ready = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/readyz`)).ok))
          return !ready.includes(true)
        }
        void until(async () => phase !== 'marked' || (await areAllUnready())).then(() => {
          if (phase === 'marked') phase = 'noticed'
        })
      },
    })
    phase = 'done'
    for (const { url } of servers) await until(async () => (await fetch(`${url}/readyz`)).status === 200)
    await until(async () => sent.every((names) => names.length > 5))
    isOver = true
    await Promise.all(clients)

    expect(tooEarly).toEqual([])
    const { text } = await request('/get/fish?name=Alex&gamemode=earth', { method: 'GET' }, 0)
    const stored = entriesOf(text)
    expect(stored.slice(0, KEPT)).toEqual(names)
    for (const server of [0, 1]) {
      expect(stored.filter((name) => name.startsWith(`of ${server} `))).toEqual(sent[server])
    }
    expect(stored).toHaveLength(KEPT + sent.flat().length)
  })

  it('are waited for before the first line is written, and an interruption meanwhile leaves nothing', async () => {
    const { file } = await exported()
    const stop = new AbortController()
    const importing = importStore({
      env: env(),
      file,
      signal: stop.signal,
      onWait: (ms) => {
        expect(ms).toBe(2000)
        stop.abort(new Error('stopped by hand'))
      },
    })
    await expect(importing).rejects.toMatchObject({
      code: 'interrupted',
      message: 'Interrupted. Nothing was imported.',
    })
    expect(await redis.admin.keys('fish:item:*')).toEqual([])
  })

  it('that wrote in between all the same are named as the cause, not the export', async () => {
    const file = join(newFolder(), 'fish.jsonl')
    writeExport(file, 20_000)
    const intruder = await createStorage({ driver: 'redis', url: redis.url })
    onTestFinished(() => intruder.dispose())
    const LAST = 20_000 - 1
    let intrusion: Promise<boolean> | undefined
    const onProgress = afterFirstBatch(() => {
      intrusion = intruder.setItemIfAbsent(itemKey('note', `entry-${LAST}`), 'of a server')
    })
    const error = await importStore({ env: env(), file, noticeMs: 0, onProgress }).catch((error: unknown) => error)
    expect(await intrusion).toBe(true)
    expect(error).toMatchObject({
      code: 'in_use',
      message: expect.stringMatching(new RegExp(`^Another process wrote to .*line ${LAST + 2} .*contains a part`)),
      hint: expect.stringMatching(/^Stop every server/),
    })
  })

  it('are not named as the cause of a line that the export repeats', async () => {
    const file = join(newFolder(), 'fish.jsonl')
    const line = { item: itemKey('note', 'twice'), value: 'x' }
    writeExport(file, 3, [line, line])
    await expect(importStore({ env: env(), file, noticeMs: 0 })).rejects.toMatchObject({
      code: 'invalid_line',
      message: expect.stringMatching(/^Line 3 repeats what /),
      hint: expect.stringMatching(/^Nothing was written/),
    })
    expect(await redis.admin.keys('*')).toEqual([])
  })
})
