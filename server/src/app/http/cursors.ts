import { toBase64Url } from '../core/bytes.ts'
import { lazy } from '../core/cache.ts'
import { HttpError } from './http-error.ts'

/** Positions in listings, as opaque texts that clients send back. */
export type Cursors = ReturnType<typeof createCursors>

const SEPARATOR = '~'
const LABEL = 'fish-crab cursors'
const MAC_BYTES = 16

/**
 * Creates the cursors of a service. Each cursor has a MAC (HMAC-SHA-256 with a key that HKDF derives from the secret),
 * so that no storage receives a position that a client invented, changed or took from another listing. Cursors are
 * valid as long as the secret is in use.
 */
export function createCursors(secret: string) {
  const macKey = lazy(() => deriveKey(secret))

  /** @param scope name of the listing */
  async function sign(position: string, scope: string): Promise<string> {
    const text = new TextEncoder().encode(JSON.stringify([scope, position]))
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', await macKey(), text))
    return `${position}${SEPARATOR}${toBase64Url(mac.subarray(0, MAC_BYTES)).replaceAll('=', '')}`
  }

  return {
    sign,
    /** Returns the position of a cursor. Throws `invalid_query` for any text that is not a cursor of this listing. */
    async verify(cursor: string, scope: string): Promise<string> {
      const end = cursor.lastIndexOf(SEPARATOR)
      const position = cursor.slice(0, Math.max(end, 0))
      if (end > 0 && isEqual(cursor, await sign(position, scope))) return position
      throw invalidCursor()
    },
  }
}

export function invalidCursor(): HttpError {
  return new HttpError('invalid_query', {
    details: [{ path: 'cursor', message: 'Must be the nextCursor of an earlier response, unchanged' }],
  })
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const encoder = new TextEncoder()
  const base = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encoder.encode(LABEL) }
  return crypto.subtle.deriveKey(hkdf, base, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, ['sign'])
}

/** Compares in constant time, so that a MAC cannot be guessed byte by byte. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
