import { userNameKey } from '@fish-crab/sdk/constants'
import { isSameService } from '../config/profile.ts'
import type { AdminSession, ProfileSecrets } from '../config/secret-store.ts'
import { readSecrets } from '../config/secrets.ts'
import { serviceWords, type Target } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { readSecret, secretFromEnv } from './read-secret.ts'

type SecretSource = 'environment' | 'keyring' | 'file'

/** All fields except `fernetKey` and `session` may be printed. */
export interface Identity {
  readonly profile: string | null
  readonly url: string
  readonly user: string | null
  readonly gamemode: string | null
  readonly key: SecretSource | null
  readonly apiKey: SecretSource | null
  readonly admin: string | null
  /** ISO 8601. */
  readonly sessionUntil: string | null
  readonly fernetKey: string | undefined
  readonly session: AdminSession | undefined
}

export async function findIdentity(context: Context, target: Target): Promise<Identity> {
  const stored = await readSecrets(context, target)
  const storedIn = target.profile?.secrets ?? null
  const user = target.user?.value
  const keyFromEnv = await secretFromEnv(context, 'FISH_KEY')
  const storedKey = stored && user !== undefined ? keyOf(stored, user) : undefined
  const apiKey = (await secretFromEnv(context, 'FISH_API_KEY')) ? 'environment' : stored?.apiKey ? storedIn : null
  return {
    profile: target.profile?.name ?? null,
    url: target.url.value,
    user: user ?? null,
    gamemode: target.gamemode?.value ?? null,
    key: keyFromEnv ? 'environment' : storedKey ? storedIn : null,
    apiKey,
    admin: target.admin?.value ?? null,
    sessionUntil: stored?.session?.expiresAt ?? null,
    fernetKey: keyFromEnv ?? storedKey,
    session: stored?.session,
  }
}

export function notLoggedIn(): CliError {
  return new CliError({
    code: 'not_logged_in',
    message: 'You are not logged in.',
    hint: 'Log in: fish-cli login',
    exit: EXIT.credentials,
  })
}

/**
 * Reads the key from FISH_KEY, otherwise from the secrets that `login` stored for this player, otherwise from a prompt.
 */
export async function readPlayerKey(
  context: Context,
  target: Target,
  { user, noInput }: { readonly user: string; readonly noInput?: boolean | undefined },
): Promise<string> {
  const keyFromEnv = await secretFromEnv(context, 'FISH_KEY')
  if (keyFromEnv !== undefined) return keyFromEnv
  const stored = await readSecrets(context, target)
  const storedKey = stored && keyOf(stored, user)
  if (storedKey !== undefined) return storedKey
  const { profile, url } = target
  const login = commandLine('login', printable(user), ...serviceWords(target))
  const isElsewhere = profile?.secrets !== undefined && !isSameService(profile.url, url.value)
  const elsewhere = isElsewhere ? `The key of profile ${profile.name} works only at ${profile.url}. ` : ''
  return readSecret(context, {
    variable: 'FISH_KEY',
    question: `Key of ${printable(user)}`,
    orElse: ` (or press Ctrl-C and log in: ${login})`,
    alternative: `${elsewhere}Or log in: ${login}`,
    noInput,
  })
}

function keyOf({ user, fernetKey }: ProfileSecrets, wanted: string): string | undefined {
  return user !== undefined && userNameKey(user) === userNameKey(wanted) ? fernetKey : undefined
}
