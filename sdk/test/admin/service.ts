import type { Clock } from '@fish-crab/sdk'
import { type AdminClientOptions, createAdminClient } from '@fish-crab/sdk/admin'
import { type AppOptions, createApp, createMemoryStorage } from '@fish-crab/server/app'

/** The first administrator, a superadmin. */
export const ROOT = { username: 'root', password: 'root-password' } as const
/** An administrator who is not a superadmin. */
export const HELPER = { username: 'helper', password: 'helper-password' } as const

const BASE_URL = 'http://fish.test'

/**
 * Intercepts a request before it reaches the service. If the function returns a response, the client gets this response
 * instead of the response from the service.
 */
type Intercept = (request: Request, send: () => Promise<Response>) => Promise<Response> | undefined

/** Creates a service for one test, with a clock, and with clients that call the service without a network. */
export async function createService({
  clientAheadMs = 0,
  saysDate = true,
  ...options
}: { clientAheadMs?: number; saysDate?: boolean } & Partial<AppOptions> = {}) {
  let now = Date.UTC(2026, 0, 1)
  let intercept: Intercept = () => undefined
  const sent: string[] = []
  const slept: number[] = []
  const app = createApp({
    storage: createMemoryStorage(),
    secrets: { encryption: 'an encryption secret of a test', session: 'a session secret of a test, 32 bytes' },
    passwords: {
      hash: async (password) => `plain$${password}`,
      verify: async (password, hash) => hash === `plain$${password}`,
    },
    version: '0.0.0-test',
    clientAddress: () => '192.0.2.1',
    clock: () => now,
    ...options,
  })
  const alex = await app.users.create({ name: 'Alex', password: 'alex-password' })
  await app.admins.create(ROOT.username, ROOT.password, 'superadmin')
  await app.admins.create(HELPER.username, HELPER.password, 'admin')

  async function fetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(url, init)
    sent.push(`${request.method} ${new URL(request.url).pathname}`)
    const send = async () => {
      const response = await app.fetch(request)
      const headers = new Headers(response.headers)
      if (saysDate) headers.set('date', new Date(now).toUTCString())
      const isEmpty = response.status === 204
      return new Response(isEmpty ? null : await response.arrayBuffer(), { status: response.status, headers })
    }
    return intercept(request, send) ?? send()
  }

  const clock: Clock = {
    now: () => now + clientAheadMs,
    sleep: async (ms) => {
      slept.push(ms)
      now += ms
    },
  }
  const shared = { baseUrl: BASE_URL, fetch: fetch as typeof globalThis.fetch, clock, random: () => 0, env: {} }
  return {
    app,
    alex,
    /** Every request so far, as method and path. */
    sent: sent as readonly string[],
    /** The duration of each wait of a client, in milliseconds. */
    slept: slept as readonly number[],
    advance(ms: number) {
      now += ms
    },
    /** Intercepts later requests between clients and service. */
    intercept(by: Intercept) {
      intercept = by
    },
    /** Creates a client, by default for {@link ROOT}. */
    admin: (given: AdminClientOptions = ROOT) => createAdminClient({ ...shared, ...given }),
  }
}

/** The number of logins among requests. */
export function logins(sent: readonly string[]): number {
  return sent.filter((line) => line === 'POST /admin/login').length
}

/** The error that a promise rejects with. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('The call did not fail.')
}
