import type { Writable } from 'node:stream'
import type { App } from '../app/app.ts'
import { randomText } from '../app/ids.ts'

/** Who the first administrator shall be. */
export interface FirstAdmin {
  readonly username: string | undefined
  readonly password: string | undefined
}

/** The first administrator's made-up password, to be shown once. */
export interface MadeAdmin {
  readonly username: string
  readonly password: string
}

const USERNAME = 'admin'
const PASSWORD_LENGTH = 24

/** Shows a made-up password on a stream that people read. Not a log: it is shown this once. */
export function announceOn(stream: Writable): (made: MadeAdmin) => void {
  return ({ username, password }) => {
    stream.write(`Creating the administrator "${username}" with the password ${password}\n`)
    stream.write('Keep it: it is shown this once.\n')
  }
}

/**
 * Makes the first administrator when there is none.
 * @returns whether it did
 * @param announce is told a made-up password before the administrator is made: if anything fails in between, an
 *   unused password was shown, and never is there an administrator whose password nobody has seen
 */
export async function ensureFirstAdmin(
  app: App,
  first: FirstAdmin,
  announce: (made: MadeAdmin) => void,
): Promise<boolean> {
  if (await app.admins.exist()) return false
  const username = first.username ?? USERNAME
  const password = first.password ?? randomText(PASSWORD_LENGTH, (bytes) => crypto.getRandomValues(bytes))
  if (first.password === undefined) announce({ username, password })
  await app.admins.create(username, password, 'superadmin')
  return true
}
