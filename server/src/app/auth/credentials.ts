import { LIMITS, type User } from '@fish-crab/sdk/contract'
import { Failure } from '../http/failure.ts'
import type { PasswordHasher } from '../options.ts'
import type { StoreIdentity } from '../store-identity.ts'
import type { Users } from '../users/users.ts'
import type { Admin, Admins } from './admins.ts'
import { type BasicCredentials, parseBasic } from './basic.ts'
import type { LoginGuard } from './login-guard.ts'

/** Who proved to be whom. */
export type Identity = { readonly admin: Admin } | { readonly user: User }

/** Checks names and passwords. */
export interface Credentials {
  /** Whoever `Authorization: Basic` names, or an `invalid_credentials` failure. */
  authenticate(request: Request, client: string): Promise<Identity>
  /** The administrator with these credentials, or an `invalid_credentials` failure. */
  authenticateAdmin(credentials: BasicCredentials, client: string): Promise<Admin>
}

/** What {@link createCredentials} builds on. */
export interface CredentialsContext {
  readonly users: Users
  readonly admins: Admins
  readonly identity: StoreIdentity
  readonly passwords: PasswordHasher
  readonly guard: LoginGuard
}

const CHALLENGE = { 'www-authenticate': 'Basic realm="fish-crab", charset="UTF-8"' }

/** Makes the check of names and passwords. An unknown name costs the time that a known one does. */
export function createCredentials({ users, admins, identity, passwords, guard }: CredentialsContext): Credentials {
  let decoy: Promise<string> | undefined

  async function spendTheSameTime(password: string): Promise<undefined> {
    decoy ??= passwords.hash('a password that nobody has').catch((error: unknown) => {
      decoy = undefined
      throw error
    })
    await passwords.verify(password.slice(0, LIMITS.passwordLength), await decoy)
  }

  async function identify({ name, password }: BasicCredentials): Promise<Identity | undefined> {
    if (password.length > LIMITS.passwordLength) return spendTheSameTime(password)
    const known = await admins.find(name)
    if (known) {
      const admin = await admins.verify(name, password)
      if (admin) return { admin }
    }
    const user = await users.find(name)
    if (!user) return known ? undefined : spendTheSameTime(password)
    return (await users.verifyPassword(user, password)) ? { user } : undefined
  }

  async function identifyAdmin({ name, password }: BasicCredentials): Promise<Admin | undefined> {
    if (password.length > LIMITS.passwordLength) return spendTheSameTime(password)
    return (await admins.find(name)) ? admins.verify(name, password) : spendTheSameTime(password)
  }

  /** Whoever is not known counts as a failure only where the store is the one that would know. */
  async function known<Result>(found: Promise<Result | undefined>): Promise<Result | undefined> {
    const result = await found
    if (result === undefined) await identity.verify()
    return result
  }

  /** Administrators change things: in another store not even the right password lets them in. */
  async function knownAdmin(credentials: BasicCredentials): Promise<Admin | undefined> {
    const admin = await identifyAdmin(credentials)
    await identity.verify()
    return admin
  }

  return {
    async authenticate(request, client) {
      const credentials = parseBasic(request.headers.get('authorization'))
      if (!credentials)
        throw new Failure('invalid_credentials', {
          headers: CHALLENGE,
          message: 'Send a name and a password by HTTP Basic.',
        })
      const found = await guard.attempt(client, () => known(identify(credentials)))
      if (!found) throw new Failure('invalid_credentials', { headers: CHALLENGE })
      return found
    },

    async authenticateAdmin(credentials, client) {
      const admin = await guard.attempt(client, () => knownAdmin(credentials))
      if (!admin) throw new Failure('invalid_credentials')
      return admin
    },
  }
}
