import { decodeBase64Url, encodeBase64Url } from './base64url.ts'
import { FernetError } from './errors.ts'
import type { Bytes } from './key.ts'

const KEY_BYTES = 32
const MAX_TRIES = 1000

/** The bytes of a key in either base64 alphabet (not a mix of both), padded or not. Throws `invalid_key`. */
export function decodeKey(key: unknown): Bytes {
  const bytes = typeof key === 'string' ? decodeBase64Url(urlSafe(key)) : undefined
  if (bytes?.length !== KEY_BYTES) throw new FernetError('invalid_key')
  return bytes
}

/**
 * A new random key: 32 bytes as 44 characters of base64, padded. It holds none of `+ / - _`, so decoders of the
 * standard and of the URL-safe alphabet read the same bytes. That costs two of its 256 bits.
 *
 * @param random Fills the given bytes at random and returns them. @default crypto.getRandomValues
 * @throws Error when `random` gives no such key in 1,000 tries, which a working one never does.
 * @example
 * const fernet = createFernet(generateFernetKey())
 */
export function generateFernetKey(
  random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> = randomBytes,
): string {
  // Whole keys are drawn again: replacing single characters would make some keys likelier than others.
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const key = encodeBase64Url(random(new Uint8Array(KEY_BYTES)))
    if (!/[-_]/.test(key)) return key
  }
  throw new Error('The given source of randomness does not vary enough to make a key.')
}

function randomBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return globalThis.crypto.getRandomValues(bytes as Bytes)
}

function urlSafe(key: string): string {
  if (/[-_]/.test(key)) return key
  return key.replaceAll('+', '-').replaceAll('/', '_')
}
