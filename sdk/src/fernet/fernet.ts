import { ValidationError } from '../errors/fish-crab-error.ts'
import { fernetError } from './errors.ts'
import { type Bytes, joined, type PlatformKey, type PreparePlatformKey } from './platform-key.ts'
import { decodeBase64Url, encodeBase64Url, IV_BYTES, splitToken, type TokenParts, tokenBody } from './token.ts'

/** Options of `createFernet`. */
export interface FernetOptions {
  /** Returns the current time in Unix milliseconds, for calls without `now`. @default Date.now */
  readonly now?: () => number
}

/** Options of `encrypt`. */
export interface EncryptOptions {
  /**
   * The creation time in Unix milliseconds. The token contains this time unencrypted, in whole seconds. @default the
   * clock
   */
  readonly now?: number
  /**
   * The initialization vector, 16 bytes. Set `iv` only in tests, because reusing an `iv` reveals which messages are
   * equal.
   * @default random
   */
  readonly iv?: Uint8Array
}

/** Options of `decrypt`. */
export interface DecryptOptions {
  /**
   * Maximum age in whole seconds, 0 or more. With `ttlSeconds`, tokens that are more than 60 s ahead of the clock are
   * also rejected. @default any age
   */
  readonly ttlSeconds?: number
  /** The current time in Unix milliseconds. `decrypt` ignores `now` without `ttlSeconds`. @default the clock */
  readonly now?: number
}

/** The content of an authentic token. */
export interface DecryptedToken {
  /** The bytes of the message. Text is encoded as UTF-8. */
  readonly message: Uint8Array
  /** Creation time by the sender's clock, in unix seconds: unsigned 64 bits. */
  readonly timestamp: bigint
  /** The HMAC-SHA256 of the token, 32 bytes, which identifies the token in every encoding. */
  readonly mac: Uint8Array
}

/** Encrypts and decrypts Fernet tokens with one key or several. See `createFernet`. */
export interface Fernet {
  /**
   * Encrypts bytes, or text as UTF-8, with the first key. The message may be empty.
   *
   * @returns The token in URL-safe base64 with padding.
   * @throws RangeError when `iv` is not 16 bytes or `now` is before 1970; ValidationError for an unknown option.
   * @example
   * await fernet.encrypt('{"fish":"Salmon","rarity":3}')
   */
  encrypt(message: Uint8Array | string, options?: EncryptOptions): Promise<string>
  /**
   * Verifies and decrypts a token with the matching key.
   *
   * @param token URL-safe base64 with or without padding and without whitespace, or the raw bytes.
   * @throws FernetError `invalid_token` for every invalid token, without the reason; `token_expired` for an authentic token
   *   outside the given TTL.
   * @throws RangeError when `ttlSeconds` is not a whole number, 0 or more, or `now` is before 1970; ValidationError for
   *   an unknown option.
   * @example
   * const { message, timestamp } = await fernet.decrypt(token, { ttlSeconds: 60 })
   */
  decrypt(token: string | Uint8Array, options?: DecryptOptions): Promise<DecryptedToken>
}

export function fernetWith(
  prepare: PreparePlatformKey,
  keys: string | readonly string[],
  options: FernetOptions = {},
): Fernet {
  refuseUnknown(options, ['now'])
  const { now: clock = Date.now } = options
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [keys]
  const [first, ...others] = list.map((key) => lazyKey(prepare, decodeKey(key)))
  if (first === undefined) throw fernetError('invalid_key')

  async function findKey({ signed, mac }: TokenParts): Promise<PlatformKey | undefined> {
    for (const ready of [first, ...others]) {
      const key = await ready?.()
      if (await key?.verify(signed, mac)) return key
    }
    return undefined
  }

  return {
    async encrypt(message: Uint8Array | string, options: EncryptOptions = {}): Promise<string> {
      refuseUnknown(options, ['now', 'iv'])
      const plain = bytesOf(message)
      const iv = ivFrom(options.iv)
      const timestamp = unixSeconds(options.now ?? clock())
      const key = await first()
      const body = tokenBody(timestamp, iv, await key.encrypt(iv, plain))
      return encodeBase64Url(joined(body, await key.sign(body)))
    },

    async decrypt(token: string | Uint8Array, options: DecryptOptions = {}): Promise<DecryptedToken> {
      refuseUnknown(options, ['ttlSeconds', 'now'])
      const raw = typeof token === 'string' ? decodeBase64Url(token) : new Uint8Array(token)
      const parts = raw && splitToken(raw)
      // The age is checked even for invalid tokens, so that an invalid option always throws. Only an authentic token is
      // reported as expired.
      const fresh = isFresh(parts?.timestamp ?? 0n, options, clock)
      const key = parts && (await findKey(parts))
      if (key && !fresh) throw fernetError('token_expired')
      const message = key && (await key.decrypt(parts.iv, parts.ciphertext))
      // Every invalid token is rejected here, so that not even the stack trace reveals the reason.
      if (!message) throw fernetError('invalid_token')
      return { message, timestamp: parts.timestamp, mac: parts.mac }
    },
  }
}

/** Rejects unknown options, because a mistyped `ttlSeconds` would disable the age check. */
function refuseUnknown(options: object, known: readonly string[]): void {
  for (const path in options) {
    if (!known.includes(path)) {
      throw new ValidationError([{ path, message: `Unknown option. Use ${known.join(' or ')}.` }])
    }
  }
}

function isFresh(timestamp: bigint, { ttlSeconds, now }: DecryptOptions, clock: () => number): boolean {
  return ttlSeconds === undefined || isWithinTtl(timestamp, { ttlSeconds, now: now ?? clock() })
}

/** Imports a key on first use and caches it, because an import is slower than a use. */
function lazyKey(prepare: PreparePlatformKey, bytes: Bytes): () => PlatformKey | Promise<PlatformKey> {
  let prepared: PlatformKey | Promise<PlatformKey> | undefined
  return async () => {
    try {
      prepared ??= prepare(bytes)
      return await prepared
    } catch (error) {
      // Discards the failed import, so that the next use tries again.
      prepared = undefined
      throw error
    }
  }
}

/** Copies the bytes, because the caller may change them before the encryption ends. */
function bytesOf(message: Uint8Array | string): Bytes {
  return typeof message === 'string' ? new TextEncoder().encode(message) : new Uint8Array(message)
}

function ivFrom(given: Uint8Array | undefined): Bytes {
  if (given === undefined) return globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES))
  if (given.length !== IV_BYTES) throw new RangeError(`iv must be ${IV_BYTES} bytes long.`)
  return new Uint8Array(given)
}

const MAX_CLOCK_SKEW_SECONDS = 60n

/** The arguments of `isWithinTtl`. */
export interface TtlRule {
  /** Maximum age in whole seconds, 0 or more, inclusive. */
  readonly ttlSeconds: number
  /** Current unix time in milliseconds, rounded down to seconds. */
  readonly now: number
}

/**
 * Whether a token with this timestamp is neither too old nor more than 60 s in the future (Fernet specification,
 * "Verifying"). Times are compared in whole seconds, with the limits of pyca/cryptography: the result is false if
 * `timestamp + ttl < now` or `now + 60 < timestamp`.
 *
 * @param timestamp The timestamp of the token, in Unix seconds.
 * @throws RangeError when `ttlSeconds` is not a whole number, 0 or more, or `now` is before 1970.
 * @example
 * isWithinTtl(1_000n, { ttlSeconds: 30, now: 1_030_999 }) // true
 * isWithinTtl(1_000n, { ttlSeconds: 30, now: 1_031_000 }) // false
 */
export function isWithinTtl(timestamp: bigint, { ttlSeconds, now }: TtlRule): boolean {
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 0) {
    throw new RangeError('ttlSeconds must be a whole number, 0 or more.')
  }
  const seconds = unixSeconds(now)
  return timestamp + BigInt(ttlSeconds) >= seconds && seconds + MAX_CLOCK_SKEW_SECONDS >= timestamp
}

/** Converts Unix milliseconds to whole Unix seconds. @throws RangeError for times that 64 bits cannot represent */
function unixSeconds(now: number): bigint {
  const seconds = Math.floor(now / 1000)
  if (!(seconds >= 0 && seconds < 2 ** 64)) throw new RangeError('now must be a unix time in milliseconds.')
  return BigInt(seconds)
}

const KEY_BYTES = 32
const MAX_TRIES = 1000

/**
 * Decodes a key in the standard or URL-safe base64 alphabet (not a mix), padded or not. @throws FernetError
 * `invalid_key`
 */
function decodeKey(key: unknown): Bytes {
  const bytes = typeof key === 'string' ? decodeBase64Url(urlSafe(key)) : undefined
  if (bytes?.length !== KEY_BYTES) throw fernetError('invalid_key')
  return bytes
}

/**
 * A new random key: 32 bytes as 44 characters of padded base64. The key contains none of `+ / - _`, so every decoder,
 * standard or URL-safe, reads the same bytes. This restriction costs two of the 256 bits.
 *
 * @param random Fills the given bytes with random values and returns the filled bytes. @default crypto.getRandomValues
 * @throws Error when `random` yields no such key in 1,000 attempts, which a working source never does.
 * @example
 * const fernet = createFernet(generateFernetKey())
 */
export function generateFernetKey(
  random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> = randomBytes,
): string {
  // Draws a whole new key: replacing single characters would make some keys more likely than others.
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const key = encodeBase64Url(random(new Uint8Array(KEY_BYTES)))
    if (!/[-_]/.test(key)) return key
  }
  throw new Error('The given random source gives no usable key.')
}

function randomBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return globalThis.crypto.getRandomValues(bytes as Bytes)
}

function urlSafe(key: string): string {
  if (/[-_]/.test(key)) return key
  return key.replaceAll('+', '-').replaceAll('/', '_')
}
