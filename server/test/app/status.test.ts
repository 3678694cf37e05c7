import type { Status } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot } from './administration.ts'
import { countAll, encryptToken, post, SALMON, write } from './catches.ts'
import { expectError } from './errors.ts'
import { createFailingStorage, SECRET_CAUSE } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'
import { basic, UNLIMITED } from './test-service.ts'

async function createBrokenService() {
  const { storage, failAt } = createFailingStorage()
  return { ...(await createMemoryService({ ...UNLIMITED, storage })), failAt }
}

it('the status contains the public URL, if one is configured', async () => {
  const { request } = await createMemoryService({ publicUrl: 'https://fish.example' })
  expect(await (await request('/status')).json()).toMatchObject({ status: 'ok', publicUrl: 'https://fish.example' })
})

it.each([
  { set: undefined, listed: undefined },
  { set: ['oneblock', 'earth', 'survival', 'factions'], listed: undefined },
  { set: ['earth', 'oneblock', 'survival', 'factions'], listed: ['earth', 'oneblock', 'survival', 'factions'] },
  { set: ['earth', 'sky'], listed: ['earth', 'sky'] },
])('the status lists $listed if the operator sets the gamemodes $set', async ({ set, listed }) => {
  const { request } = await createMemoryService(set ? { gamemodes: set } : {})
  const { gamemodes } = (await (await request('/status')).json()) as Status
  expect(gamemodes).toEqual(listed)
})

describe('while the storage is unavailable', () => {
  it.each(['/status', '/v1/status/', '//status'])(
    '%s reports unavailable in the form of a status response',
    async (path) => {
      const service = await createBrokenService()
      service.failAt(/./)
      const response = await service.request(path, { headers: { origin: 'https://a.example' } })
      expect(response.status).toBe(503)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(await response.json()).toEqual({
        status: 'unavailable',
        timestamp: new Date(service.now()).toISOString(),
        version: '0.0.0-test',
        error: expect.stringMatching(/\w/),
        code: 'unavailable',
        requestId: response.headers.get('x-request-id'),
      })
    },
  )

  it('the readiness check fails, but the liveness check succeeds', async () => {
    const service = await createBrokenService()
    service.failAt(/./)
    await expectError(await service.request('/readyz'), 'unavailable')
    expect((await service.request('/livez')).status).toBe(200)
    expect((await service.request('/openapi.json')).status).toBe(200)
  })

  it('every endpoint works again as soon as the storage is back', async () => {
    const service = await createBrokenService()
    service.failAt(/./)
    await service.request('/status')
    service.failAt()
    expect((await service.request('/status')).status).toBe(200)
    expect((await service.request('/readyz')).status).toBe(200)
  })

  it.each([
    ['GET', '/get/fish?name=Alex&gamemode=earth'],
    ['GET', '/get/crab?name=Alex&gamemode=earth&limit=5'],
    ['GET', '/demo/fish'],
    ['GET', '/nowhere'],
    ['POST', '/post/fish?name=Alex'],
    ['GET', '/get/user/key'],
  ])('%s %s gets storage_error, and the response omits the cause', async (method, path) => {
    const service = await createBrokenService()
    service.failAt(/./)
    const response = await service.request(path, { method, headers: { authorization: basic('Alex', 'alex-password') } })
    expect(await response.clone().text()).not.toMatch(/ECONNREFUSED|hunter2|10\.9\.8\.7|node:net/)
    await expectError(response, 'storage_error')
  })

  it.each([/^append/, /^read/, /^items\.getItem user:/, /^items\.getItem secret:/, /^countInWindow public:/])(
    'if only %s fails, reads and writes either succeed or get storage_error, and the response omits the cause',
    async (operations) => {
      const service = await createBrokenService()
      const token = await encryptToken(service, SALMON)
      service.failAt(operations)
      for (const response of [
        await post(service, 'fish', token),
        await service.request('/get/fish?name=Alex&gamemode=earth'),
        await service.request('/get/fish?name=Alex&gamemode=earth&limit=1'),
      ]) {
        const text = await response.clone().text()
        for (const piece of SECRET_CAUSE.split(/\W+/)) if (piece.length > 4) expect(text).not.toContain(piece)
        if (response.status >= 400) await expectError(response, 'storage_error')
      }
    },
  )

  it('a failed write stores nothing, and its token can be stored later', async () => {
    const service = await createBrokenService()
    const token = await encryptToken(service, SALMON)
    service.failAt(/^append/)
    await expectError(await post(service, 'fish', token), 'storage_error')
    service.failAt()
    expect(await countAll(service)).toBe(0)
    expect((await post(service, 'fish', token)).status).toBe(201)
  })

  it('no user is created, and no password is reset', async () => {
    const service = await createBrokenService()
    const root = await asRoot(service)
    service.failAt(/^items\.setItem|^setItemIfAbsent/)
    await expectError(await root('POST', '/admin/users', { name: 'Bob' }), 'storage_error')
    await expectError(await root('POST', '/admin/users/Alex/reset', { type: 'password' }), 'storage_error')
    service.failAt()
    const headers = { authorization: basic('Alex', 'alex-password') }
    expect((await service.request('/get/user/key', { headers })).status).toBe(200)
    expect((await root('POST', '/admin/users', { name: 'Bob' })).status).toBe(201)
  })

  it('a user whose creation failed at any step can be created again', async () => {
    for (const step of [
      /^items\.setItem secret:\S+:login/,
      /secret:\S+:fernet/,
      /^items\.setItem api-key:/,
      /^setItemIfAbsent user:/,
    ]) {
      const service = await createBrokenService()
      const root = await asRoot(service)
      service.failAt(step)
      await expectError(await root('POST', '/admin/users', { name: 'Bob' }), 'storage_error')
      service.failAt()
      await expectError(await service.request('/get/fish?name=Bob&gamemode=earth'), 'user_not_found')
      expect((await root('POST', '/admin/users', { name: 'Bob' })).status).toBe(201)
    }
  })

  it('a deletion that failed at any step can be repeated', async () => {
    for (const step of [/^removeOwner/, /^items\.removeItem api-key:/, /^items\.removeItem secret:/, /^removeItemIf/]) {
      const service = await createBrokenService()
      const root = await asRoot(service)
      service.failAt(step)
      await expectError(await root('DELETE', '/admin/users/Alex'), 'storage_error')
      service.failAt()
      expect((await root('DELETE', '/admin/users/Alex')).status).toBe(204)
    }
  })
})

describe('a player whose deletion is interrupted', () => {
  it.each([/^removeOwner/, /^items\.removeItem secret:/, /^items\.removeItem removal:/])(
    'at %s is gone at once, and the next start removes the rest',
    async (step) => {
      const service = await createBrokenService()
      const root = await asRoot(service)
      expect((await write(service, 'fish', SALMON)).status).toBe(201)
      service.failAt(step)
      await expectError(await root('DELETE', '/admin/users/Alex'), 'storage_error')
      service.failAt()
      await expectError(await service.request('/get/fish?name=Alex&gamemode=earth'), 'user_not_found')
      const headers = { authorization: basic('Alex', 'alex-password') }
      await expectError(await service.request('/get/user/key', { headers }), 'invalid_credentials')
      expect((await root('POST', '/admin/users', { name: 'Alex' })).status).toBe(201)

      await service.app.finishRemovals()
      const { storage, alex } = service
      expect(await storage.items.getKeys('removal:')).toEqual([])
      expect((await storage.items.getKeys()).filter((key) => key.includes(alex.id))).toEqual([])
      expect((await storage.tallies()).map(({ count }) => count)).toEqual([])
      expect((await service.request('/get/fish?name=Alex&gamemode=earth')).status).toBe(200)
    },
  )
})

describe('a server that is stopping', () => {
  it('is not ready, but is alive and still responds', async () => {
    let accepting = true
    const service = await createMemoryService({ isAccepting: () => accepting })
    expect((await service.request('/readyz')).status).toBe(200)
    accepting = false
    await expectError(await service.request('/readyz'), 'unavailable')
    expect((await service.request('/livez')).status).toBe(200)
    expect((await service.request('/status')).status).toBe(200)
  })
})
