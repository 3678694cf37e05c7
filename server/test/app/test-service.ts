import type { CreatedUser } from '@fish-crab/sdk/contract'
import type { AppOptions } from '@fish-crab/server/app'

/** Options of a test service, whatever its storage and transport. */
export interface TestServiceOptions
  extends Partial<
    Pick<
      AppOptions,
      'gamemodes' | 'rateLimit' | 'adminRateLimit' | 'masterApiKey' | 'allowedOrigins' | 'tokenTtlSeconds' | 'logger'
    >
  > {
  /** Unix milliseconds at the start. */
  readonly startAt?: number
}

/** The service of one test. Only the test advances its clock. */
export interface TestService {
  /** The seeded user. */
  readonly alex: CreatedUser
  /** The seeded superadmin. */
  readonly root: { readonly username: string; readonly password: string }
  now(): number
  advance(ms: number): void
  /** Sends a request. The header {@link ADDRESS_HEADER} is the address of the client. */
  request(path: string, init?: RequestInit): Promise<Response>
}

/** Opens a new service, which is closed when its test ends. */
export type OpenService = (options?: TestServiceOptions) => Promise<TestService>

/** The secret with which every test service signs sessions. */
export const SESSION_SECRET = 'a session secret of a test, 32 bytes'

/** The request header that stands for the client's address in tests. */
export const ADDRESS_HEADER = 'x-test-address'

/** A limit that tests of other behaviour do not reach. */
export const UNLIMITED = { rateLimit: { requests: 1_000_000, windowMs: 300_000 } } as const

/** The headers of a request from this address. */
export function from(address: string): RequestInit {
  return { headers: { [ADDRESS_HEADER]: address } }
}

/** The value of an `Authorization: Basic` header. */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
