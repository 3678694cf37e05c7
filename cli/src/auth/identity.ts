import { userNameKey } from '@fish-crab/sdk/constants'
import { isSameService } from '../config/profile.ts'
import { type Selection, type ServiceFlags, selectService } from '../config/selection.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { readSecret, secretFromEnv } from './read-secret.ts'
import { readSecrets } from './secrets.ts'
import type { AdminSession, ProfileSecrets } from './store.ts'

/** Where a secret is. */
type SecretSource = 'environment' | 'keyring' | 'file'

/** Who commands act as. All but `fernetKey` and `session` can be shown. */
export interface Identity {
  readonly profile: string | null
  readonly url: string
  readonly user: string | null
  readonly gamemode: string | null
  /** Where the Fernet key is that would be used. */
  readonly key: SecretSource | null
  readonly apiKey: SecretSource | null
  readonly admin: string | null
  /** When the administrator's session ends, ISO 8601. */
  readonly sessionUntil: string | null
  /** The key itself. */
  readonly fernetKey: string | undefined
  readonly session: AdminSession | undefined
}

/** Gathers who commands act as, with the secrets that they would use. */
export async function findIdentity(io: Context, chosen: Selection): Promise<Identity> {
  const kept = await readSecrets(io, chosen)
  const keptIn = chosen.profile?.secrets ?? null
  const user = chosen.user?.value
  const givenKey = await secretFromEnv(io, 'FISH_KEY')
  const keptKey = kept && user !== undefined ? keyOf(kept, user) : undefined
  const apiKey = (await secretFromEnv(io, 'FISH_API_KEY')) ? 'environment' : kept?.apiKey ? keptIn : null
  return {
    profile: chosen.profile?.name ?? null,
    url: chosen.url.value,
    user: user ?? null,
    gamemode: chosen.gamemode?.value ?? null,
    key: givenKey ? 'environment' : keptKey ? keptIn : null,
    apiKey,
    admin: chosen.admin?.value ?? null,
    sessionUntil: kept?.session?.expiresAt ?? null,
    fernetKey: givenKey ?? keptKey,
    session: kept?.session,
  }
}

/** Nobody is logged in. */
export function notLoggedIn(): CliError {
  return new CliError({
    code: 'not_logged_in',
    message: 'Nobody is logged in.',
    hint: 'Log in: fish-cli login USER',
    exit: EXIT.credentials,
  })
}

/**
 * The Fernet key of a player: from FISH_KEY or FISH_KEY_FILE, else the one that `login` kept for this player at this
 * service, else from a person at a terminal.
 *
 * @throws CliError `missing_credentials`
 */
export async function readPlayerKey(
  io: Context,
  flags: ServiceFlags & { readonly 'no-input'?: boolean | undefined },
  user: string,
): Promise<string> {
  const given = await secretFromEnv(io, 'FISH_KEY')
  if (given !== undefined) return given
  const chosen = selectService(io, flags)
  const kept = await readSecrets(io, chosen)
  const own = kept && keyOf(kept, user)
  if (own !== undefined) return own
  const { profile, url } = chosen
  const isElsewhere = profile?.secrets !== undefined && !isSameService(profile.url, url.value)
  const elsewhere = isElsewhere ? `What profile ${profile.name} keeps is for ${profile.url} alone. ` : ''
  return readSecret(io, {
    variable: 'FISH_KEY',
    question: `Fernet key of ${printable(user)}`,
    alternative: `${elsewhere}Or fetch and keep it once: fish-cli login USER`,
    noInput: flags['no-input'],
  })
}

/** The key among secrets, if it is this player's. */
function keyOf({ user, fernetKey }: ProfileSecrets, wanted: string): string | undefined {
  return user !== undefined && userNameKey(user) === userNameKey(wanted) ? fernetKey : undefined
}
