import { inspect } from 'node:util'
import { createApp, createMemoryStorage, DecryptionError, type FishStorage } from '@fish-crab/server/app'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asRoot } from './administration.ts'
import { encryptToken, post, SALMON } from './catches.ts'
import { createMemoryService, plainPasswords } from './memory-service.ts'
import { basic, SESSION_SECRET, UNLIMITED } from './test-service.ts'

const [OLD, NEW, OTHER] = ['the old secret', 'the new secret', 'another secret']

function open(storage: FishStorage, encryption: string, ...previousEncryption: string[]) {
  return createApp({
    storage,
    secrets: { encryption, previousEncryption, session: SESSION_SECRET },
    passwords: plainPasswords,
    version: '0',
    clientAddress: () => '192.0.2.1',
  })
}

type App = ReturnType<typeof open>

const keyOf = (id: string) => `secret:${id}:fernet`

async function readKey(app: App, name: string) {
  const headers = { authorization: basic(name, `${name}-password`) }
  const response = await app.fetch(new Request('http://service.test/get/user/key', { headers }))
  return { status: response.status, ...((await response.json()) as { fernetKey?: string; code?: string }) }
}

const create = (app: App, name: string) => app.users.create({ name, password: `${name}-password` })

describe('a changed FISH_SECRET', () => {
  it('decrypts data that the previous secret encrypted, and encrypts new data', async () => {
    const storage = createMemoryStorage()
    const before = open(storage, OLD)
    await before.checkSecrets()
    const alex = await create(before, 'alex')
    const after = open(storage, NEW, OTHER, OLD)
    await after.checkSecrets()
    const bob = await create(after, 'bob')
    expect((await readKey(after, 'alex')).fernetKey).toBe(alex.fernetKey)
    expect((await readKey(after, 'bob')).fernetKey).toBe(bob.fernetKey)
    expect(await readKey(open(storage, NEW), 'alex')).toMatchObject({ status: 500, code: 'internal_error' })
    expect((await readKey(open(storage, NEW), 'bob')).fernetKey).toBe(bob.fernetKey)
  })

  it('prevents the start if the previous secret is not configured, and must stay configured after its first use', async () => {
    const storage = createMemoryStorage()
    await open(storage, OLD).checkSecrets()
    await expect(open(storage, NEW).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
    await open(storage, OLD, NEW).checkSecrets()
    await open(storage, OLD).checkSecrets()
    await open(storage, NEW, OLD).checkSecrets()
    await expect(open(storage, OLD).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
    await expect(open(storage, NEW).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
    await open(storage, OTHER, OLD, NEW).checkSecrets()
    await expect(open(storage, NEW, OLD).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
  })

  it('writes nothing if it prevents the start', async () => {
    const storage = createMemoryStorage()
    await open(storage, OLD).checkSecrets()
    const content = async () => storage.listItems({ base: 'setting:', limit: 9 })
    const before = await content()
    await open(storage, OTHER, NEW)
      .checkSecrets()
      .catch(() => {})
    expect(await content()).toEqual(before)
  })

  it('is refused even if the secret check is missing, since it cannot decrypt the stored keys', async () => {
    const storage = createMemoryStorage()
    const before = open(storage, OLD)
    await before.checkSecrets()
    const alex = await create(before, 'alex')
    await storage.items.removeItem('setting:secret-check')
    const keys = async () => (await storage.items.getKeys()).sort()
    const stored = await keys()
    await expect(open(storage, NEW).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
    expect(await keys()).toEqual(stored)
    const after = open(storage, OLD)
    await after.checkSecrets()
    expect((await readKey(after, 'alex')).fernetKey).toBe(alex.fernetKey)
    await expect(open(storage, NEW).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
  })

  it.each([
    ['creates a user', 'POST', '/admin/users', { name: 'bob' }, 201],
    ['resets a key', 'POST', '/admin/users/Alex/reset', { type: 'fernet' }, 200],
  ])(
    'requires the removed previous secret again if a server that still encrypts with this secret %s',
    async (_, method, path, body, status) => {
      const late = await createMemoryService({
        secrets: { encryption: OLD, previousEncryption: [NEW], session: SESSION_SECRET },
      })
      await late.app.checkSecrets()
      const rotated = createMemoryStorage()
      await open(rotated, NEW).checkSecrets()
      await late.storage.items.setItem(
        'setting:secret-check',
        (await rotated.items.getItem('setting:secret-check')) ?? '',
      )
      await open(late.storage, NEW).checkSecrets()

      expect((await (await asRoot(late))(method, path, body)).status).toBe(status)
      await expect(open(late.storage, NEW).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
      await open(late.storage, NEW, OLD).checkSecrets()
    },
  )

  it('prevents the start without the previous secret if a server used that secret to encrypt a key while a rotation ended', async () => {
    const inner = createMemoryStorage()
    const rotated = createMemoryStorage()
    await open(rotated, NEW).checkSecrets()
    const check = (await rotated.items.getItem('setting:secret-check')) ?? ''
    const setItem = async (key: string, value: string) => {
      await inner.items.setItem(key, value)
      if (key.endsWith(':fernet')) await inner.items.setItem('setting:secret-check', check)
    }
    const late = open({ ...inner, items: { ...inner.items, setItem } }, OLD, NEW)
    await late.checkSecrets()
    await create(late, 'alex')
    await expect(open(inner, NEW).checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
  })

  it('is added to the secret check only once if many servers start at the same time', async () => {
    const storage = createMemoryStorage()
    await open(storage, OLD).checkSecrets()
    await Promise.all(Array.from({ length: 6 }, () => open(storage, NEW, OLD).checkSecrets()))
    expect((await storage.items.getItem('setting:secret-check'))?.split(' ')).toHaveLength(2)
  })
})

describe('an encrypted key', () => {
  it('with any changed character causes status 500 and a log line', async () => {
    const lines: string[] = []
    const error = (fields: unknown, message: string) => void lines.push(`${inspect(fields, { depth: 9 })} ${message}`)
    const service = await createMemoryService({ ...UNLIMITED, logger: { info() {}, warn() {}, error } })
    const encrypted = String(await service.storage.items.getItem(keyOf(service.alex.id)))
    const headers = { authorization: basic('Alex', 'alex-password') }
    for (let at = 0; at < encrypted.length; at += 1) {
      const wrong = encrypted[at] === 'A' ? 'B' : 'A'
      await service.storage.items.setItem(
        keyOf(service.alex.id),
        encrypted.slice(0, at) + wrong + encrypted.slice(at + 1),
      )
      const response = await service.request('/get/user/key', { headers })
      expect([response.status, lines.length]).toEqual([500, at + 1])
    }
    expect(lines.join('\n')).toContain(`The key of ${service.alex.id} cannot be decrypted`)
    expect(lines.join('\n')).toContain('was encrypted with a secret that is neither')
    expect(lines.join('\n')).not.toContain(service.alex.fernetKey)
  })

  it.each(['', '.', 'v1', 'v1..', 'v1...', 'v3.a.b.c', 'v1.a.b.c.d', 'a b', '💥'])(
    'causes status 500 if it is stored as %j',
    async (text) => {
      const storage = createMemoryStorage()
      const app = open(storage, OLD)
      const alex = await create(app, 'alex')
      await storage.items.setItem(keyOf(alex.id), text)
      expect(await readKey(app, 'alex')).toMatchObject({ status: 500, code: 'internal_error' })
    },
  )

  it('of one user does not work for a different user, even right after the first user has used the key', async () => {
    const service = await createMemoryService(UNLIMITED)
    const token = await encryptToken(service, SALMON)
    expect((await post(service, 'fish', token)).status).toBe(201)
    const bob = await service.app.users.create({ name: 'Bob' })
    const encrypted = String(await service.storage.items.getItem(keyOf(service.alex.id)))
    await service.storage.items.setItem(keyOf(bob.id), encrypted)
    const headers = { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' }
    const stolen = await service.request('/post/fish?name=Bob', { method: 'POST', headers, body: token })
    expect(stolen.status).toBe(500)
    const read = await service.request('/get/fish?name=Bob&gamemode=earth')
    expect(await read.json()).toEqual({ user: 'Bob', fish: [] })
  })
})

describe('a key whose derivation failed', () => {
  it('is derived at the next use, without an unhandled rejection', async () => {
    const derive = vi.spyOn(crypto.subtle, 'importKey').mockRejectedValueOnce(new Error('out of memory'))
    onTestFinished(() => derive.mockRestore())
    const app = open(createMemoryStorage(), NEW)
    await expect(create(app, 'Alex')).rejects.toThrow('out of memory')
    await create(app, 'Alex')
    expect((await readKey(app, 'Alex')).status).toBe(200)
  })
})
