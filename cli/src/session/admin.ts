import { type AdminClient, createAdminClient } from '@fish-crab/sdk/admin'
import { userNameKey } from '@fish-crab/sdk/constants'
import { isSameService } from '../core/parse-values.ts'
import { clientOptions } from './client.ts'
import { type PromptOptions, readSecret } from './credentials.ts'
import type { Session } from './session.ts'

export function adminNameOf({ target: { admin } }: Session): string {
  // The name that a server gives its first administrator by default.
  return admin?.value ?? 'admin'
}

export async function readAdminCredentials(session: Session, prompt: PromptOptions = {}) {
  const username = adminNameOf(session)
  const question = `Password of the administrator ${username}`
  return { username, password: await readSecret(session, { variable: 'FISH_ADMIN_PASSWORD', question, ...prompt }) }
}

/**
 * Uses the password in the environment, otherwise the session from `login --admin`, otherwise prompts for the password.
 */
export async function openAdminClient(session: Session): Promise<AdminClient> {
  const hasPassword = (await session.secretFromEnv('FISH_ADMIN_PASSWORD')) !== undefined
  const stored = hasPassword ? undefined : (await session.secrets())?.session
  const isOwn = stored && userNameKey(stored.username) === userNameKey(adminNameOf(session))
  if (isOwn && Date.parse(stored.expiresAt) > session.clock.now()) return createAdmin(session, { token: stored.token })
  const profile = otherAdminProfile(session)
  const alternative = profile === undefined ? undefined : `Or use the session of a profile: --profile ${profile}`
  return createAdmin(session, await readAdminCredentials(session, { alternative }))
}

/** Returns the name of a profile of an administrator of the same service, if the current profile has no administrator. */
function otherAdminProfile({ config, target: { profile }, url }: Session): string | undefined {
  if (profile?.admin !== undefined) return undefined
  return [...config.profiles].find(([, one]) => one.admin !== undefined && isSameService(one.url, url))?.[0]
}

export function createAdmin(
  session: Session,
  credentials: { readonly username: string; readonly password: string } | { readonly token: string },
): AdminClient {
  // The client does not retry, so that a failed login or write is reported immediately.
  return createAdminClient({ ...clientOptions(session), maxRetries: 0, ...credentials })
}
