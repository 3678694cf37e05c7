import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
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

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** What `hash` makes, at any cost: a salt of 16 bytes and a key of 32 in base64 (RFC 4648, section 4). */
const HASH = /^scrypt(?:\$[1-9]\d*){3}\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/

/** Whether a text has the form of a hash that {@link createScryptHasher} makes. */
export function isScryptHash(text: string): boolean {
  return HASH.test(text)
}

/** Hashes passwords with scrypt. How many are hashed at once is up to the caller: each takes 128 · N · r bytes. */
export function createScryptHasher(cost: ScryptCost = OWASP): PasswordHasher {
  function deriveKey(password: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
    return derive(password.normalize('NFKC'), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r })
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
