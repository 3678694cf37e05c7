import { type Bytes, type PlatformKey, SIGNING_KEY_BYTES } from './platform-key.ts'

const CIPHER = 'AES-CBC'
const MAC = 'HMAC'

/** Prepares a Fernet key for use with WebCrypto, in browsers, workers, Deno and Bun. */
export async function preparePlatformKey(key: Bytes): Promise<PlatformKey> {
  // TypeScript types `subtle` as always defined, but browsers omit it in insecure contexts.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle
  if (subtle === undefined) throw new Error('WebCrypto is missing here: serve the page over https or from localhost.')
  const [signingKey, encryptionKey] = await Promise.all([
    subtle.importKey('raw', key.slice(0, SIGNING_KEY_BYTES), { name: MAC, hash: 'SHA-256' }, false, ['sign', 'verify']),
    subtle.importKey('raw', key.slice(SIGNING_KEY_BYTES), CIPHER, false, ['encrypt', 'decrypt']),
  ])
  return {
    sign: async (data) => new Uint8Array(await subtle.sign(MAC, signingKey, data)),
    verify: (data, mac) => subtle.verify(MAC, signingKey, mac, data),
    encrypt: async (iv, message) => new Uint8Array(await subtle.encrypt({ name: CIPHER, iv }, encryptionKey, message)),
    async decrypt(iv, ciphertext) {
      try {
        return new Uint8Array(await subtle.decrypt({ name: CIPHER, iv }, encryptionKey, ciphertext))
      } catch {
        return undefined
      }
    },
  }
}
