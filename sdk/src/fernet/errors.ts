/** What went wrong, stable across versions. */
export type FernetErrorCode = 'invalid_key' | 'invalid_token' | 'token_expired'

// One fixed sentence per code: nothing of a key or token can get into a message.
const MESSAGES: Readonly<Record<FernetErrorCode, string>> = {
  invalid_key: 'A Fernet key is 32 bytes in base64 (44 characters with padding). Copy the whole key and nothing else.',
  invalid_token: 'The Fernet token is invalid: it is malformed, was changed, or was made with another key.',
  token_expired: 'The Fernet token is too old or from the future. Check the clock and make a new token.',
}

const BRAND: unique symbol = Symbol.for('@fish-crab/sdk/FernetError')

/**
 * The one error of this module. Neither it nor its message holds bytes of a key or a token.
 *
 * - `invalid_key`: a key is not exactly 32 bytes of base64, or there is none.
 * - `invalid_token`: the token is malformed, was changed, or belongs to another key. Which of them is never told,
 *   since telling is what padding oracles live on.
 * - `token_expired`: the token is authentic, but older than the TTL or more than 60 s ahead of the clock.
 */
export class FernetError extends Error {
  override readonly name = 'FernetError'
  readonly code: FernetErrorCode

  constructor(code: FernetErrorCode) {
    super(MESSAGES[code])
    this.code = code
  }

  get [BRAND](): true {
    return true
  }
}

/**
 * Whether a thrown value is a `FernetError`, also one of another copy of this package, where `instanceof` says no.
 *
 * @example
 * if (isFernetError(error) && error.code === 'token_expired') askForNewToken()
 */
export function isFernetError(error: unknown): error is FernetError {
  return typeof error === 'object' && error !== null && BRAND in error
}
