import type { AdminClient } from '@fish-crab/sdk/admin'
import { userNameKey } from '@fish-crab/sdk/constants'
import { readSecret, type SecretRequest, secretFromEnv } from '../auth/read-secret.ts'
import { readSecrets } from '../auth/secrets.ts'
import type { AdminSession } from '../auth/store.ts'
import { parseMaxWait, type Selection, type ServiceFlags, selectService } from '../config/selection.ts'
import type { Context } from '../core/context.ts'
import { printable } from '../output/text.ts'
import { clientOptions } from './client.ts'

// The name that a server gives its first administrator unless told otherwise.
const DEFAULT_ADMINISTRATOR = 'admin'

/** Who an administrator logs in as, and with what. */
interface AdminCredentials {
  readonly username: string
  readonly password: string
}

/** What is known besides names when an administrator is asked for a password. */
export type PromptOptions = Pick<SecretRequest, 'alternative' | 'noInput' | 'fromStdin'>

/** The name of the administrator of a command: the flag, else the environment, the profile, or the usual one. */
export function adminNameOf({ admin }: Pick<Selection, 'admin'>): string {
  return admin?.value ?? DEFAULT_ADMINISTRATOR
}

/** The administrator of a command, with the password, which is never from a flag. */
export async function readAdminCredentials(
  io: Context,
  flags: ServiceFlags,
  asking: PromptOptions = {},
): Promise<AdminCredentials> {
  const username = adminNameOf(selectService(io, flags))
  return { username, password: await readAdminPassword(io, username, asking) }
}

/** The password of an administrator, from where secrets come. */
export function readAdminPassword(io: Context, username: string, asking: PromptOptions = {}): Promise<string> {
  const question = `Password of the administrator ${printable(username)}`
  return readSecret(io, { variable: 'FISH_ADMIN_PASSWORD', question, ...asking })
}

/**
 * A client with the rights of an administrator: with the password of the environment, else with the session that
 * `login --admin` kept, else with a password that is asked for.
 */
export async function openAdminClient(
  io: Context,
  flags: ServiceFlags,
  asking: PromptOptions = {},
): Promise<AdminClient> {
  const chosen = selectService(io, flags)
  const username = adminNameOf(chosen)
  const session = (await secretFromEnv(io, 'FISH_ADMIN_PASSWORD'))
    ? undefined
    : (await readSecrets(io, chosen))?.session
  if (session && isOpen(session, username, io.clock.now())) return createAdmin(io, chosen, { token: session.token })
  return createAdmin(io, chosen, { username, password: await readAdminPassword(io, username, asking) })
}

/** A client with the rights of an administrator, for a service that was selected. */
export async function createAdmin(
  io: Context,
  chosen: Pick<Selection, 'url'> & Partial<Pick<Selection, 'maxWait'>>,
  rights: AdminCredentials | { readonly token: string },
): Promise<AdminClient> {
  const { createAdminClient } = await import('@fish-crab/sdk/admin')
  // The login is like the write behind it: what fails is told at once.
  const patience = { maxRetries: 0, maxWaitMs: parseMaxWait(chosen.maxWait) }
  return createAdminClient({ ...clientOptions(io, chosen), ...patience, ...rights })
}

/** Whether a kept session is this administrator's and not over, by the clock of this machine. */
function isOpen({ username, expiresAt }: AdminSession, wanted: string, now: number): boolean {
  return userNameKey(username) === userNameKey(wanted) && Date.parse(expiresAt) > now
}

/** The first entries of many, and whether there were more. */
interface Page<Entry> {
  readonly entries: readonly Entry[]
  readonly more: boolean
}

/** Reads as many as are wanted, all unless told how many, and stops before the first that `isWanted` refuses. */
export async function takeFirst<Entry>(
  all: AsyncIterable<Entry>,
  limit = Number.POSITIVE_INFINITY,
  isWanted: (entry: Entry) => boolean = () => true,
): Promise<Page<Entry>> {
  const entries: Entry[] = []
  for await (const entry of all) {
    if (!isWanted(entry)) break
    if (entries.length === limit) return { entries, more: true }
    entries.push(entry)
  }
  return { entries, more: false }
}

/** How many to ask for at once, so that {@link takeFirst} needs few requests and reads little in vain. */
export function pageSizeFor(limit: number | undefined, largest: number): number {
  // One more shows whether there are more.
  return Math.min(largest, (limit ?? largest) + 1)
}
