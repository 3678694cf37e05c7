import type { CreatedUser } from '@fish-crab/sdk/contract'
import { createNodeEncoder } from '@fish-crab/server'
import { type AppOptions, createApp, createMemoryStorage, type PasswordHasher } from '@fish-crab/server/app'
import { ADDRESS_HEADER, SESSION_SECRET, type TestServiceOptions } from './test-service.ts'

/** A hasher that stores passwords unhashed, since tests of the app do not depend on the cost of a hash. */
export const plainPasswords: PasswordHasher = {
  hash: async (password) => `plain$${password}`,
  verify: async (password, hash) => hash === `plain$${password}`,
}

/** Creates a hasher that runs a step before each hash. By default, there is no step. */
export function createSteppedPasswords() {
  let step: (password: string) => Promise<unknown> = async () => {}
  const passwords: PasswordHasher = {
    ...plainPasswords,
    async hash(password) {
      await step(password)
      return plainPasswords.hash(password)
    },
  }
  return {
    passwords,
    beforeHash(next: typeof step) {
      step = next
    },
  }
}

const ROOT = { username: 'root', password: 'root-password' } as const

/**
 * Opens a service on a memory storage. Tests call the service through `app.fetch`, and can pass options of `createApp`.
 */
export async function createMemoryService({
  startAt = Date.UTC(2026, 0, 1),
  ...overrides
}: TestServiceOptions & Partial<AppOptions> = {}) {
  let now = startAt
  const storage = overrides.storage ?? createMemoryStorage()
  const app = createApp({
    secrets: { encryption: 'an encryption secret of a test', session: SESSION_SECRET },
    passwords: plainPasswords,
    version: '0.0.0-test',
    clientAddress: (request) => request.headers.get(ADDRESS_HEADER) || '192.0.2.1',
    clock: () => now,
    contentEncoder: createNodeEncoder(),
    ...overrides,
    storage,
  })
  const alex: CreatedUser = await app.users.create({ name: 'Alex', password: 'alex-password' })
  await app.admins.create(ROOT.username, ROOT.password, 'superadmin')
  return {
    app,
    storage,
    alex,
    root: ROOT,
    now: () => now,
    advance(ms: number) {
      now += ms
    },
    request(path: string, init?: RequestInit) {
      return app.fetch(new Request(`http://service.test${path}`, init))
    },
  }
}
