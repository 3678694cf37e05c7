import { createApp, type AppOptions, createMemoryStorage, type PasswordHasher } from '@fish-crab/server/app'
import type { CreatedUser } from '@fish-crab/sdk/contract'

/** Hashes nothing: tests of the app are not about the cost of a hash. */
const plainPasswords: PasswordHasher = {
  hash: async (password) => `plain$${password}`,
  verify: async (password, hash) => hash === `plain$${password}`,
}

/** What a test may change about its service. */
export interface WorldOptions extends Partial<AppOptions> {
  /** Unix milliseconds at the start. */
  readonly startAt?: number
}

/** One service of a test's own, with a clock that stands still until it is moved. */
export async function createWorld({ startAt = Date.UTC(2026, 0, 1), ...overrides }: WorldOptions = {}) {
  let now = startAt
  const storage = overrides.storage ?? createMemoryStorage()
  const app = createApp({
    secrets: { seal: 'a seal secret of a test', session: 'a session secret of a test' },
    passwords: plainPasswords,
    version: '0.0.0-test',
    clientAddress: (request) => request.headers.get('x-test-address') ?? '192.0.2.1',
    clock: () => now,
    ...overrides,
    storage,
  })
  const alex: CreatedUser = await app.users.create({ name: 'Alex', password: 'alex-password' })
  await app.admins.create('root', 'root-password', 'superadmin')
  return {
    app,
    storage,
    alex,
    now: () => now,
    advance(ms: number) {
      now += ms
    },
    request(path: string, init?: RequestInit) {
      return app.fetch(new Request(new URL(path, 'http://service.test'), init))
    },
  }
}

/** The service of one test. */
export type World = Awaited<ReturnType<typeof createWorld>>

/** The value of an `Authorization: Basic` header. */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
