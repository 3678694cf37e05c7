import type { Bytes } from './platform-key.ts'

// Sizes in bytes (Fernet specification, "Token Format"): version 1, timestamp 8, IV 16, ciphertext 16 or more, HMAC 32.
const VERSION = 0x80
const TIMESTAMP_AT = 1
const IV_AT = 9
const CIPHERTEXT_AT = 25
const BLOCK_BYTES = 16
const MAC_BYTES = 32

export const IV_BYTES: number = CIPHERTEXT_AT - IV_AT

/** The parts of a token, not authentic until the MAC is checked. */
export interface TokenParts {
  /** Unix seconds, unsigned 64 bits. */
  readonly timestamp: bigint
  readonly iv: Bytes
  readonly ciphertext: Bytes
  /** The bytes that the MAC covers. */
  readonly signed: Bytes
  readonly mac: Bytes
}

/** The parts of a raw token; `undefined` for an invalid length or first byte. */
export function splitToken(raw: Bytes): TokenParts | undefined {
  const ciphertextBytes = raw.length - CIPHERTEXT_AT - MAC_BYTES
  if (ciphertextBytes < BLOCK_BYTES || ciphertextBytes % BLOCK_BYTES !== 0 || raw[0] !== VERSION) return undefined
  const macAt = raw.length - MAC_BYTES
  return {
    timestamp: new DataView(raw.buffer, raw.byteOffset).getBigUint64(TIMESTAMP_AT),
    iv: raw.subarray(IV_AT, CIPHERTEXT_AT),
    ciphertext: raw.subarray(CIPHERTEXT_AT, macAt),
    signed: raw.subarray(0, macAt),
    mac: raw.slice(macAt),
  }
}

export function tokenBody(timestamp: bigint, iv: Bytes, ciphertext: Bytes): Bytes {
  const body = new Uint8Array(CIPHERTEXT_AT + ciphertext.length)
  body[0] = VERSION
  new DataView(body.buffer).setBigUint64(TIMESTAMP_AT, timestamp)
  body.set(iv, IV_AT)
  body.set(ciphertext, CIPHERTEXT_AT)
  return body
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const FOREIGN = 64

const CODES = /* @__PURE__ */ new TextEncoder().encode(ALPHABET)
const VALUES = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code))
  return value < 0 ? FOREIGN : value
})

/** Base64 in the URL-safe alphabet with padding (RFC 4648 section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(0x3d)
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < bytes.length; index++) {
    bits = ((bits & 0x3f) << 8) | (bytes[index] ?? 0)
    held += 8
    while (held >= 6) {
      held -= 6
      text[at++] = CODES[(bits >> held) & 0x3f] ?? 0
    }
  }
  if (held > 0) text[at] = CODES[(bits << (6 - held)) & 0x3f] ?? 0
  return new TextDecoder().decode(text)
}

/**
 * Decodes URL-safe base64 with or without padding. Returns `undefined` for any text that `encodeBase64Url` would not
 * return, because tokens are compared as text and must have only one spelling.
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const length = unpaddedLength(text)
  if (length === undefined) return undefined
  const bytes = new Uint8Array((length * 3) >> 2)
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < length; index++) {
    const value = VALUES[text.charCodeAt(index)] ?? FOREIGN
    if (value === FOREIGN) return undefined
    bits = ((bits & 0xff) << 6) | value
    held += 6
    if (held >= 8) {
      held -= 8
      bytes[at++] = bits >> held
    }
  }
  // RFC 4648, 3.5: unused bits must be zero.
  const leftover = bits & ((1 << held) - 1)
  return leftover === 0 ? bytes : undefined
}

function unpaddedLength(text: string): number | undefined {
  const length = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length
  const padded = length !== text.length
  if (length % 4 === 1 || (padded && text.length % 4 !== 0)) return undefined
  return length
}
