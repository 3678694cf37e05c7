import { ApiError, AuthenticationError, type Client, createClient, FernetError } from '@fish-crab/sdk'
import { GAMEMODES, type Gamemode } from '@fish-crab/sdk/constants'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { LoginSecrets } from '../../../../server/web/src/parts/login-file.ts'
import { WRONG_ADDRESS } from '../../core/describe-error.ts'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { createAdmin, readAdminCredentials } from '../../session/admin.ts'
import { type PromptOptions, readPlayerPassword, readSecret } from '../../session/credentials.ts'
import type { AdminSession, ProfileSecrets } from '../../session/secret-store.ts'
import type { Session } from '../../session/session.ts'

interface LoginOptions extends PromptOptions {
  readonly withApiKey?: boolean | undefined
  /** Secrets that are already known, for example from a login file. */
  readonly known?: LoginSecrets | undefined
}

export async function fetchSession(session: Session, options: LoginOptions): Promise<ProfileSecrets> {
  const credentials = await readAdminCredentials(session, options)
  const client = createAdmin(session, credentials)
  const { token, expiresAt } = await client.login({ signal: session.signal })
  if (!/^[\x21-\x7e]+$/.test(token)) throw invalidResponse('a session')
  return { url: session.url, session: { username: credentials.username, token, expiresAt } }
}

/** @throws CliError when the service rejects the key, even a key that the service returned */
export async function fetchPlayerKey(session: Session, options: LoginOptions): Promise<ProfileSecrets> {
  const user = session.target.user?.value
  if (!user) throw usageError('The player name is missing.', 'For example: fish-cli login Alex')
  // This client only validates the flags, so that wrong flags are reported before the prompt for a password.
  createClient({ baseUrl: session.url, user, gamemode: await session.optionalGamemode(), env: {} })
  const { withApiKey, known = {} } = options
  const isPasswordNeeded = known.password === undefined && known.fernetKey === undefined
  const password = isPasswordNeeded ? await readPlayerPassword(session, user, options) : known.password
  const apiKey =
    known.apiKey ??
    (withApiKey ? await readSecret(session, { variable: 'FISH_API_KEY', question: `API key of ${user}` }) : undefined)
  // The client must not read the stored API key, because that key is about to be replaced and its store may be
  // unavailable.
  const client = await session.client({ apiKey: apiKey ?? (await session.secretFromEnv('FISH_API_KEY')) })
  const { signal } = session
  // If the password is known, the key is requested from the service, because the key in an old login file may have been
  // replaced.
  const fernetKey =
    password === undefined
      ? (known.fernetKey ?? '')
      : (await client.keys.get({ username: user, password, signal })).fernetKey
  const { accepted, counted } = await testKey(client, { user, fernetKey, signal }).catch((error: unknown) => {
    throw error instanceof FernetError ? invalidResponse('a key') : error
  })
  if (!accepted) {
    const whose = password === undefined ? 'this key' : 'the key that it returned'
    throw rejected('invalid_key', `The service rejects ${whose}.`)
  }
  if (apiKey !== undefined && counted) throw rejected('invalid_api_key', 'The service does not know this API key.')
  return { url: session.url, user, fernetKey, ...(apiKey === undefined ? {} : { apiKey }) }
}

function invalidResponse(expected: string): CliError {
  const message = `The service did not return ${expected}. Nothing was saved.`
  return new CliError({ code: 'invalid_response', message, hint: WRONG_ADDRESS, exit: EXIT.failure })
}

function rejected(code: string, message: string): CliError {
  const hint = 'Nothing was saved. Ask the operator of the service.'
  return new CliError({ code, message, hint, exit: EXIT.credentials })
}

interface KeyTestOptions {
  readonly user: string
  readonly fernetKey: string
  readonly signal: AbortSignal
}

// The service decrypts a token before it validates the payload. This payload is invalid, so nothing can be stored.
const INVALID_PAYLOAD = '{}'
const DECRYPTED = new Set(['invalid_payload', 'token_expired'])

/**
 * Tests whether a key belongs to the player (`accepted`), and whether the rate limit counted the request (`counted`). A
 * request with a valid API key is not counted. The test stores nothing.
 * @throws FernetError for a malformed key
 */
export async function testKey(client: Client, { user, fernetKey, signal }: KeyTestOptions) {
  const token = await createFernet(fernetKey).encrypt(INVALID_PAYLOAD)
  const send = (gamemode: Gamemode) => client.fish.send({ kind: 'fish', user, gamemode, token }, { signal })
  try {
    const { rateLimit } = await send(GAMEMODES[0]).catch(async (error: unknown) => {
      if (!(error instanceof ApiError && error.code === 'invalid_gamemode')) throw error
      const [any = GAMEMODES[0]] = (await client.status({ signal })).gamemodes
      return send(any)
    })
    return { accepted: true, counted: rateLimit !== undefined }
  } catch (error) {
    if (!(error instanceof ApiError) || !(DECRYPTED.has(error.code) || error.code === 'invalid_token')) throw error
    return { accepted: DECRYPTED.has(error.code), counted: error.rateLimit !== undefined }
  }
}

/** `expired` by the clock of this machine. */
type SessionTest = 'accepted' | 'refused' | 'expired'

export async function testSession(session: Session, { token, expiresAt }: AdminSession): Promise<SessionTest> {
  if (Date.parse(expiresAt) <= session.clock.now()) return 'expired'
  const admin = createAdmin(session, { token })
  try {
    await admin.me({ signal: session.signal })
    return 'accepted'
  } catch (error) {
    if (error instanceof AuthenticationError) return 'refused'
    throw error
  }
}
