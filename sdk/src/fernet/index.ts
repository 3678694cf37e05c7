import { preparePlatformKey } from '#fernet-key'
import { type Fernet, type FernetOptions, fernetWith } from './fernet.ts'

export { FernetError, type FernetErrorCode } from '../errors/fish-crab-error.ts'
export {
  type DecryptedToken,
  type DecryptOptions,
  type EncryptOptions,
  type Fernet,
  type FernetOptions,
  generateFernetKey,
  isWithinTtl,
  type TtlRule,
} from './fernet.ts'

/**
 * Encrypts and decrypts tokens of the Fernet specification (https://github.com/fernet/spec). Reuse the instance,
 * because it imports each key only once, on first use. Runs on `node:crypto` in Node and on WebCrypto elsewhere.
 *
 * @param keys One or more keys, newest first: the first key encrypts, all decrypt. A key is 32 bytes in base64 of
 *   either alphabet, padded or not.
 * @throws FernetError `invalid_key`, thrown by `createFernet` itself, for an invalid key or an empty list.
 * @example
 * const fernet = createFernet(key)
 * const token = await fernet.encrypt('{"fish":"Salmon","rarity":3}')
 * const { message } = await fernet.decrypt(token)
 */
export function createFernet(keys: string | readonly string[], options?: FernetOptions): Fernet {
  return fernetWith(preparePlatformKey, keys, options)
}
