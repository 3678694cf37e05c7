import { LIMITS, type User, userNameKey } from '@fish-crab/sdk/contract'
import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'
import { lazy } from '../lazy.ts'
import type { PasswordHasher } from '../options.ts'
import type { StoreIdentity } from '../store-identity.ts'
import type { Users } from '../users/users.ts'
import type { Admin, Admins } from './admins.ts'
import { type BasicCredentials, parseBasic } from './basic.ts'
import type { LoginGuard } from './login-guard.ts'
import type { PasswordQueue } from './password-queue.ts'
import { createRememberedPasswords } from './remembered-passwords.ts'

/** The administrator or user who logged in. */
export type Identity = { readonly admin: Admin } | { readonly user: User }

/** Checks names and passwords. Fails with `rate_limited` or, under a crowd, `unavailable` instead of checking them. */
export interface Credentials {
  /**
   * The user or administrator that `Authorization: Basic` names. Fails with `invalid_credentials`.
   * @param subject whom the request is about: for one of another name, an administrator goes before a user
   */
  authenticate(exchange: Exchange, subject: string | undefined): Promise<Identity>
  /** The administrator with these credentials, or an `invalid_credentials` failure. */
  authenticateAdmin(credentials: BasicCredentials, exchange: Exchange): Promise<Admin>
}

/** What {@link createCredentials} builds on. */
export interface CredentialsContext {
  readonly users: Users
  readonly admins: Admins
  readonly identity: StoreIdentity
  readonly passwords: PasswordHasher
  readonly queue: PasswordQueue
  readonly guard: LoginGuard
  readonly clock: () => number
}

/** An account with the given name. */
interface Account<Who> {
  readonly who: Who
  readonly passwordHash: string
}

/** Finds the account with a name. */
type Directory<Who> = (name: string) => Promise<Account<Who> | undefined>

const CHALLENGE = { 'www-authenticate': 'Basic realm="fish-crab", charset="UTF-8"' }

/**
 * Makes the check of names and passwords. It verifies a wrong password once per directory, against a decoy hash where the
 * name is unknown, so that the time it takes does not reveal which names exist.
 */
export function createCredentials(context: CredentialsContext): Credentials {
  const { users, admins, identity, passwords, queue, guard, clock } = context
  const remembered = createRememberedPasswords(clock)
  const underWay = new Map<string, Promise<unknown>>()

  const findAdmin: Directory<Admin> = async (name) => {
    const found = await admins.findWithHash(name)
    return found && { who: found.admin, passwordHash: found.passwordHash }
  }
  const findUser: Directory<User> = async (name) => {
    const who = await users.find(name)
    const passwordHash = who && (await users.passwordHash(who))
    return who && passwordHash !== undefined ? { who, passwordHash } : undefined
  }

  const decoyHash = lazy(() => passwords.hash('a password that nobody has'))

  /** The first account, if the password was right for it in the last minutes. */
  async function recall<Who>(accounts: readonly (Account<Who> | undefined)[], password: string) {
    const fits = await Promise.all(
      accounts.map((account) => remembered.has(password, account ? account.passwordHash : '')),
    )
    const first = accounts.findIndex((account) => account !== undefined)
    return fits[first] ? accounts[first]?.who : undefined
  }

  async function tryAll<Who>(accounts: readonly (Account<Who> | undefined)[], password: string) {
    const other = await decoyHash()
    for (const account of accounts) {
      if (!(await passwords.verify(password, account?.passwordHash ?? other)) || !account) continue
      await remembered.add(password, account.passwordHash)
      return account.who
    }
    return undefined
  }

  async function identify<Who>(
    { name, password }: BasicCredentials,
    { client, request: { signal } }: Exchange,
    directories: readonly Directory<Who>[],
  ): Promise<Who | undefined> {
    const since = clock()
    // In UTF-8, all halves of surrogate pairs are the same.
    const isPossible = password.length <= LIMITS.passwordLength && password.isWellFormed()
    const tried = password.slice(0, LIMITS.passwordLength)
    const findAccounts = () => Promise.all(directories.map((find) => (isPossible ? find(name) : undefined)))

    async function recallOrProve(accounts: readonly (Account<Who> | undefined)[]): Promise<Who | undefined> {
      const known = await recall(accounts, tried)
      if (known) return known
      return guard.run({ client, name }, async () => {
        const found = await tryAll(accounts, tried)
        // Counts an unknown user as a failed login only while the store is the one that the server started with.
        if (!found) await identity.verify()
        return found
      })
    }

    const accounts = await findAccounts()
    const known = await recall(accounts, tried)
    if (known) return known
    await guard.check({ client, name })

    const sameCredentials = JSON.stringify([name, tried])
    const before = underWay.get(sameCredentials)
    if (before) {
      // If that attempt succeeds, its password is remembered and nothing needs to be derived again.
      await before.catch(() => undefined)
      signal.throwIfAborted()
      const found = await recall(accounts, tried)
      if (found) return found
    }
    const attempt = queue({ client, since, signal, work: async () => recallOrProve(await findAccounts()) })
    if (!before) {
      underWay.set(sameCredentials, attempt)
      const leave = () => underWay.delete(sameCredentials)
      attempt.then(leave, leave)
    }
    return attempt
  }

  return {
    async authenticate(exchange, subject) {
      const credentials = parseBasic(exchange.request.headers.get('authorization'))
      if (!credentials)
        throw new Failure('invalid_credentials', {
          headers: CHALLENGE,
          message: 'Send a name and a password by HTTP Basic.',
        })
      const asUser: Directory<Identity> = async (name) => {
        const found = await findUser(name)
        return found && { ...found, who: { user: found.who } }
      }
      const asAdmin: Directory<Identity> = async (name) => {
        const found = await findAdmin(name)
        return found && { ...found, who: { admin: found.who } }
      }
      const isAboutAnother = subject && userNameKey(subject) !== userNameKey(credentials.name)
      const directories = isAboutAnother ? [asAdmin, asUser] : [asUser, asAdmin]
      const found = await identify(credentials, exchange, directories)
      if (!found) throw new Failure('invalid_credentials', { headers: CHALLENGE })
      return found
    },

    async authenticateAdmin(credentials, exchange) {
      const admin = await identify(credentials, exchange, [findAdmin])
      // Administrators change things: in another store not even the right password lets them in.
      await identity.verify()
      if (!admin) throw new Failure('invalid_credentials')
      return admin
    },
  }
}
