import { CliError, EXIT } from '../../core/errors.ts'
import { keyOf } from '../../session/credentials.ts'
import type { AdminSession } from '../../session/secret-store.ts'
import type { Session } from '../../session/session.ts'

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

export async function findIdentity(session: Session): Promise<Identity> {
  const { target } = session
  const stored = await session.secrets()
  const storedIn = target.profile?.secrets ?? null
  const user = target.user?.value
  const keyFromEnv = await session.secretFromEnv('FISH_KEY')
  const storedKey = user === undefined ? undefined : keyOf(stored, user)
  const apiKey = (await session.secretFromEnv('FISH_API_KEY')) ? 'environment' : stored?.apiKey ? storedIn : null
  return {
    profile: target.profile?.name ?? null,
    url: session.url,
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
