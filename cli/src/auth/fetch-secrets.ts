import { createClient, isFernetError } from '@fish-crab/sdk'
import { chosenGamemode } from '../catches/gamemode.ts'
import { clientFor } from '../client/open-client.ts'
import type { Selection } from '../config/selection.ts'
import { CliError, usageError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { RunIo } from '../core/run-io.ts'
import { printable } from '../output/printable.ts'
import { WRONG_ADDRESS } from '../runtime/refusal-hints.ts'
import { type AskingOptions, adminClient, administratorName, administratorPassword } from './administrator.ts'
import type { ProfileSecrets } from './contents.ts'
import { givenSecret, readSecret } from './read-secret.ts'
import { tryKey } from './try-key.ts'

/** How a login asks for what it needs. */
export interface FetchOptions extends AskingOptions {
  /** Whether an API key is wanted too. */
  readonly withApiKey?: boolean | undefined
}

/** Logs an administrator in. The session is what is kept, never the password. */
export async function fetchSession(io: RunIo, chosen: Selection, asking: FetchOptions): Promise<ProfileSecrets> {
  const username = administratorName(chosen)
  const password = await administratorPassword(io, username, asking)
  const client = await adminClient(io, chosen, { username, password })
  const { token, expiresAt } = await client.login({ signal: io.interrupted() })
  if (!/^[\x21-\x7e]+$/.test(token)) throw noSecret('a session')
  return { url: chosen.url.value, session: { username, token, expiresAt } }
}

/** Fetches a player's key with the password, and tries it. @throws CliError when the service does not take what it gave */
export async function fetchPlayerKey(io: RunIo, chosen: Selection, asking: FetchOptions): Promise<ProfileSecrets> {
  const user = chosen.user?.value
  if (!user) throw usageError('Say who logs in.', 'Such as: fish-cli login USER')
  const gamemode = chosenGamemode(chosen.gamemode)
  // What is wrong with flags is said before a password is asked for.
  createClient({ baseUrl: chosen.url.value, user, gamemode, env: {} })
  const password = await readSecret(io, {
    variable: 'FISH_PASSWORD',
    question: `Password of ${printable(user)}`,
    ...asking,
  })
  const apiKey = asking.withApiKey ? await wantedApiKey(io, user, asking) : undefined
  // What is kept is about to be replaced, and where it is may be gone.
  const client = await clientFor(io, chosen, { apiKey: apiKey ?? (await givenSecret(io, 'FISH_API_KEY')) })
  const signal = io.interrupted()
  const { fernetKey } = await client.keys.get({ username: user, password, signal })
  const { accepted, counted } = await tryKey(client, { user, fernetKey, signal }).catch((error: unknown) => {
    throw isFernetError(error) ? noSecret('a Fernet key') : error
  })
  if (!accepted) throw notTaken('invalid_key', 'The service does not take the key that it gave.')
  if (apiKey !== undefined && counted) throw notTaken('invalid_api_key', 'The service does not know this API key.')
  return { url: chosen.url.value, user, fernetKey, ...(apiKey === undefined ? {} : { apiKey }) }
}

function wantedApiKey(io: RunIo, user: string, { noInput }: FetchOptions): Promise<string> {
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
