import type { Seed } from './seed.ts'
import type { MockLimits } from './service.ts'

/** Keys that belong to no user. */
export interface MockKeys {
  /** The master API key, which lifts the rate limit for whoever sends it. @default none */
  readonly master?: string
}

/** What {@link createMock} takes. */
export interface MockOptions {
  /** Users, their collections and administrators to start with. @default none */
  readonly seed?: Seed
  /**
   * Lets the clock stand still at a moment, in unix milliseconds: answers are then the same in every run. Without it,
   * the clock goes on with `clock`.
   */
  readonly startAt?: number | Date
  /**
   * Whether the clock jumps to the next wake-up whenever all clients of `mock.client` and all held back responses
   * sleep, so that nobody waits in real time: neither for the rate limit nor for a timeout.
   * @default false
   */
  readonly autoAdvance?: boolean
  /** The clock to follow. @default Date.now, looked up at each call, so that fake timers work */
  readonly clock?: { now(): number }
  readonly limits?: MockLimits
  readonly keys?: MockKeys
  /** Origins that are not limited, and whose pages may post. @default none */
  readonly allowedOrigins?: readonly string[]
  /** How many entries of `X-Forwarded-For`, from the right, proxies of one's own wrote. @default 0 */
  readonly trustProxy?: number
  /** Where handlers and `listen()` answer. @default one that no other world has, such as `http://fish-1a2b3c4d.test` */
  readonly origin?: string
}
