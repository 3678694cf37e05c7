import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { PasswordHasher } from '../app/core/host.ts'
import { runInThread } from './run-in-thread.ts'

/** Cost parameters of scrypt. */
export interface ScryptCost {
  /** CPU and memory cost, a power of two. */
  readonly N: number
  /** Block size. */
  readonly r: number
  /** Parallelization. */
  readonly p: number
}

/** OWASP Password Storage Cheat Sheet: N = 2^17, r = 8, p = 1; 128 MiB per hash. */
const OWASP: ScryptCost = { N: 2 ** 17, r: 8, p: 1 }

/** The cost for random passwords, which no attacker can guess. Creating hundreds of players would take long otherwise. */
const RANDOM_N = 2 ** 14
const KEY_BYTES = 32
const SALT_BYTES = 16

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** A stored scrypt hash: the cost parameters, then a salt and a key in base64 (RFC 4648, section 4). */
const HASH = /^scrypt(?:\$[1-9]\d*){3}\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/

/** The maximum of N · r · p: 8 times the OWASP value. A more expensive hash would delay every login attempt. */
const MAX_COST = 2 ** 23

/**
 * A bcrypt hash of cost 4 to 14. Cost 14 is 16 times the work of the usual cost 10; a higher cost would delay logins.
 */
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/

/** Whether a text is a bcrypt hash. Migrated administrators have bcrypt hashes. */
export function isBcryptHash(text: string): boolean {
  return BCRYPT.test(text)
}

/** Compares in a separate thread, because the library is written in JavaScript and would block all other requests. */
function compareBcrypt(password: string, hash: string): Promise<boolean> {
  return runInThread('bcrypt-worker', { password, hash })
}

function isScryptCost({ N, r, p }: ScryptCost): boolean {
  return N > 1 && Number.isInteger(Math.log2(N)) && N * r * p <= MAX_COST
}

/**
 * Creates a hasher with scrypt, by default at the OWASP cost. Each hash uses 128 · N · r bytes of memory. The caller
 * limits the number of concurrent hashes.
 * @throws RangeError if N is not a power of two above 1, or N · r · p is above 2^23
 */
export function createScryptHasher(cost: ScryptCost = OWASP): PasswordHasher {
  if (!isScryptCost(cost)) throw new RangeError('N must be a power of two above 1, and N * r * p at most 2^23.')

  const randomN = Math.min(cost.N, RANDOM_N)

  function deriveKey(password: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
    return derive(password.normalize('NFKC'), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r })
  }

  return {
    async hash(password, { isRandom = false } = {}) {
      const salt = randomBytes(SALT_BYTES)
      const { N, r, p } = isRandom ? { ...cost, N: randomN } : cost
      const key = await deriveKey(password, salt, { N, r, p })
      return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$')
    },

    isOutdated: isBcryptHash,

    isCheap: (hash) => randomN < cost.N && hash.startsWith(`scrypt$${randomN}$`),

    async verify(password, hash) {
      if (isBcryptHash(hash)) return compareBcrypt(password, hash)
      const [, N, r, p, salt = '', key = ''] = hash.split('$')
      const ownCost = { N: Number(N), r: Number(r), p: Number(p) }
      if (!HASH.test(hash) || !isScryptCost(ownCost)) throw new Error('A stored password hash has an unknown form.')
      const derived = await deriveKey(password, Buffer.from(salt, 'base64'), ownCost)
      return timingSafeEqual(derived, Buffer.from(key, 'base64'))
    },
  }
}
