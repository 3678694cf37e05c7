import type { Bytes } from './key.ts'

// Fernet specification, "Token Format": version 1, timestamp 8, IV 16, ciphertext 16 or more, HMAC 32.
const VERSION = 0x80
const TIMESTAMP_AT = 1
const IV_AT = 9
const CIPHERTEXT_AT = 25
const BLOCK_BYTES = 16
const MAC_BYTES = 32

/** Length of an initialization vector. */
export const IV_BYTES: number = CIPHERTEXT_AT - IV_AT

/** A token taken apart. Nothing in it is authentic before its MAC was checked. */
export interface TokenParts {
  /** Unix seconds, unsigned 64 bits. */
  readonly timestamp: bigint
  readonly iv: Bytes
  readonly ciphertext: Bytes
  /** All that the MAC covers. */
  readonly signed: Bytes
  readonly mac: Bytes
}

/** The parts of a raw token, or `undefined` when no token has this length or first byte. */
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

/** All of a token but its MAC. */
export function tokenBody(timestamp: bigint, iv: Bytes, ciphertext: Bytes): Bytes {
  const body = new Uint8Array(CIPHERTEXT_AT + ciphertext.length)
  body[0] = VERSION
  new DataView(body.buffer).setBigUint64(TIMESTAMP_AT, timestamp)
  body.set(iv, IV_AT)
  body.set(ciphertext, CIPHERTEXT_AT)
  return body
}

/** A raw token: its body, then its MAC. */
export function signToken(body: Bytes, mac: Bytes): Bytes {
  const raw = new Uint8Array(body.length + mac.length)
  raw.set(body)
  raw.set(mac, body.length)
  return raw
}
