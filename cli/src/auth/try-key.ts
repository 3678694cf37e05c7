import { type Client, isApiError } from '@fish-crab/sdk'
import type { Gamemode } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'

/** What the service made of a key. */
export interface KeyTrial {
  /** Whether it is the player's key there. */
  readonly accepted: boolean
  /** Whether the request counted within the rate limit, which it does not with a valid API key. */
  readonly counted: boolean
}

/** Whose key is tried. */
export interface KeyTrialInput {
  readonly user: string
  readonly fernetKey: string
  readonly signal: AbortSignal
}

// The service opens a token before it looks at what is inside, and this is no catch: nothing can be stored.
const NO_CATCH = '{}'
const ANY_GAMEMODE: Gamemode = 'earth'
const OPENED = new Set(['invalid_payload', 'token_expired'])

/**
 * Asks the service whether a key is the player's, with one request that stores nothing.
 *
 * @throws FernetError for what is no key; ApiError such as `user_not_found`, ConnectionError and others of the client.
 */
export async function tryKey(client: Client, { user, fernetKey, signal }: KeyTrialInput): Promise<KeyTrial> {
  const fernet = createFernet(fernetKey)
  const token = await fernet.encrypt(NO_CATCH)
  await fernet.decrypt(token)
  try {
    const { rateLimit } = await client.fish.send({ kind: 'fish', user, gamemode: ANY_GAMEMODE, token }, { signal })
    return { accepted: true, counted: rateLimit !== undefined }
  } catch (error) {
    if (!isApiError(error) || !(OPENED.has(error.code) || error.code === 'invalid_token')) throw error
    return { accepted: OPENED.has(error.code), counted: error.rateLimit !== undefined }
  }
}
