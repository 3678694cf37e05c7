import type { SendRequest } from '../context/transport.ts'
import type { CheckResult } from './results.ts'

/** The administrator that a run logs in as. */
export interface ConformanceAdministrator {
  readonly username: string
  readonly password: string
}

/** A user that a run acts as where it can make none of its own. Its collections keep what the checks write. */
export interface ConformanceUser {
  readonly name: string
  /** 32 bytes in base64. */
  readonly fernetKey: string
  /**
   * Its personal API key, which lifts the rate limit.
   * @default none: with no master API key either, checks are counted, and those that no longer fit are skipped
   */
  readonly apiKey?: string
  /** @default none: the checks of the key endpoint that need it are skipped */
  readonly password?: string
}

/** What `runConformance` takes. */
export interface ConformanceOptions {
  /**
   * Where the implementation is served, such as `http://127.0.0.1:8787`. A path is kept, a trailing slash is not. In a
   * page: the page's own origin. What administrators ask for, and most headers, no page of another origin may read.
   */
  readonly baseUrl: string
  /**
   * An administrator of it. A superadmin: what a mere `admin` cannot do is skipped, and users are not made, since an
   * `admin` could not remove them again. @default none: then `user` must be given
   */
  readonly admin?: ConformanceAdministrator
  /**
   * A user to act as without `admin`, for an implementation of the public endpoints alone. What concerns
   * administrators, and what takes a user of the run's own, is skipped. @default none
   */
  readonly user?: ConformanceUser
  /** The master API key. @default none: the checks of it are skipped */
  readonly masterApiKey?: string
  /** An origin that is configured as allowed. @default none: the checks of it are skipped */
  readonly allowedOrigin?: string
  /** The public rate limit, where it is not the usual one. @default 25 requests per 300 s */
  readonly rateLimit?: { readonly requests: number; readonly windowMs: number }
  /** Requests per administrator and window, where it is not the usual limit. @default 300 */
  readonly adminRequests?: number
  /** How requests are sent, one `Request` at a time. @default `globalThis.fetch`, looked up at each call */
  readonly fetch?: SendRequest
  /**
   * A `fetch` that reaches the service from a client address of its own, another one at each call.
   * @default none: what needs a second address is skipped
   */
  readonly otherClient?: () => SendRequest
  /** Longest wait for the rate limit's window to end, in milliseconds. @default 0: skip what would have to wait */
  readonly maxWaitMs?: number
  /** Waits, for a service whose clock is moved by hand. @default a timer */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Longest time for one answer, in milliseconds. @default 10,000 */
  readonly requestTimeoutMs?: number
  /** Longest time for the whole run, in milliseconds, without `maxWaitMs`. @default 300,000 */
  readonly deadlineMs?: number
  /** Ends the run early. What it made is removed first; then the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Only these checks, by id or section. @default all */
  readonly only?: readonly string[]
  /** Not these checks, by id or section; they are reported as skipped. @default none */
  readonly skip?: readonly string[]
  /** Called with each result as it comes. */
  readonly onResult?: (result: CheckResult) => void
}
