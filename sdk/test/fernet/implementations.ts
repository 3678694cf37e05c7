import { createFernet, type Fernet, type FernetOptions } from '@fish-crab/sdk/fernet'
import { fernetWith } from '../../src/fernet/fernet.ts'
import { preparePlatformKey as prepareWebKey } from '../../src/fernet/key.web.ts'

/** Both implementations. Most tests run on each implementation. */
export const IMPLEMENTATIONS: ReadonlyArray<{
  readonly platform: string
  readonly create: (keys: string | readonly string[], options?: FernetOptions) => Fernet
}> = [
  { platform: 'node:crypto', create: createFernet },
  { platform: 'WebCrypto', create: (keys, options) => fernetWith(prepareWebKey, keys, options) },
]

export const [ON_NODE, ON_WEB_CRYPTO] = IMPLEMENTATIONS as readonly [
  (typeof IMPLEMENTATIONS)[number],
  (typeof IMPLEMENTATIONS)[number],
]

export const KEY = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4='
export const OTHER_KEY = 'kp-hbUOXUWoSAzZo3hxzTu81rwZtkKGzAahZk-yY5Qs='
export const NOW = 1_700_000_000_000

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
export const raw = (token: string): Uint8Array => new Uint8Array(Buffer.from(token, 'base64url'))
export const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
export const invalidToken = { name: 'FernetError', code: 'invalid_token' }
