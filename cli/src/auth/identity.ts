import type { Selection } from '../config/selection.ts'
import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { RunIo } from '../core/run-io.ts'
import type { KeptSession } from './contents.ts'
import { keyOf } from './player-key.ts'
import { givenSecret } from './read-secret.ts'
import { keptSecrets } from './vault.ts'

/** Where a secret is. */
type SecretPlace = 'environment' | 'keyring' | 'file'

/** Who commands act as. All but `fernetKey` and `session` can be shown. */
export interface Identity {
  readonly profile: string | null
  readonly url: string
  readonly user: string | null
  readonly gamemode: string | null
  /** Where the Fernet key is that would be used. */
  readonly key: SecretPlace | null
  readonly apiKey: SecretPlace | null
  readonly admin: string | null
  /** When the administrator's session ends, ISO 8601. */
  readonly sessionUntil: string | null
  /** The key itself. */
  readonly fernetKey: string | undefined
  readonly session: KeptSession | undefined
}

/** Gathers who commands act as, with the secrets that they would use. */
export async function findIdentity(io: RunIo, chosen: Selection): Promise<Identity> {
  const kept = await keptSecrets(io, chosen)
  const keptIn = chosen.profile?.secrets ?? null
  const user = chosen.user?.value
  const givenKey = await givenSecret(io, 'FISH_KEY')
  const keptKey = kept && user !== undefined ? keyOf(kept, user) : undefined
  const apiKey = (await givenSecret(io, 'FISH_API_KEY')) ? 'environment' : kept?.apiKey ? keptIn : null
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
