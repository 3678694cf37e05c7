import { userNameKey } from '@fish-crab/sdk/constants'
import { readConfig } from '../config/config-file.ts'
import { isSameService } from '../config/selection.ts'
import type { RunIo } from '../run-io.ts'
import { changeSecrets } from '../secrets/vault.ts'
import { type ServiceFlags, selection } from '../service/client.ts'

/** Puts a player's new key where the profile keeps the old one of this very player, if it does. */
export async function replaceKept(
  io: RunIo,
  flags: ServiceFlags,
  user: string,
  brought: { readonly fernetKey?: string | undefined; readonly apiKey?: string | undefined },
): Promise<void> {
  const { profile, url } = selection(io, flags)
  if (profile?.secrets === undefined) return
  const { fernetKey, apiKey } = brought
  await changeSecrets(io, readConfig(io), profile.name, (kept) => {
    const isOwn = kept?.user !== undefined && userNameKey(kept.user) === userNameKey(user)
    if (!isOwn || !isSameService(kept.url, url.value)) return kept
    return {
      ...kept,
      ...(kept.fernetKey && fernetKey ? { fernetKey } : {}),
      ...(kept.apiKey && apiKey ? { apiKey } : {}),
    }
  })
}
