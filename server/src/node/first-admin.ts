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

/** Makes the first administrator when there is none. Answers what has to be shown: nothing when the password was given. */
export async function ensureFirstAdmin(app: App, first: FirstAdmin): Promise<MadeAdmin | undefined> {
  if (await app.admins.exist()) return undefined
  const username = first.username ?? USERNAME
  const password = first.password ?? randomText(PASSWORD_LENGTH, (bytes) => crypto.getRandomValues(bytes))
  const admin = await app.admins.create(username, password, 'superadmin')
  return admin && first.password === undefined ? { username, password } : undefined
}
