import { HEX } from './bytes.ts'

/** Fills bytes with randomness and returns them, as `crypto.getRandomValues` does. */
export type RandomSource = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>

/** Number of bytes in a drawn block, and the maximum length of a request that the pool serves. */
const POOL_BYTES = 4096
const SMALL_BYTES = 16

/**
 * Draws random bytes in blocks, because every HTTP request needs an id, and a system call for each id would cost much
 * of the time of a short response. No byte is used twice or retained after use.
 */
export function pooledRandom(source: RandomSource): RandomSource {
  let pool = new Uint8Array(0)
  let used = 0
  return (bytes) => {
    if (bytes.length > SMALL_BYTES) return source(bytes)
    if (used + bytes.length > pool.length) {
      pool = source(new Uint8Array(POOL_BYTES))
      used = 0
    }
    const end = used + bytes.length
    bytes.set(pool.subarray(used, end))
    pool.fill(0, used, end)
    used = end
    return bytes
  }
}

/** A UUID version 7 (RFC 9562, section 5.7): ids sort by creation time. */
export function uuidv7(now: number, random: RandomSource): string {
  const bytes = random(new Uint8Array(16))
  for (let index = 0, rest = now; index < 6; index += 1, rest /= 256) bytes[5 - index] = rest % 256
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  let text = ''
  for (let index = 0; index < bytes.length; index += 1) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text += '-'
    text += HEX[bytes[index] ?? 0]
  }
  return text
}

const PASSWORD_LENGTH = 20

/** Returns a generated password, with 119 bits of entropy. */
export function newPassword(random: RandomSource): string {
  return randomText(PASSWORD_LENGTH, random)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Returns random letters and digits, with 5.95 bits of entropy each. */
export function randomText(length: number, random: RandomSource): string {
  const unbiased = 256 - (256 % ALPHABET.length)
  let text = ''
  while (text.length < length) {
    for (const byte of random(new Uint8Array(length * 2))) {
      if (byte < unbiased && text.length < length) text += ALPHABET[byte % ALPHABET.length]
    }
  }
  return text
}
