import { preparePlatformKey } from '#fernet-key'
import type { Fernet, FernetOptions } from './fernet.ts'
import { fernetWith } from './fernet.ts'

export { FernetError, type FernetErrorCode } from './errors.ts'
export type { DecryptedToken, DecryptOptions, EncryptOptions, Fernet, FernetOptions } from './fernet.ts'
export { generateFernetKey, isWithinTtl, type TtlRule } from './fernet.ts'

/**
 * Encrypts and decrypts tokens of the Fernet specification (https://github.com/fernet/spec). Keep the instance: it
 * makes each key ready once, at first use. Runs on `node:crypto` in Node and on WebCrypto elsewhere.
 *
 * @param keys One key or several, newest first: the first encrypts, any decrypts. A key is 32 bytes in base64 of
 *   either alphabet, padded or not.
 * @throws FernetError `invalid_key`, at once, when a key is anything else or there is none.
 * @example
 * const fernet = createFernet(key)
 * const token = await fernet.encrypt('{"fish":"Salmon","rarity":3}')
 * const { message } = await fernet.decrypt(token)
 */
export function createFernet(keys: string | readonly string[], options?: FernetOptions): Fernet {
  return fernetWith(preparePlatformKey, keys, options)
}
