const encoder = new TextEncoder()
const decoder = new TextDecoder()
const VERSION = 'v1'
const IV_BYTES = 12

/** Thrown when a sealed secret cannot be opened: another `FISH_SECRET`, another owner, or tampering. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/** Seals secrets at rest with AES-256-GCM under a key derived from `FISH_SECRET`, each bound to its owner. */
export interface Vault {
  /** Seals a secret. The owner is authenticated, not stored: only the same owner opens it. */
  seal(secret: string, owner: string): Promise<string>
  /** Opens a sealed secret or throws {@link SealError}. */
  open(sealed: string, owner: string): Promise<string>
}

/**
 * Makes the vault of a service secret. The key is derived by HKDF-SHA-256 (RFC 5869), so the secret may have any form;
 * its strength is the strength of the seal.
 */
export function createVault(
  secret: string,
  random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
): Vault {
  const key = deriveKey(secret)
  return {
    async seal(plain, owner) {
      const iv = random(new Uint8Array(IV_BYTES))
      const sealed = await crypto.subtle.encrypt(parameters(iv, owner), await key, encoder.encode(plain))
      return [VERSION, toBase64(iv), toBase64(new Uint8Array(sealed))].join('.')
    },
    async open(text, owner) {
      const [version, iv, sealed] = text.split('.')
      try {
        if (version !== VERSION || !iv || !sealed) throw new TypeError('Unknown form of a sealed secret.')
        const plain = await crypto.subtle.decrypt(parameters(fromBase64(iv), owner), await key, fromBase64(sealed))
        return decoder.decode(plain)
      } catch (cause) {
        throw new SealError(
          'A sealed secret cannot be opened: it was changed, or FISH_SECRET is not the one it was sealed with.',
          { cause },
        )
      }
    },
  }
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encoder.encode('fish-crab seal v1') },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

function parameters(iv: Uint8Array<ArrayBuffer>, owner: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(owner) }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
