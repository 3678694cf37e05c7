/** Bytes that every platform's crypto API accepts. Shared memory is excluded. */
export type Bytes = Uint8Array<ArrayBuffer>

/** A Fernet key that is imported into the platform's crypto API. Only this part differs between platforms. */
export interface PlatformKey {
  /** HMAC-SHA256 with the signing half of the key, 32 bytes. */
  sign(data: Bytes): Bytes | Promise<Bytes>
  /** Whether `mac` is the HMAC of `data`. The comparison takes constant time. */
  verify(data: Bytes, mac: Bytes): boolean | Promise<boolean>
  /** AES-128-CBC with PKCS#7 padding and the encryption half of the key. */
  encrypt(iv: Bytes, message: Bytes): Bytes | Promise<Bytes>
  /** Reverses `encrypt`. Returns `undefined` if the padding is not PKCS#7. */
  decrypt(iv: Bytes, ciphertext: Bytes): Bytes | undefined | Promise<Bytes | undefined>
}

/** Imports a key: 16 bytes for signing, then 16 bytes for encryption (Fernet specification, "Key Format"). */
export type PreparePlatformKey = (key: Bytes) => PlatformKey | Promise<PlatformKey>

export function joined(head: Uint8Array, tail: Uint8Array): Bytes {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}

export const SIGNING_KEY_BYTES = 16
