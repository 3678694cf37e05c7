import { createApp, createMemoryStorage, DecryptionError } from '@fish-crab/server/app'
import { itemKey, wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { asRoot, login } from './administration.ts'
import { encryptToken, post, SALMON } from './catches.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService, plainPasswords } from './memory-service.ts'
import { basic, SESSION_SECRET, UNLIMITED } from './test-service.ts'

const STORE = itemKey('setting', 'store')
const OPTIONS = {
  secrets: { encryption: 'an encryption secret of a test', session: SESSION_SECRET },
  passwords: plainPasswords,
  version: '0',
  clientAddress: () => '192.0.2.1',
}
const READ = '/get/fish?name=Alex&gamemode=earth'

/** Creates a service that has checked its secrets like a server, and records the storage calls. */
async function createStartedService() {
  const failing = createFailingStorage()
  const service = await createMemoryService({ ...UNLIMITED, storage: failing.storage })
  await service.app.checkSecrets()
  /** Empties the store, as an operator can empty a Redis while servers use it. */
  const lose = async () => {
    const { items } = service.storage
    await Promise.all((await items.getKeys()).map((key) => items.removeItem(key)))
  }
  return { ...service, ...failing, lose }
}

describe('a server whose store is emptied', () => {
  it('is not ready, and has an unavailable status', async () => {
    const service = await createStartedService()
    expect((await service.request('/readyz')).status).toBe(200)
    await service.lose()
    await expectError(await service.request('/readyz'), 'unavailable')
    expect((await service.request('/status')).status).toBe(503)
    expect((await service.request('/livez')).status).toBe(200)
  })

  it('is ready again when its data is restored', async () => {
    const service = await createStartedService()
    const keys = await service.storage.items.getKeys()
    const items = await Promise.all(keys.map(async (key) => [key, await service.storage.items.getItem(key)] as const))
    await service.lose()
    await expect(service.app.verifyStore()).rejects.toMatchObject({ code: 'replaced' })
    await expectError(await service.request(READ), 'storage_error')
    for (const [key, value] of items) await service.storage.items.setItem(key, String(value))
    expect((await service.request('/readyz')).status).toBe(200)
    expect((await service.request(READ)).status).toBe(200)
  })
})

describe('a server that detects a different store', () => {
  const OTHER = ['another one', 'unfinished'] as const
  const codes = { 'another one': 'replaced', unfinished: 'unfinished' } as const

  it.each(OTHER)('neither reads nor writes the different store: %s', async (value) => {
    const service = await createStartedService()
    const root = await asRoot(service)
    const tokens = [await encryptToken(service, SALMON), await encryptToken(service, SALMON)]
    expect((await post(service, 'fish', tokens[0] ?? '')).status).toBe(201)
    await service.storage.items.setItem(STORE, value)
    await expect(service.app.verifyStore()).rejects.toMatchObject({ code: codes[value] })
    const keys = await service.storage.items.getKeys()
    const before = service.calls.length
    const responses = [
      post(service, 'fish', tokens[1] ?? ''),
      post(service, 'fish', tokens[0] ?? ''),
      post(service, 'fish', tokens[1] ?? '', { query: '', headers: { 'x-api-key': service.alex.apiKey } }),
      service.request(READ),
      service.request(`${READ}&limit=1`),
      service.request('/get/user/key', { headers: { authorization: basic('Alex', 'alex-password') } }),
      login(service, 'root', 'root-password'),
      root('GET', '/admin/me'),
      root('GET', '/admin/users'),
      root('GET', '/admin/stats'),
      root('GET', '/admin/audit'),
      root('POST', '/admin/users', { name: 'Bob' }),
      root('POST', '/admin/users/Alex/fish?gamemode=earth', { fish: [{ name: 'Cod', rarity: 1 }] }),
      root('POST', '/admin/users/Alex/reset', { type: 'fernet' }),
      root('POST', '/admin/admins', { username: 'boss2', password: 'boss-password', role: 'admin' }),
      root('DELETE', '/admin/users/Alex'),
    ]
    for (const answer of await Promise.all(responses)) await expectError(answer, 'storage_error')
    const used = service.calls.slice(before).filter((call) => !call.includes(STORE))
    expect(used).toEqual([])
    expect(await service.storage.items.getKeys()).toEqual(keys)
  })

  it('works again once the server detects its original store', async () => {
    const service = await createStartedService()
    const id = String(await service.storage.items.getItem(STORE))
    await service.storage.items.setItem(STORE, 'another one')
    await expect(service.app.verifyStore()).rejects.toMatchObject({ code: 'replaced' })
    await service.storage.items.setItem(STORE, id)
    await service.app.verifyStore()
    expect((await service.request(READ)).status).toBe(200)
  })
})

describe('a server whose store is replaced while it sends a collection', () => {
  /** Reads two records of 100,000 characters each. The store is replaced before the second record or after it. */
  async function readWhile(loseAt: 'between' | 'end') {
    const memory = createMemoryDriver()
    const lose = async () => {
      await wrapDriver(memory).items.setItem(STORE, 'another one')
      await expect(service.app.verifyStore()).rejects.toMatchObject({ code: 'replaced' })
    }
    const failing = createFailingStorage({
      ...memory,
      async *read() {
        yield [{ sequence: 0, id: 'a', count: 1, entries: JSON.stringify({ name: 'a'.repeat(100_000) }) }]
        if (loseAt === 'between') await lose()
        yield [{ sequence: 1, id: 'b', count: 1, entries: JSON.stringify({ name: 'b'.repeat(100_000) }) }]
        if (loseAt === 'end') await lose()
      },
    })
    const service = await createMemoryService({ ...UNLIMITED, storage: failing.storage })
    await service.app.checkSecrets()
    const response = await service.request(READ)
    let text = ''
    const decoder = new TextDecoder()
    const outcome = await (async () => {
      for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true })
      return 'complete'
    })().catch(() => 'broken off')
    return { status: response.status, outcome, isSecondSent: text.includes('bbb') }
  }

  it('sends no data from the new store, and aborts the response', async () => {
    expect(await readWhile('between')).toEqual({ status: 200, outcome: 'broken off', isSecondSent: false })
  })

  it('aborts the response even if all records are sent, since a normal end would tell the client that the data is valid', async () => {
    expect(await readWhile('end')).toMatchObject({ status: 200, outcome: 'broken off' })
  })
})

describe('the store id', () => {
  it('is identical for all servers that start at the same time', async () => {
    const storage = createMemoryStorage()
    const apps = Array.from({ length: 5 }, () => createApp({ ...OPTIONS, storage }))
    await Promise.all(apps.map((app) => app.checkSecrets()))
    const id = await storage.items.getItem(STORE)
    expect(id).toMatch(/^[A-Za-z0-9]{22}$/)
    await createApp({ ...OPTIONS, storage }).checkSecrets()
    expect(await storage.items.getItem(STORE)).toBe(id)
    for (const app of apps) expect((await app.fetch(new Request('http://service.test/readyz'))).status).toBe(200)
  })

  it('is not written if it already exists, so that a server can start on a full or read-only storage', async () => {
    const { storage, failAt } = createFailingStorage()
    await createApp({ ...OPTIONS, storage }).checkSecrets()
    failAt(/^(?:items\.)?(?:set|replace|remove)/)
    await createApp({ ...OPTIONS, storage }).checkSecrets()
  })

  it('is not read for each request', async () => {
    const service = await createStartedService()
    const token = await encryptToken(service, SALMON)
    const root = await asRoot(service)
    const before = service.calls.length
    expect((await post(service, 'fish', token)).status).toBe(201)
    expect((await service.request(READ)).status).toBe(200)
    expect((await service.request(READ, { headers: { 'x-api-key': service.alex.apiKey } })).status).toBe(200)
    expect((await root('GET', '/admin/users/Alex')).status).toBe(200)
    expect(service.calls.slice(before).filter((call) => call.includes(STORE))).toEqual([])
  })

  it('is not set if the start fails because of a wrong secret', async () => {
    const storage = createMemoryStorage()
    await createApp({ ...OPTIONS, storage }).checkSecrets()
    await storage.items.removeItem(STORE)
    const secrets = { ...OPTIONS.secrets, encryption: 'another secret' }
    await expect(createApp({ ...OPTIONS, secrets, storage }).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
    expect(await storage.items.getItem(STORE)).toBeNull()
  })
})
