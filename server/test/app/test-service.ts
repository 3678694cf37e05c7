import type { CreatedUser } from '@fish-crab/sdk/contract'
import type { AppOptions } from '@fish-crab/server/app'

/** The options of a test service, for any storage and transport. */
export interface TestServiceOptions
  extends Partial<
    Pick<
      AppOptions,
      'gamemodes' | 'rateLimit' | 'adminRateLimit' | 'masterApiKey' | 'allowedOrigins' | 'tokenTtlSeconds' | 'logger'
    >
  > {
  /** The initial time of the clock in Unix milliseconds. */
  readonly startAt?: number
}

/** The service of one test. Only the test advances the clock of the service. */
export interface TestService {
  /** The seeded user. */
  readonly alex: CreatedUser
  /** The seeded superadmin. */
  readonly root: { readonly username: string; readonly password: string }
  now(): number
  advance(ms: number): void
  /** Sends a request. The header {@link ADDRESS_HEADER} contains the address of the client. */
  request(path: string, init?: RequestInit): Promise<Response>
}

/** Opens a new service, which closes when the test ends. */
export type OpenService = (options?: TestServiceOptions) => Promise<TestService>

/** The secret that signs the sessions of every test service. */
export const SESSION_SECRET = 'a session secret of a test, 32 bytes'

/** The request header that contains the client address in tests. */
export const ADDRESS_HEADER = 'x-test-address'

/** A rate limit that is high enough for tests of other behaviour. */
export const UNLIMITED = { rateLimit: { requests: 1_000_000, windowMs: 300_000 } } as const

/** The headers of a request from a client with this address. */
export function from(address: string): RequestInit {
  return { headers: { [ADDRESS_HEADER]: address } }
}

/** The value of an `Authorization: Basic` header. */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
