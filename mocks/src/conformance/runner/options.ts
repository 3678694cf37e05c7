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
   * The base URL of the implementation, such as `http://127.0.0.1:8787`, with or without a path. In a page, the base
   * URL must have the origin of the page, since CORS hides admin endpoints and most headers from pages of other
   * origins.
   */
  readonly baseUrl: string
  /**
   * An administrator of the implementation, preferably a superadmin. If the administrator has only the role `admin`,
   * the run creates no users, because the run could not remove users, and skips checks that need new users. @default
   * none: `user` is required
   */
  readonly admin?: ConformanceAdministrator
  /** Sends requests. @default `globalThis.fetch`, looked up at each call */
  readonly fetch?: SendRequest
  /**
   * Returns a `fetch` that sends from another client address. Each call returns a `fetch` with a new address.
   * @default none: checks that need a second address are skipped
   */
  readonly otherClient?: () => SendRequest
  /** Maximum wait for the end of the rate-limit window, in milliseconds. @default 0: checks that must wait are skipped */
  readonly maxWaitMs?: number
  /** Replaces the timer for waits, for a service with a mocked clock. @default a timer */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Timeout of a request, in milliseconds. @default 10,000 */
  readonly requestTimeoutMs?: number
  /** Deadline of the run, in milliseconds, to which `maxWaitMs` is added. @default 300,000 */
  readonly deadlineMs?: number
  /** Aborts the run, which then removes its accounts and rejects with the reason of the signal. */
  readonly signal?: AbortSignal
  /** Ids or sections of the checks to run. @default all */
  readonly only?: readonly string[]
  /** Ids or sections of checks to report as skipped. @default none */
  readonly skip?: readonly string[]
  /** Called after each check. */
  readonly onResult?: (result: CheckResult) => void
}
