import { FishCrabError } from '../errors/fish-crab-error.ts'

/** The `code` of a {@link FernetError}. */
export type FernetErrorCode = 'invalid_key' | 'invalid_token' | 'token_expired'

// The messages are fixed, so that they contain no part of a key or token.
const MESSAGES: Readonly<Record<FernetErrorCode, string>> = {
  invalid_key: 'A Fernet key is 32 bytes in base64 (44 characters).',
  invalid_token: 'Invalid Fernet token: malformed, changed, or encrypted with another key.',
  token_expired: 'The Fernet token is too old or dated in the future.',
}

const HINTS: Readonly<Record<FernetErrorCode, string>> = {
  invalid_key: 'Copy the whole key.',
  invalid_token: 'Use the matching key and the unchanged token.',
  token_expired: 'Check the clock and create a new token.',
}

/**
 * A key or token is unusable. The error contains no bytes of the key or token.
 *
 * - `invalid_key`: a key is not 32 bytes of base64, or the list is empty.
 * - `invalid_token`: the token is malformed, changed, or encrypted with an unknown key. The error never reveals the
 *   reason, to prevent padding-oracle attacks.
 * - `token_expired`: the token is authentic, but older than the TTL or more than 60 s ahead of the clock.
 */
export class FernetError extends FishCrabError {
  static override get name(): string {
    return 'FernetError'
  }
  declare readonly code: FernetErrorCode

  constructor(code: FernetErrorCode) {
    super(MESSAGES[code], { code, hint: HINTS[code] })
  }
}
