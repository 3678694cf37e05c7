import type { CreatedUser } from '@fish-crab/sdk/contract'
import type { AppOptions } from '@fish-crab/server/app'

/** What a test may ask of its service, whichever way it is reached. */
export interface WorldOptions
  extends Partial<
    Pick<AppOptions, 'rateLimit' | 'adminRateLimit' | 'masterApiKey' | 'allowedOrigins' | 'tokenTtlSeconds' | 'logger'>
  > {
  /** Unix milliseconds at the start. */
  readonly startAt?: number
}

/** One service of a test's own, with a clock that stands still until it is moved. */
export interface World {
  /** The seeded user. */
  readonly alex: CreatedUser
  /** The seeded superadmin. */
  readonly root: { readonly username: string; readonly password: string }
  now(): number
  advance(ms: number): void
  /** Sends a request. The header {@link ADDRESS_HEADER} says from which address. */
  request(path: string, init?: RequestInit): Promise<Response>
}

/** A way to reach a service: each call opens a new one. It goes with its test. */
export type Lane = (options?: WorldOptions) => Promise<World>

/** The secret that every lane signs sessions with. */
export const SESSION_SECRET = 'a session secret of a test, 32 bytes'

/** The request header that stands for the client's address in tests. */
export const ADDRESS_HEADER = 'x-test-address'

/** For tests that are not about the limit. */
export const UNLIMITED = { rateLimit: { requests: 1_000_000, windowMs: 300_000 } } as const

/** The headers that say a request comes from this address. */
export function from(address: string): RequestInit {
  return { headers: { [ADDRESS_HEADER]: address } }
}

/** The value of an `Authorization: Basic` header. */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
