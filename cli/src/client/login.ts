import { ApiError, AuthenticationError, type Client, createClient, FernetError } from '@fish-crab/sdk'
import type { Gamemode } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { readSecret, secretFromEnv } from '../auth/read-secret.ts'
import type { AdminSession, ProfileSecrets } from '../auth/store.ts'
import { resolveGamemode, type Selection } from '../config/selection.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { adminNameOf, createAdmin, type PromptOptions, readAdminPassword } from './admin.ts'
import { clientFor } from './client.ts'
import { WRONG_ADDRESS } from './describe-error.ts'

/** How a login asks for what it needs. */
interface LoginOptions extends PromptOptions {
  /** Whether an API key is wanted too. */
  readonly withApiKey?: boolean | undefined
}

/** Logs an administrator in. The session is what is kept, never the password. */
export async function fetchSession(io: Context, chosen: Selection, asking: LoginOptions): Promise<ProfileSecrets> {
  const username = adminNameOf(chosen)
  const password = await readAdminPassword(io, username, asking)
  const client = await createAdmin(io, chosen, { username, password })
  const { token, expiresAt } = await client.login({ signal: io.interrupted() })
  if (!/^[\x21-\x7e]+$/.test(token)) throw noSecret('a session')
  return { url: chosen.url.value, session: { username, token, expiresAt } }
}

/** Fetches a player's key with the password, and tries it. @throws CliError when the service does not take what it gave */
export async function fetchPlayerKey(io: Context, chosen: Selection, asking: LoginOptions): Promise<ProfileSecrets> {
  const user = chosen.user?.value
  if (!user) throw usageError('Say who logs in.', 'Such as: fish-cli login USER')
  const gamemode = resolveGamemode(chosen.gamemode)
  // What is wrong with flags is said before a password is asked for.
  createClient({ baseUrl: chosen.url.value, user, gamemode, env: {} })
  const password = await readSecret(io, {
    variable: 'FISH_PASSWORD',
    question: `Password of ${printable(user)}`,
    ...asking,
  })
  const apiKey = asking.withApiKey ? await wantedApiKey(io, user, asking) : undefined
  // What is kept is about to be replaced, and where it is may be gone.
  const client = await clientFor(io, chosen, { apiKey: apiKey ?? (await secretFromEnv(io, 'FISH_API_KEY')) })
  const signal = io.interrupted()
  const { fernetKey } = await client.keys.get({ username: user, password, signal })
  const { accepted, counted } = await testKey(client, { user, fernetKey, signal }).catch((error: unknown) => {
    throw error instanceof FernetError ? noSecret('a Fernet key') : error
  })
  if (!accepted) throw notTaken('invalid_key', 'The service does not take the key that it gave.')
  if (apiKey !== undefined && counted) throw notTaken('invalid_api_key', 'The service does not know this API key.')
  return { url: chosen.url.value, user, fernetKey, ...(apiKey === undefined ? {} : { apiKey }) }
}

function wantedApiKey(io: Context, user: string, { noInput }: LoginOptions): Promise<string> {
  return readSecret(io, { variable: 'FISH_API_KEY', question: `API key of ${printable(user)}`, noInput })
}

function noSecret(what: string): CliError {
  const message = `What the service answered is not ${what}. Nothing was kept.`
  return new CliError({ code: 'invalid_response', message, hint: WRONG_ADDRESS, exit: EXIT.failure })
}

function notTaken(code: string, message: string): CliError {
  const hint = 'Nothing was kept. Ask whoever runs the service.'
  return new CliError({ code, message, hint, exit: EXIT.credentials })
}

/** What the service made of a key. */
export interface KeyTest {
  /** Whether it is the player's key there. */
  readonly accepted: boolean
  /** Whether the request counted within the rate limit, which it does not with a valid API key. */
  readonly counted: boolean
}

/** Whose key is tried. */
interface KeyTestOptions {
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
export async function testKey(client: Client, { user, fernetKey, signal }: KeyTestOptions): Promise<KeyTest> {
  const fernet = createFernet(fernetKey)
  const token = await fernet.encrypt(NO_CATCH)
  await fernet.decrypt(token)
  try {
    const { rateLimit } = await client.fish.send({ kind: 'fish', user, gamemode: ANY_GAMEMODE, token }, { signal })
    return { accepted: true, counted: rateLimit !== undefined }
  } catch (error) {
    if (!(error instanceof ApiError) || !(OPENED.has(error.code) || error.code === 'invalid_token')) throw error
    return { accepted: OPENED.has(error.code), counted: error.rateLimit !== undefined }
  }
}

/** What became of an administrator's session: the service takes it, does not, or it is over by this machine's clock. */
type SessionTest = 'accepted' | 'refused' | 'over'

/** Asks the service whether a kept session is open. @throws ConnectionError and others of the client */
export async function testSession(
  io: Context,
  chosen: Pick<Selection, 'url'>,
  { token, expiresAt }: AdminSession,
  signal: AbortSignal,
): Promise<SessionTest> {
  if (Date.parse(expiresAt) <= io.clock.now()) return 'over'
  const admin = await createAdmin(io, chosen, { token })
  try {
    await admin.me({ signal })
    return 'accepted'
  } catch (error) {
    if (error instanceof AuthenticationError) return 'refused'
    throw error
  }
}
