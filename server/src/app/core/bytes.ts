/** SHA-256 in lower-case hex. API keys are long and random, so this hash protects them as well as a slow hash. */
export async function sha256Hex(text: string): Promise<string> {
  // Prefer the synchronous hash of Node: WebCrypto uses a thread pool, which costs ten times as much as hashing a
  // token.
  const hash = globalThis.process?.getBuiltinModule?.('crypto')?.hash
  if (hash) return hash('sha256', text)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toHex(new Uint8Array(digest))
}

/** The two lower-case hexadecimal digits of each byte. */
export const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}

/** Base64 (RFC 4648, section 4), with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Decodes the output of {@link toBase64}. @throws DOMException for text that is not valid base64 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Base64url (RFC 4648, section 5), with padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_')
}
