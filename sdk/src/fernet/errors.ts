import { FernetError, type FernetErrorCode } from '../errors/fish-crab-error.ts'

// The messages are fixed, so that they contain no part of a key or token.
const MESSAGES: Readonly<Record<FernetErrorCode, readonly [summary: string, hint: string]>> = {
  invalid_key: ['A Fernet key is 32 bytes in base64 (44 characters).', 'Copy the whole key.'],
  invalid_token: [
    'Invalid Fernet token: malformed, changed, or encrypted with another key.',
    'Use the matching key and the unchanged token.',
  ],
  token_expired: ['The Fernet token is too old or dated in the future.', 'Check the clock and create a new token.'],
}

export function fernetError(code: FernetErrorCode): FernetError {
  const [summary, hint] = MESSAGES[code]
  return new FernetError(summary, { code, hint })
}
