import { lazy } from '../lazy.ts'
import { Failure } from './failure.ts'

/** Places in listings as the opaque texts that clients hand back. */
export interface Cursors {
  /**
   * A place as a cursor.
   * @param scope which listing it is a place in
   */
  seal(place: string, scope: string): Promise<string>
  /** The place that a cursor of this listing says, or an `invalid_query` failure. */
  open(cursor: string, scope: string): Promise<string>
}

const SEPARATOR = '~'
const LABEL = 'fish-crab cursors'
const MAC_BYTES = 16

/**
 * Makes the cursors of a service. Nothing in them is secret, but each carries a MAC (HMAC-SHA-256, under a key of its own
 * that is derived from the secret by HKDF): no storage ever sees a place that was made up, changed or given for another
 * listing. They hold as long as the secret does.
 */
export function createCursors(secret: string): Cursors {
  const macKey = lazy(() => deriveKey(secret))

  async function seal(place: string, scope: string): Promise<string> {
    const text = new TextEncoder().encode(JSON.stringify([scope, place]))
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', await macKey(), text))
    return `${place}${SEPARATOR}${base64Url(mac.subarray(0, MAC_BYTES))}`
  }

  return {
    seal,
    async open(cursor, scope) {
      const at = cursor.lastIndexOf(SEPARATOR)
      const place = cursor.slice(0, Math.max(at, 0))
      if (at > 0 && isEqual(cursor, await seal(place, scope))) return place
      throw invalidCursor()
    },
  }
}

/** The failure of a request whose cursor is none. */
export function invalidCursor(): Failure {
  return new Failure('invalid_query', {
    details: [{ path: 'cursor', message: 'Must be the nextCursor of an earlier answer, unchanged' }],
  })
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const encoder = new TextEncoder()
  const base = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encoder.encode(LABEL) }
  return crypto.subtle.deriveKey(hkdf, base, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, ['sign'])
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Takes the same time whatever differs: a MAC must not be guessed byte by byte. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
