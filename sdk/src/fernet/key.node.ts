import { createCipheriv, createDecipheriv, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { type Bytes, joined, type PlatformKey, SIGNING_KEY_BYTES } from './platform-key.ts'

const CIPHER = 'aes-128-cbc'

/** Prepares a Fernet key for use with `node:crypto`. */
export function preparePlatformKey(key: Bytes): PlatformKey {
  // Without a KeyObject, Node imports the raw bytes on every use, which is five times slower.
  const signingKey = createSecretKey(key.subarray(0, SIGNING_KEY_BYTES))
  const encryptionKey = createSecretKey(key.subarray(SIGNING_KEY_BYTES))
  const hmac = (data: Bytes) => createHmac('sha256', signingKey).update(data).digest()
  return {
    sign: (data) => new Uint8Array(hmac(data)),
    verify: (data, mac) => timingSafeEqual(hmac(data), mac),
    encrypt(iv, message) {
      const cipher = createCipheriv(CIPHER, encryptionKey, iv)
      return joined(cipher.update(message), cipher.final())
    },
    decrypt(iv, ciphertext) {
      try {
        const decipher = createDecipheriv(CIPHER, encryptionKey, iv)
        return joined(decipher.update(ciphertext), decipher.final())
      } catch {
        return undefined
      }
    },
  }
}
