import type { ConformanceOptions, SendRequest } from '@fish-crab/mocks/conformance'
import { createApp, createMemoryStorage, createPlatformEncoder, type PasswordHasher } from '@fish-crab/server/app'
import type { FishStorage } from '@fish-crab/server/storage'

const plainPasswords: PasswordHasher = {
  hash: async (password) => password,
  verify: async (password, hash) => password === hash,
}

export const ADMIN = { username: 'root', password: 'canary-root-password' } as const
export const MASTER = 'canary-master-key-of-a-test'
export const ORIGIN = 'https://allowed.example'
/** The request header that simulates the address of a client. */
export const ADDRESS_HEADER = 'x-test-address'
export const BASE_URL = 'http://service.test'

/** The checks for the metrics and the reference page, which an app without a Node server does not serve. */
export const NOT_IN_PROCESS = ['operations-metrics', 'operations-docs'] as const

/** Options of {@link openDirect}. */
export interface DirectSettings {
  readonly rateLimit?: { readonly requests: number; readonly windowMs: number }
  readonly role?: 'admin' | 'superadmin'
  readonly gamemodes?: readonly string[]
  readonly storage?: FishStorage
  /** Wraps the `fetch` of the app, to observe or change requests and responses. */
  readonly around?: (send: SendRequest) => SendRequest
}

/**
 * Opens a service in the current process, and returns the options of a run against the service. Each wait of the run
 * advances the clock of the service.
 */
export async function openDirect({
  rateLimit,
  role = 'superadmin',
  gamemodes,
  storage = createMemoryStorage(),
  around = (send) => send,
}: DirectSettings = {}) {
  let now = Date.UTC(2026, 0, 1, 12)
  let addresses = 0
  const app = createApp({
    storage,
    secrets: { encryption: 'an encryption secret of a test', session: 'a session secret of a test, 32 bytes' },
    passwords: plainPasswords,
    version: '0.0.0-test',
    clientAddress: ({ headers }) => headers.get(ADDRESS_HEADER) ?? '192.0.2.1',
    clock: () => now,
    contentEncoder: createPlatformEncoder(['gzip', 'br']),
    publicLeaderboard: true,
    publicUrl: 'https://fish.example.org',
    masterApiKey: MASTER,
    allowedOrigins: ['https://first.example', ORIGIN],
    ...(gamemodes ? { gamemodes } : {}),
    ...(rateLimit ? { rateLimit } : {}),
  })
  await app.admins.create(ADMIN.username, ADMIN.password, role)
  const requests: Request[] = []
  const from = (client: string) =>
    around((request) => {
      requests.push(request)
      request.headers.set(ADDRESS_HEADER, client)
      return app.fetch(request)
    })
  const options: ConformanceOptions = {
    baseUrl: BASE_URL,
    admin: ADMIN,
    masterApiKey: MASTER,
    allowedOrigin: ORIGIN,
    fetch: from('192.0.2.1'),
    otherClient: () => {
      addresses += 1
      return from(`198.51.100.${addresses}`)
    },
    maxWaitMs: 300_100,
    wait: async (milliseconds) => {
      now += milliseconds
    },
    skip: NOT_IN_PROCESS,
    ...(rateLimit ? { rateLimit } : {}),
  }
  return {
    app,
    options,
    /** All requests that the service has received. */
    requests,
    /** Returns the names of all users and administrators. */
    async accounts() {
      const json = { 'content-type': 'application/json' }
      const request = async (path: string, init?: RequestInit) =>
        (await (await app.fetch(new Request(`${BASE_URL}${path}`, init))).json()) as Record<string, unknown>
      const { token } = await request('/admin/login', { method: 'POST', headers: json, body: JSON.stringify(ADMIN) })
      const headers = { authorization: `Bearer ${token}` }
      const { users } = (await request('/admin/users?limit=1000', { headers })) as { users: { name: string }[] }
      const { admins } = (await request('/admin/admins', { headers })) as { admins: { username: string }[] }
      return { users: users.map(({ name }) => name), admins: admins.map(({ username }) => username) }
    },
  }
}
