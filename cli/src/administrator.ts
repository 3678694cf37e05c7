import type { AdminClient } from '@fish-crab/sdk/admin'
import { type ServiceFlags, serviceUrl } from './client.ts'
import type { Io } from './io.ts'
import { readManifest } from './package.ts'
import { readSecret } from './secrets.ts'
import { printable } from './table.ts'
import { waitingClock } from './waiting-clock.ts'

// The name that a server gives its first administrator unless told otherwise.
const DEFAULT_ADMINISTRATOR = 'admin'

/** Who an administrator logs in as, and with what. */
export interface AdminCredentials {
  readonly username: string
  readonly password: string
}

/** The administrator of a command: the flag, else the environment; the password never from a flag. */
export async function administrator(io: Io, named: string | undefined, otherwise?: string): Promise<AdminCredentials> {
  const username = named ?? (io.env.FISH_ADMIN_USERNAME || DEFAULT_ADMINISTRATOR)
  const question = `Password of the administrator ${printable(username)}`
  const request = { variable: 'FISH_ADMIN_PASSWORD', question }
  return { username, password: await readSecret(io, otherwise === undefined ? request : { ...request, otherwise }) }
}

/** A client with the rights of an administrator, at the address that flags or environment say. */
export async function openAdminClient(
  io: Io,
  flags: ServiceFlags,
  credentials: AdminCredentials,
): Promise<AdminClient> {
  const { createAdminClient } = await import('@fish-crab/sdk/admin')
  return createAdminClient({
    ...credentials,
    baseUrl: serviceUrl(io, flags),
    clock: waitingClock((line) => io.stderr.write(`${line}\n`)),
    // The login is like the write behind it: what fails is told at once.
    maxRetries: 0,
    env: {},
    userAgent: `fish-cli/${readManifest().version}`,
  })
}
