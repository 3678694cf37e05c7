import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { HEADERS } from '@fish-crab/sdk/contract'
import { Failure } from '../app/http/failure.ts'
import type { PasswordHasher } from '../app/options.ts'

/** Cost of a hash. */
export interface ScryptCost {
  /** CPU and memory cost, a power of two. */
  readonly N: number
  readonly r: number
  readonly p: number
}

/** OWASP Password Storage Cheat Sheet: N = 2^17, r = 8, p = 1; 128 MiB a hash. */
const OWASP: ScryptCost = { N: 2 ** 17, r: 8, p: 1 }
const KEY_BYTES = 32
const SALT_BYTES = 16
const AT_ONCE = 2
const TOO_MANY = 'Too many logins at once. Please try again in a while.'
/** How many may wait for their turn: about half a minute's worth. */
const WAITING = 64

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * Hashes passwords with scrypt. At most two hashes are made at once, some others wait, and the rest is refused: a
 * flood of logins costs its senders time, not this process its memory.
 */
export function createScryptHasher(cost: ScryptCost = OWASP): PasswordHasher {
  const limit = semaphore(AT_ONCE)

  function deriveKey(password: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
    return limit(() => derive(password.normalize('NFKC'), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }))
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      const key = await deriveKey(password, salt, cost)
      return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), key.toString('base64')].join('$')
    },

    async verify(password, hash) {
      const [scheme, N, r, p, salt = '', key = ''] = hash.split('$')
      if (scheme !== 'scrypt') throw new Error('A stored password hash is of an unknown form.')
      const derived = await deriveKey(password, Buffer.from(salt, 'base64'), {
        N: Number(N),
        r: Number(r),
        p: Number(p),
      })
      return timingSafeEqual(derived, Buffer.from(key, 'base64'))
    },
  }
}

function semaphore(places: number): <Result>(task: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let free = places
  return async (task) => {
    if (free > 0) free -= 1
    else if (waiting.length >= WAITING)
      throw new Failure('unavailable', { message: TOO_MANY, headers: { [HEADERS.retryAfter]: '30' } })
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
