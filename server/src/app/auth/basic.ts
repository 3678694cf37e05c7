/** A name and a password, as HTTP Basic carries them. */
export interface BasicCredentials {
  readonly name: string
  readonly password: string
}

/** Reads `Authorization: Basic` (RFC 7617, UTF-8). `undefined` when there is none or it is malformed. */
export function parseBasic(header: string | null): BasicCredentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header?.trim() ?? '')?.[1]
  if (!encoded) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const colon = text.indexOf(':')
    return colon === -1 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
  } catch {
    return undefined
  }
}
