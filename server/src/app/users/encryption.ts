import { lazy } from '../core/cache.ts'
import type { RandomSource } from '../core/ids.ts'

const VERSION = 'v2'
/** The form of the first release: it does not say which secret it was sealed under. */
const VERSION_WITHOUT_ID = 'v1'

/** An IV of 12 bytes, and at least the 16 bytes of a tag, as base64 (RFC 4648, section 4). */
const ENCRYPTED =
  /^(?:v2\.[A-Za-z0-9_-]{8}|v1)\.[A-Za-z0-9+/]{16}\.(?=.{24})(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Whether a text has the form of a sealed one. Whether it can be opened is another question. */
export function isEncrypted(text: string): boolean {
  return ENCRYPTED.test(text)
}

/** The short id of the secret that a text was sealed under; `undefined` for one of the first release. */
export function secretIdOf(sealed: string): string | undefined {
  const [version, id] = sealed.split('.')
  return version === VERSION ? id : undefined
}

/** Thrown when a sealed secret cannot be opened: another `FISH_SECRET`, another owner, or tampering. */
export class DecryptionError extends Error {
  override readonly name = 'SealError'
}

/**
 * Seals secrets at rest with AES-256-GCM, each bound to its owner. A sealed text is `v2.KEY-ID.IV.SEALED`, or
 * `v1.IV.SEALED` where it is older.
 */
export interface Encryption {
  /** Seals a secret under the first key. The owner is authenticated, not stored: only the same owner opens it. */
  encrypt(secret: string, owner: string): Promise<string>
  /** Opens what was sealed under any of the keys, or throws {@link DecryptionError}. */
  decrypt(sealed: string, owner: string): Promise<string>
  /** Whether a sealed secret is one of the first key. Throws {@link DecryptionError} when it cannot be opened at all. */
  isCurrent(sealed: string, owner: string): Promise<boolean>
  /** The same secret in today's form under the first key: the very text when it is that already. Throws as `open`. */
  reencrypt(sealed: string, owner: string): Promise<string>
}

interface Decrypted {
  readonly plain: string
  readonly key: EncryptionKey
  readonly version: string
}

/**
 * Makes the vault of a service's secrets. The first one seals, any opens: the id of the right key stands in the sealed
 * text, so further secrets cost nothing.
 * @param secrets at least one, the one to seal with first
 */
export function createEncryption(secrets: readonly string[], random: RandomSource): Encryption {
  const keys = lazy(() => Promise.all(secrets.map(deriveEncryptionKey)))
  const byId = lazy(async () => new Map((await keys()).map((key) => [key.id, key])))
  const firstKey = async () => {
    const [first] = await keys()
    if (!first) throw new TypeError('A vault needs a secret.')
    return first
  }

  async function encrypt(plain: string, owner: string): Promise<string> {
    const key = await firstKey()
    return [VERSION, key.id, ...(await encryptText(key, plain, owner, random))].join('.')
  }

  async function open(text: string, owner: string): Promise<Decrypted> {
    const [version = '', ...parts] = text.split('.')
    if (version === VERSION && parts.length === 3) {
      const [id = '', iv = '', ciphertext = ''] = parts
      const key = (await byId()).get(id)
      if (!key)
        throw new DecryptionError(`What is sealed for ${owner} needs a secret that was not given: ${SECRETS_HINT}`)
      return { plain: await decryptText(key, { iv, ciphertext, owner }).catch(refuse(owner)), key, version }
    }
    if (version !== VERSION_WITHOUT_ID || parts.length !== 2) return refuse(owner)(undefined)
    const [iv = '', ciphertext = ''] = parts
    // Authenticated encryption: no other key than the right one opens it.
    const tries = (await keys()).map(async (key) => ({
      plain: await decryptText(key, { iv, ciphertext, owner }),
      key,
      version,
    }))
    return Promise.any(tries).catch(({ errors }: AggregateError) => refuse(owner)(errors[0]))
  }

  return {
    encrypt,
    decrypt: async (text, owner) => (await open(text, owner)).plain,
    isCurrent: async (text, owner) => (await open(text, owner)).key.id === (await firstKey()).id,
    async reencrypt(text, owner) {
      const { plain, key, version } = await open(text, owner)
      return version === VERSION && key.id === (await firstKey()).id ? text : encrypt(plain, owner)
    },
  }
}

const SECRETS_HINT = 'FISH_SECRET is another one, and so are those of FISH_SECRET_PREVIOUS.'

function refuse(owner: string): (cause: unknown) => never {
  return (cause) => {
    throw new DecryptionError(
      `What is sealed for ${owner} cannot be opened: it was changed, belongs to another owner, or FISH_SECRET is not the one it was sealed with.`,
      { cause },
    )
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const IV_BYTES = 12
const ID_BYTES = 6

/** A key that seals, and the short public name that sealed texts carry. */
interface EncryptionKey {
  readonly id: string
  readonly key: CryptoKey
}

/** A sealed text in its parts, and whom it is bound to. */
interface EncryptedText {
  /** Base64. */
  readonly iv: string
  /** Base64, authentication tag included. */
  readonly ciphertext: string
  readonly owner: string
}

/**
 * Derives key and id of a service secret by HKDF-SHA-256 (RFC 5869), so the secret may have any form; its strength is
 * the strength of the seal. The id is derived apart from the key and tells nothing of it.
 */
async function deriveEncryptionKey(secret: string): Promise<EncryptionKey> {
  const usages = ['deriveKey', 'deriveBits'] as const
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, usages)
  const [key, id] = await Promise.all([
    crypto.subtle.deriveKey(hkdf('fish-crab seal v1'), material, { name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ]),
    crypto.subtle.deriveBits(hkdf('fish-crab seal id'), material, ID_BYTES * 8),
  ])
  // Eight characters of base64url: no dot, which separates the parts of a sealed text.
  return { key, id: toBase64(new Uint8Array(id)).replaceAll('+', '-').replaceAll('/', '_') }
}

/** Seals a text for an owner with AES-256-GCM. Answers IV and sealed bytes as base64. */
async function encryptText(
  { key }: EncryptionKey,
  plain: string,
  owner: string,
  random: RandomSource,
): Promise<[iv: string, sealed: string]> {
  const iv = random(new Uint8Array(IV_BYTES))
  const sealed = await crypto.subtle.encrypt(gcm(iv, owner), key, encoder.encode(plain))
  return [toBase64(iv), toBase64(new Uint8Array(sealed))]
}

/** Opens what {@link encryptText} made; rejects for another key or owner, and for changed bytes. */
async function decryptText({ key }: EncryptionKey, { iv, ciphertext, owner }: EncryptedText): Promise<string> {
  const plain = await crypto.subtle.decrypt(gcm(fromBase64(iv), owner), key, fromBase64(ciphertext))
  return decoder.decode(plain)
}

function hkdf(info: string): HkdfParams {
  return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encoder.encode(info) }
}

function gcm(iv: Uint8Array<ArrayBuffer>, owner: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(owner) }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
