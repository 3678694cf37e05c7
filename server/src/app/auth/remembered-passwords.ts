import { boundedCache } from '../bounded-cache.ts'
import { lazy } from '../lazy.ts'

/** Passwords that fitted a stored hash a while ago: they need not be derived again to let the same person in. */
export interface RememberedPasswords {
  /** Whether this password was found to fit this hash in the last minutes. */
  has(password: string, hash: string): Promise<boolean>
  /** Notes that it fits. */
  add(password: string, hash: string): Promise<void>
}

const LIFE_MS = 600_000
const CAPACITY = 10_000

/**
 * Makes an empty memory. It holds keyed digests alone, of a key that never leaves this process. The stored hash is a
 * part of each, and is read with every attempt: after a reset, by whichever process, the old password finds nothing.
 * @param clock unix time in milliseconds
 */
export function createRememberedPasswords(clock: () => number): RememberedPasswords {
  const untilByDigest = boundedCache<string, number>(CAPACITY)
  const key = lazy(async () => crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']))

  async function digestOf(password: string, hash: string): Promise<string> {
    const text = new TextEncoder().encode(JSON.stringify([hash, password]))
    return String.fromCharCode(...new Uint8Array(await crypto.subtle.sign('HMAC', await key(), text)))
  }

  return {
    async has(password, hash) {
      const left = (untilByDigest.get(await digestOf(password, hash)) ?? 0) - clock()
      // A clock that was set back makes nothing last longer.
      return left > 0 && left <= LIFE_MS
    },
    async add(password, hash) {
      untilByDigest.set(await digestOf(password, hash), clock() + LIFE_MS)
    },
  }
}
