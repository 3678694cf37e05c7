import { userNameKey } from '@fish-crab/sdk/constants'
import { type ServiceFlags, selection } from '../client/open-client.ts'
import { isSameService } from '../config/selection.ts'
import type { RunIo } from '../core/run-io.ts'
import { printable } from '../output/printable.ts'
import type { ProfileSecrets } from './contents.ts'
import { givenSecret, readSecret } from './read-secret.ts'
import { keptSecrets } from './vault.ts'

/**
 * The Fernet key of a player: from FISH_KEY or FISH_KEY_FILE, else the one that `login` kept for this player at this
 * service, else from a person at a terminal.
 *
 * @throws CliError `missing_credentials`
 */
export async function playerKey(
  io: RunIo,
  flags: ServiceFlags & { readonly 'no-input'?: boolean | undefined },
  user: string,
): Promise<string> {
  const given = await givenSecret(io, 'FISH_KEY')
  if (given !== undefined) return given
  const chosen = selection(io, flags)
  const kept = await keptSecrets(io, chosen)
  const own = kept && keyOf(kept, user)
  if (own !== undefined) return own
  const { profile, url } = chosen
  const isElsewhere = profile?.secrets !== undefined && !isSameService(profile.url, url.value)
  const elsewhere = isElsewhere ? `What profile ${profile.name} keeps is for ${profile.url} alone. ` : ''
  return readSecret(io, {
    variable: 'FISH_KEY',
    question: `Fernet key of ${printable(user)}`,
    otherwise: `${elsewhere}Or fetch and keep it once: fish-cli login USER`,
    noInput: flags['no-input'],
  })
}

/** The key among secrets, if it is this player's. */
export function keyOf({ user, fernetKey }: ProfileSecrets, wanted: string): string | undefined {
  return user !== undefined && userNameKey(user) === userNameKey(wanted) ? fernetKey : undefined
}
