import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeWithRedis } from '../../../../scripts/test-support/redis-server.ts'
import { asRoot, create } from '../administration.ts'
import { listed, SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { basic } from '../test-service.ts'
import { type RedisServices, startRedisServices } from './stored-services.ts'

describeWithRedis('a service on a full Redis', () => {
  let services: RedisServices
  beforeAll(async () => {
    services = await startRedisServices()
  })
  afterAll(() => services.server.stop())

  it('refuses new catches and users, but still serves reads, logins, resets and deletions, and counts requests', async () => {
    const { server, open } = services
    const service = await open()
    const before = await asRoot(service)
    const bea = await create(before, 'Bea')
    expect((await write(service, 'fish', SALMON)).status).toBe(201)
    await server.admin.config('SET', 'maxmemory', '1')
    onTestFinished(async () => void (await server.admin.config('SET', 'maxmemory', '0')))

    await expectError(await write(service, 'fish', SALMON), 'storage_full')
    const admin = await asRoot(service)
    await expectError(await admin('POST', '/admin/users', { name: 'Carl' }), 'storage_full')
    expect((await admin('GET', '/admin/users/Carl')).status).toBe(404)
    expect(await listed(service)).toHaveLength(1)
    const key = () => service.request('/get/user/key', { headers: { authorization: basic('Bea', bea.password) } })
    expect((await key()).status).toBe(200)
    expect((await admin('POST', '/admin/users/Bea/reset', { type: 'fernet' })).status).toBe(200)
    expect((await admin('DELETE', '/admin/users/Bea')).status).toBe(204)
    expect((await key()).status).toBe(401)
    const counted = await service.request('/demo/fish')
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('19')
    const { error } = await expectError(await service.request('/readyz'), 'unavailable')
    expect(error).toContain('full')
  })
})
