import { LIMITS } from '../contract/limits.ts'
import type { Session } from '../contract/schemas/admin.ts'
import { AuthenticationError, RateLimitError } from '../errors/api-errors.ts'

/** A session as the client holds it. */
export interface HeldSession {
  readonly token: string
  /** When to open the next one, in this client's milliseconds; `undefined` when only the server knows. */
  readonly renewAt: number | undefined
}

const MARGIN_MS = 60_000
const LARGEST_MARGIN_SHARE = 0.1

/**
 * When a session is to be renewed. Its life is the time from the answer's own `Date` to `expiresAt`, two moments of the
 * same clock; a wrong clock here does no harm. It is renewed a minute before its end, or a tenth of its life if that is
 * less. An answer that makes no sense (over before it began) leaves it to the server to say when it is over: anything
 * else would log in before each call.
 *
 * @param date The answer's `Date` header.
 * @param now Milliseconds here when the login was sent; since 1970, which counts when the answer has no `Date`.
 */
export function holdSession({ token, expiresAt }: Session, date: string | null, now: number): HeldSession {
  const serverNow = Date.parse(date ?? '')
  const lifeMs = Date.parse(expiresAt) - (Number.isNaN(serverNow) ? now : serverNow)
  if (!(lifeMs > 0)) return { token, renewAt: undefined }
  return { token, renewAt: now + lifeMs - Math.min(MARGIN_MS, lifeMs * LARGEST_MARGIN_SHARE) }
}

/** Whether another session is to be opened before this one is used again. */
export function isDue({ renewAt }: HeldSession, now: number): boolean {
  return renewAt !== undefined && now >= renewAt
}

/**
 * Until when a login that failed so is not tried again unasked. The server counts failed logins by address and name, so
 * one wrong password in a loop would lock out the administrator, and in the end everybody who shares the address.
 * `undefined`: try again.
 */
export function blockedUntil(error: unknown, now: number): number | undefined {
  if (error instanceof RateLimitError) return now + error.retryAfterMs
  if (error instanceof AuthenticationError) return now + LIMITS.failedLoginWindowSeconds * 1000
  return undefined
}
