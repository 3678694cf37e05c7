import { decodeBase64Url, encodeBase64Url } from './base64url.ts'
import { FernetError } from './errors.ts'
import type { Bytes, PlatformKey, PreparePlatformKey } from './key.ts'
import { decodeKey } from './key-text.ts'
import { IV_BYTES, signToken, splitToken, type TokenParts, tokenBody } from './token.ts'
import { isWithinTtl, unixSeconds } from './ttl.ts'
import type { DecryptedToken, DecryptOptions, EncryptOptions, Fernet, FernetOptions } from './types.ts'

/** `createFernet` on a given platform. */
export function fernetWith(
  prepare: PreparePlatformKey,
  keys: string | readonly string[],
  { now: clock = Date.now }: FernetOptions = {},
): Fernet {
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [keys]
  const [first, ...others] = list.map((key) => lazyKey(prepare, decodeKey(key)))
  if (first === undefined) throw new FernetError('invalid_key')

  async function findKey({ signed, mac }: TokenParts): Promise<PlatformKey | undefined> {
    for (const ready of [first, ...others]) {
      const key = await ready?.()
      if (await key?.verify(signed, mac)) return key
    }
    return undefined
  }

  return {
    async encrypt(message: Uint8Array | string, options: EncryptOptions = {}): Promise<string> {
      const plain = bytesOf(message)
      const iv = ivFrom(options.iv)
      const timestamp = unixSeconds(options.now ?? clock())
      const key = await first()
      const body = tokenBody(timestamp, iv, await key.encrypt(iv, plain))
      return encodeBase64Url(signToken(body, await key.sign(body)))
    },

    async decrypt(token: string | Uint8Array, options: DecryptOptions = {}): Promise<DecryptedToken> {
      const raw = typeof token === 'string' ? decodeBase64Url(token) : new Uint8Array(token)
      const parts = raw && splitToken(raw)
      // Judged early, so that a wrong option fails on every token, but told only about authentic ones.
      const fresh = isFresh(parts?.timestamp ?? 0n, options, clock)
      const key = parts && (await findKey(parts))
      if (key && !fresh) throw new FernetError('token_expired')
      const message = key && (await key.decrypt(parts.iv, parts.ciphertext))
      // The only place that refuses a token: not even a stack tells one reason from another.
      if (!message) throw new FernetError('invalid_token')
      return { message, timestamp: parts.timestamp, mac: parts.mac }
    },
  }
}

function isFresh(timestamp: bigint, { ttlSeconds, now }: DecryptOptions, clock: () => number): boolean {
  return ttlSeconds === undefined || isWithinTtl(timestamp, { ttlSeconds, now: now ?? clock() })
}

/** Prepares a key at its first use and keeps it: importing a key costs more than using it. */
function lazyKey(prepare: PreparePlatformKey, bytes: Bytes): () => PlatformKey | Promise<PlatformKey> {
  let prepared: PlatformKey | Promise<PlatformKey> | undefined
  return async () => {
    try {
      prepared ??= prepare(bytes)
      return await prepared
    } catch (error) {
      // What the platform refuses now it may grant at the next use.
      prepared = undefined
      throw error
    }
  }
}

/** A copy, since the caller may change its bytes while they are worked on. */
function bytesOf(message: Uint8Array | string): Bytes {
  return typeof message === 'string' ? new TextEncoder().encode(message) : new Uint8Array(message)
}

function ivFrom(given: Uint8Array | undefined): Bytes {
  if (given === undefined) return globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES))
  if (given.length !== IV_BYTES) throw new RangeError(`iv must be ${IV_BYTES} bytes long.`)
  return new Uint8Array(given)
}
