import type { Io } from './io.ts'
import { readSecret } from './secrets.ts'
import { printable } from './table.ts'

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
