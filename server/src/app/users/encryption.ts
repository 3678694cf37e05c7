import { fromBase64, toBase64, toBase64Url } from '../core/bytes.ts'
import { lazy } from '../core/cache.ts'
import type { RandomSource } from '../core/ids.ts'

const VERSION = 'v1'

/** Returns the id of the secret that encrypted a text. */
export function secretIdOf(encrypted: string): string | undefined {
  return encrypted.split('.')[1]
}

/** Reports that a text cannot be decrypted: the secret or the owner is wrong, or the text was changed. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError'
}

/**
 * Encryption at rest with AES-256-GCM. Every text is bound to its owner, which is authenticated but not stored. An
 * encrypted text has the form `v1.SECRET-ID.IV.CIPHERTEXT`.
 */
export interface Encryption {
  /** Encrypts with the current secret. */
  encrypt(text: string, owner: string): Promise<string>
  /** Decrypts with any of the secrets. @throws DecryptionError */
  decrypt(encrypted: string, owner: string): Promise<string>
  /**
   * Whether a text was encrypted with the current secret. @throws DecryptionError for a text that was encrypted with an
   * unknown secret
   */
  isCurrent(encrypted: string, owner: string): Promise<boolean>
  /**
   * Encrypts a text again with the current secret. Returns the text unchanged if it already uses the current secret.
   * @throws DecryptionError
   */
  reencrypt(encrypted: string, owner: string): Promise<string>
}

/** @param secrets the current secret first, then previous secrets, which only decrypt */
export function createEncryption(secrets: readonly string[], random: RandomSource): Encryption {
  const keys = lazy(() => Promise.all(secrets.map(deriveKey)))
  const keysById = lazy(async () => new Map((await keys()).map((key) => [key.id, key])))
  const currentKey = async () => {
    const [first] = await keys()
    if (!first) throw new TypeError('createEncryption: secrets must not be empty.')
    return first
  }

  async function encrypt(plain: string, owner: string): Promise<string> {
    const { id, key } = await currentKey()
    const iv = random(new Uint8Array(IV_BYTES))
    const ciphertext = await crypto.subtle.encrypt(gcm(iv, owner), key, encoder.encode(plain))
    return [VERSION, id, toBase64(iv), toBase64(new Uint8Array(ciphertext))].join('.')
  }

  async function decrypt(text: string, owner: string) {
    const [version, id = '', iv = '', ciphertext = '', ...more] = text.split('.')
    if (version !== VERSION || more.length > 0) return fail(owner)
    const key = (await keysById()).get(id)
    if (!key) {
      throw new DecryptionError(
        `The key of ${owner} was encrypted with a secret that is neither FISH_SECRET nor one of FISH_SECRET_PREVIOUS.`,
      )
    }
    const plain = await decryptWith(key, iv, ciphertext, owner).catch((cause) => fail(owner, cause))
    return { plain, key }
  }

  return {
    encrypt,
    decrypt: async (text, owner) => (await decrypt(text, owner)).plain,
    isCurrent: async (text, owner) => (await decrypt(text, owner)).key.id === (await currentKey()).id,
    async reencrypt(text, owner) {
      const { plain, key } = await decrypt(text, owner)
      return key.id === (await currentKey()).id ? text : encrypt(plain, owner)
    },
  }
}

function fail(owner: string, cause?: unknown): never {
  throw new DecryptionError(
    `The key of ${owner} cannot be decrypted: it was changed, belongs to another owner, or was encrypted with another FISH_SECRET.`,
    { cause },
  )
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const IV_BYTES = 12
const ID_BYTES = 6

interface EncryptionKey {
  /** The id of the secret, which is public, because encrypted texts contain the id. */
  readonly id: string
  readonly key: CryptoKey
}

/**
 * Derives the key and the id of a secret. HKDF-SHA-256 (RFC 5869) does not strengthen a weak secret. The id reveals
 * nothing about the key.
 */
async function deriveKey(secret: string): Promise<EncryptionKey> {
  const usages = ['deriveKey', 'deriveBits'] as const
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, usages)
  const [key, id] = await Promise.all([
    crypto.subtle.deriveKey(hkdf('fish-crab encryption v1'), material, { name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ]),
    crypto.subtle.deriveBits(hkdf('fish-crab encryption id'), material, ID_BYTES * 8),
  ])
  // The id has eight characters of base64url, which has no dot. Dots separate the parts of an encrypted text.
  return { key, id: toBase64Url(new Uint8Array(id)) }
}

async function decryptWith({ key }: EncryptionKey, iv: string, ciphertext: string, owner: string): Promise<string> {
  return decoder.decode(await crypto.subtle.decrypt(gcm(fromBase64(iv), owner), key, fromBase64(ciphertext)))
}

function hkdf(info: string): HkdfParams {
  return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encoder.encode(info) }
}

function gcm(iv: Uint8Array<ArrayBuffer>, owner: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(owner) }
}
