import { createMemoryStorage } from '@fish-crab/server/app'
import { createStorage, type FishStorage, wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeWithRedis, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { newFolder } from '../storage/folders.ts'
import { type AsAdmin, asRoot, create } from './administration.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

const TYPES = ['password', 'fernet', 'api-key'] as const
const TIMES = 50
const ADMIN_LIMIT = { adminRateLimit: UNLIMITED.rateLimit }

async function worldOn(storage: FishStorage) {
  const service = await createMemoryService({ ...UNLIMITED, ...ADMIN_LIMIT, storage })
  return { ...service, admin: await asRoot(service) }
}

/** The storage keys of all users and their secrets, in order. */
async function secretsIn(storage: FishStorage): Promise<string[]> {
  const pages = ['secret:', 'api-key:', 'user-name:', 'user:'].map((base) => storage.listItems({ base, limit: 10_000 }))
  return (await Promise.all(pages)).flatMap(({ items }) => items.map(({ key }) => key))
}

const reset = (admin: AsAdmin, name: string, type: string) => admin('POST', `/admin/users/${name}/reset`, { type })

/** Deletes users while their secrets are reset, and expects no remaining secrets. */
async function race(storage: FishStorage): Promise<void> {
  const { admin } = await worldOn(storage)
  const before = await secretsIn(storage)
  for (let round = 0; round < TIMES; round += 1) {
    const name = `user-${round}`
    await create(admin, name)
    // A request takes several turns of the event loop. Each round starts the deletion after a different number of
    // turns.
    const late = async () => {
      for (let step = 0; step < round % 12; step += 1) await new Promise(setImmediate)
      return admin('DELETE', `/admin/users/${name}`)
    }
    const [deleted, ...resets] = await Promise.all([late(), ...TYPES.map((type) => reset(admin, name, type))])
    expect(deleted?.status).toBe(204)
    for (const response of resets) {
      if (response.status !== 200) await expectError(response, 'user_not_found')
    }
  }
  expect(await secretsIn(storage)).toEqual(before)
}

describe('a concurrent reset and deletion of a user leave no secrets behind', () => {
  it('in memory storage', () => race(createMemoryStorage()))

  it('in file storage', async () => {
    const storage = await createStorage({ driver: 'file', path: newFolder() })
    onTestFinished(() => storage.dispose())
    await race(storage)
  })

  describeWithRedis('with a Redis server', () => {
    it('in Redis storage', async () => {
      const redis = await startRedis()
      onTestFinished(redis.stop)
      const storage = await createStorage({ driver: 'redis', url: redis.url })
      onTestFinished(() => storage.dispose())
      await race(storage)
    })
  })

  it('even if the deletion runs between any two steps of the reset', async () => {
    for (const type of TYPES) {
      for (let step = 1; step <= 12; step += 1) {
        const memory = createMemoryDriver()
        let isArmed = false
        let left = step
        let removal: (() => Promise<unknown>) | undefined
        const before = async () => {
          if (!isArmed) return
          left -= 1
          if (left !== 0) return
          isArmed = false
          await removal?.()
        }
        const stepwise = new Proxy(memory, {
          get(object, name) {
            const value: unknown = Reflect.get(object, name)
            if (typeof value !== 'function') return value
            return (...args: unknown[]) => before().then(() => value.apply(object, args))
          },
        })
        const { admin, app } = await worldOn(wrapDriver(stepwise))
        removal = () => admin('DELETE', '/admin/users/Alex')
        isArmed = true
        const response = await reset(admin, 'Alex', type)
        if (isArmed) break
        if (response.status !== 200) await expectError(response, 'user_not_found')
        expect([type, step, await secretsIn(wrapDriver(memory))]).toEqual([type, step, []])
        expect(await app.users.find('Alex')).toBeUndefined()
      }
    }
  })
})

describe('a reset of an API key that failed at the step', () => {
  const STEPS = [
    /^items\.setItem api-key:/,
    /^items\.removeItem api-key:/,
    /^replaceItemIf secret:/,
    /^items\.getItem secret:/,
  ]

  it.each(STEPS)('%s leaves exactly one working key after a successful retry', async (step) => {
    const { storage, failAt } = createFailingStorage()
    const { admin, app, alex } = await worldOn(storage)
    failAt(step)
    await expectError(await reset(admin, 'Alex', 'api-key'), 'storage_error')
    failAt()
    const again = (await (await reset(admin, 'Alex', 'api-key')).json()) as { apiKey: string }
    expect(await app.users.find('Alex')).toMatchObject({ id: alex.id })
    expect((await storage.listItems({ base: 'api-key:', limit: 9 })).items).toHaveLength(1)
    expect(again.apiKey).not.toBe(alex.apiKey)
  })

  it.each(STEPS)('%s leaves no secrets after the deletion of the user', async (step) => {
    const { storage, failAt } = createFailingStorage()
    const { admin } = await worldOn(storage)
    failAt(step)
    await expectError(await reset(admin, 'Alex', 'api-key'), 'storage_error')
    failAt()
    expect((await admin('DELETE', '/admin/users/Alex')).status).toBe(204)
    expect(await secretsIn(storage)).toEqual([])
  })
})

describe('concurrent resets of one secret', () => {
  it.each(TYPES)('(%s) all succeed, and exactly one new secret is valid', async (type) => {
    const storage = createMemoryStorage()
    const { admin, alex, request } = await worldOn(storage)
    const responses = await Promise.all(Array.from({ length: 8 }, () => reset(admin, 'Alex', type)))
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await storage.listItems({ base: 'api-key:', limit: 9 })).items).toHaveLength(1)
    expect((await storage.listItems({ base: 'secret:', limit: 9 })).items).toHaveLength(2)
    if (type !== 'api-key') return
    const keys = await Promise.all(responses.map(async (one) => ((await one.json()) as { apiKey: string }).apiKey))
    const bypassed = await Promise.all(
      [alex.apiKey, ...keys].map(async (key) => {
        const { headers } = await request('/status', { headers: { 'x-api-key': key } })
        return !headers.has('x-ratelimit-limit')
      }),
    )
    expect(bypassed.filter(Boolean)).toHaveLength(1)
    expect(bypassed[0]).toBe(false)
  })
})
