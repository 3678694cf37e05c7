/** SHA-256 in lower-case hex. API keys are long and random, so this hash protects them as well as a slow one. */
export async function sha256Hex(text: string): Promise<string> {
  // WebCrypto runs each digest in a pool of threads, which costs ten times as much as the digest of a token.
  const hash = globalThis.process?.getBuiltinModule?.('crypto')?.hash
  if (hash) return hash('sha256', text)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Joins chunks. @param size their length in bytes */
export function concatBytes(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

/** Base64 (RFC 4648, section 4), with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Decodes {@link toBase64}. @throws DOMException for other text */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Base64url (RFC 4648, section 5), with padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_')
}
