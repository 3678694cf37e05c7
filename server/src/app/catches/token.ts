import { type DecryptedToken, type Fernet, FernetError } from '@fish-crab/sdk/fernet'

const RAW_TOKEN = 0x80

/** A body as the text of a token. Raw tokens begin with 0x80, which no text does; a trailing newline is accepted. */
export function tokenText(body: Uint8Array): string {
  if (body[0] !== RAW_TOKEN) return new TextDecoder('latin1').decode(body).replace(/\r?\n$/, '')
  let binary = ''
  for (const byte of body) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_')
}

/** Decrypts a token. @returns `undefined` when it is not a token of this key */
export async function decryptToken(fernet: Fernet, text: string): Promise<DecryptedToken | undefined> {
  try {
    return await fernet.decrypt(text)
  } catch (error) {
    if (error instanceof FernetError) return undefined
    throw error
  }
}
