import type { ServiceConfiguration } from '../context/context.ts'
import type { SendRequest } from '../context/send.ts'
import type { CheckResult } from './report.ts'

/** The credentials of an administrator. */
export interface ConformanceAdministrator {
  readonly username: string
  readonly password: string
}

/** Options of `runConformance`. */
export interface ConformanceOptions extends ServiceConfiguration {
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
  /** Longest time for one response, in milliseconds. @default 10,000 */
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
