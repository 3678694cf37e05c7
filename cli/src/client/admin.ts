import type { AdminClient } from '@fish-crab/sdk/admin'
import { userNameKey } from '@fish-crab/sdk/constants'
import { isSameService } from '../config/profile.ts'
import { readSecrets } from '../config/secrets.ts'
import type { Target } from '../config/target.ts'
import type { Context } from '../core/context.ts'
import { printable } from '../output/text.ts'
import { clientOptions } from './client.ts'
import { readSecret, type SecretRequest, secretFromEnv } from './read-secret.ts'

export type PromptOptions = Pick<SecretRequest, 'alternative' | 'noInput' | 'fromStdin'>

export function adminNameOf({ admin }: Target): string {
  // The name that a server gives its first administrator by default.
  return admin?.value ?? 'admin'
}

export async function readAdminCredentials(context: Context, target: Target, prompt: PromptOptions = {}) {
  const username = adminNameOf(target)
  const question = `Password of the administrator ${printable(username)}`
  return { username, password: await readSecret(context, { variable: 'FISH_ADMIN_PASSWORD', question, ...prompt }) }
}

/**
 * Uses the password in the environment, otherwise the session from `login --admin`, otherwise prompts for the password.
 */
export async function openAdminClient(
  context: Context,
  target: Target,
  prompt: PromptOptions = {},
): Promise<AdminClient> {
  const hasPassword = (await secretFromEnv(context, 'FISH_ADMIN_PASSWORD')) !== undefined
  const session = hasPassword ? undefined : (await readSecrets(context, target))?.session
  const isOwn = session && userNameKey(session.username) === userNameKey(adminNameOf(target))
  if (isOwn && Date.parse(session.expiresAt) > context.clock.now()) {
    return createAdmin(context, target, { token: session.token })
  }
  const profile = otherAdminProfile(context, target)
  const alternative =
    profile === undefined ? {} : { alternative: `Or use the session of a profile: --profile ${profile}` }
  return createAdmin(context, target, await readAdminCredentials(context, target, { ...alternative, ...prompt }))
}

/** Returns the name of a profile of an administrator of the same service, if the current profile has no administrator. */
function otherAdminProfile({ config }: Context, { profile, url }: Target): string | undefined {
  if (profile?.admin !== undefined) return undefined
  return [...config.profiles].find(([, one]) => one.admin !== undefined && isSameService(one.url, url.value))?.[0]
}

export async function createAdmin(
  context: Context,
  target: Target,
  credentials: { readonly username: string; readonly password: string } | { readonly token: string },
): Promise<AdminClient> {
  const { createAdminClient } = await import('@fish-crab/sdk/admin')
  // The client does not retry, so that a failed login or write is reported immediately.
  return createAdminClient({ ...clientOptions(context, target), maxRetries: 0, ...credentials })
}

/** Reads up to `limit` entries (default: all), and stops before the first entry that `isWanted` rejects. */
export async function takeFirst<Entry>(
  all: AsyncIterable<Entry>,
  limit = Number.POSITIVE_INFINITY,
  isWanted: (entry: Entry) => boolean = () => true,
) {
  const entries: Entry[] = []
  for await (const entry of all) {
    if (!isWanted(entry)) break
    if (entries.length === limit) return { entries, more: true }
    entries.push(entry)
  }
  return { entries, more: false }
}

/** Page size for {@link takeFirst} that needs few requests and reads few entries beyond the limit. */
export function pageSizeFor(limit: number | undefined, largest: number): number {
  // One additional entry shows whether more entries exist.
  return Math.min(largest, (limit ?? largest) + 1)
}
