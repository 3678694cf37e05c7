/** Fills bytes with randomness and returns them, as `crypto.getRandomValues` does. */
export type RandomSource = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>

/**
 * A UUID version 7 (RFC 9562, section 5.7): its first 48 bits are the time, so ids sort as they were made.
 * @param now unix time in milliseconds
 */
export function uuidv7(now: number, random: RandomSource): string {
  const bytes = random(new Uint8Array(16))
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(now / 2 ** 32) & 0xffff)
  view.setUint32(2, now % 2 ** 32)
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70)
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Letters and digits, each equally likely: 5.95 bits of randomness a character. */
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
