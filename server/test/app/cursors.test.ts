import { createApp, createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asRoot } from './administration.ts'
import { write } from './catches.ts'
import { expectError } from './errors.ts'
import { createMemoryService, plainPasswords } from './memory-service.ts'
import { SESSION_SECRET, UNLIMITED } from './test-service.ts'

const ENCRYPTION_SECRET = 'an encryption secret of a test'

/** A service, and a second service on the same storage, as after a restart. */
async function createRestarted(session: string) {
  const storage = createMemoryStorage()
  const service = await createMemoryService({ ...UNLIMITED, storage })
  const restarted = createApp({
    ...UNLIMITED,
    storage,
    secrets: { encryption: ENCRYPTION_SECRET, session },
    passwords: plainPasswords,
    version: '0.0.0-test',
    clientAddress: () => '192.0.2.1',
    clock: service.now,
  })
  const ask = (path: string, init?: RequestInit) => restarted.fetch(new Request(`http://service.test${path}`, init))
  return { service, ask }
}

const cursorOf = async (response: Response) => ((await response.json()) as { nextCursor?: string }).nextCursor ?? ''

describe('a cursor', () => {
  it('works after a restart with the same secret, and is refused after a restart with a different secret', async () => {
    for (const [session, status] of [
      [SESSION_SECRET, 200],
      ['another session secret of 32 bytes', 400],
    ] as const) {
      const { service, ask } = await createRestarted(session)
      await write(service, 'fish', { fish: [1, 2, 3].map((rarity) => ({ name: `fish ${rarity}`, rarity })) })
      const path = '/get/fish?name=Alex&gamemode=earth&limit=2'
      const cursor = await cursorOf(await service.request(path))
      expect((await ask(`${path}&cursor=${cursor}`)).status).toBe(status)
    }
  })

  it('from one listing for administrators is refused by all other listings', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    for (const name of ['Bob', 'Cleo', 'audit']) await admin('POST', '/admin/users', { name })
    const users = await cursorOf(await admin('GET', '/admin/users?limit=1'))
    const audit = await cursorOf(await admin('GET', '/admin/audit?limit=1'))
    expect((await admin('GET', `/admin/users?limit=1&cursor=${users}`)).status).toBe(200)
    expect((await admin('GET', `/admin/audit?limit=1&cursor=${audit}`)).status).toBe(200)
    await expectError(await admin('GET', `/admin/audit?limit=1&cursor=${users}`), 'invalid_query')
    await expectError(await admin('GET', `/admin/users?limit=1&cursor=${audit}`), 'invalid_query')
    await expectError(await admin('GET', `/admin/users?limit=1&cursor=x${users}`), 'invalid_query')
  })

  it('can be created even if the first derivation of its key failed', async () => {
    const service = await createMemoryService(UNLIMITED)
    await write(service, 'fish', { fish: [1, 2].map((rarity) => ({ name: `fish ${rarity}`, rarity })) })
    const derive = vi.spyOn(crypto.subtle, 'deriveKey').mockRejectedValueOnce(new Error('out of memory'))
    onTestFinished(() => derive.mockRestore())
    const path = '/get/fish?name=Alex&gamemode=earth&limit=1'
    expect((await service.request(path)).status).toBe(500)
    expect((await service.request(path)).status).toBe(200)
  })
})
