import type { RandomSource } from '../ids.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const IV_BYTES = 12
const ID_BYTES = 6

/** A key that seals, and the short public name that sealed texts carry. */
export interface SealKey {
  readonly id: string
  readonly key: CryptoKey
}

/** A sealed text in its parts, and whom it is bound to. */
export interface Sealed {
  /** Base64. */
  readonly iv: string
  /** Base64, authentication tag included. */
  readonly sealed: string
  readonly owner: string
}

/**
 * Derives key and id of a service secret by HKDF-SHA-256 (RFC 5869), so the secret may have any form; its strength is
 * the strength of the seal. The id is derived apart from the key and tells nothing of it.
 */
export async function deriveSealKey(secret: string): Promise<SealKey> {
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
export async function encryptSealed(
  { key }: SealKey,
  plain: string,
  owner: string,
  random: RandomSource,
): Promise<[iv: string, sealed: string]> {
  const iv = random(new Uint8Array(IV_BYTES))
  const sealed = await crypto.subtle.encrypt(gcm(iv, owner), key, encoder.encode(plain))
  return [toBase64(iv), toBase64(new Uint8Array(sealed))]
}

/** Opens what {@link encryptSealed} made; rejects for another key or owner, and for changed bytes. */
export async function decryptSealed({ key }: SealKey, { iv, sealed, owner }: Sealed): Promise<string> {
  const plain = await crypto.subtle.decrypt(gcm(fromBase64(iv), owner), key, fromBase64(sealed))
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
