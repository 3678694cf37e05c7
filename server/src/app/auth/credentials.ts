import { LIMITS, type User, userNameKey } from '@fish-crab/sdk/contract'
import { createLruCache, lazy } from '../core/cache.ts'
import type { PasswordHasher } from '../core/host.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import type { StoreId } from '../store/store-id.ts'
import type { Users } from '../users/users.ts'
import type { Admin, Admins } from './admins.ts'
import type { LoginLimiter } from './login-limiter.ts'
import type { PasswordQueue } from './password-queue.ts'

/** The administrator or user who logged in. */
export type Identity = { readonly admin: Admin } | { readonly user: User }

/** Checks names and passwords. Fails with `rate_limited` or, under a crowd, `unavailable` instead of checking them. */
export interface Credentials {
  /**
   * The user or administrator that `Authorization: Basic` names. Fails with `invalid_credentials`.
   * @param subject whom the request is about: for one of another name, an administrator goes before a user
   */
  authenticate(context: RequestContext, subject: string | undefined): Promise<Identity>
  /** The administrator with these credentials, or an `invalid_credentials` failure. */
  authenticateAdmin(credentials: BasicCredentials, context: RequestContext): Promise<Admin>
}

/** What {@link createCredentials} builds on. */
interface CredentialsOptions {
  readonly users: Users
  readonly admins: Admins
  readonly storeId: StoreId
  readonly passwords: PasswordHasher
  readonly queue: PasswordQueue
  readonly loginLimiter: LoginLimiter
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
export function createCredentials(context: CredentialsOptions): Credentials {
  const { users, admins, storeId, passwords, queue, loginLimiter, clock } = context
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
    { client, request: { signal } }: RequestContext,
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
      return loginLimiter.run({ client, name }, async () => {
        const found = await tryAll(accounts, tried)
        // Counts an unknown user as a failed login only while the store is the one that the server started with.
        if (!found) await storeId.verify()
        return found
      })
    }

    const accounts = await findAccounts()
    const known = await recall(accounts, tried)
    if (known) return known
    await loginLimiter.check({ client, name })

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
    async authenticate(context, subject) {
      const credentials = parseBasic(context.request.headers.get('authorization'))
      if (!credentials)
        throw new HttpError('invalid_credentials', {
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
      const found = await identify(credentials, context, directories)
      if (!found) throw new HttpError('invalid_credentials', { headers: CHALLENGE })
      return found
    },

    async authenticateAdmin(credentials, context) {
      const admin = await identify(credentials, context, [findAdmin])
      // Administrators change things: in another store not even the right password lets them in.
      await storeId.verify()
      if (!admin) throw new HttpError('invalid_credentials')
      return admin
    },
  }
}

/** A name and a password, as HTTP Basic carries them. */
interface BasicCredentials {
  readonly name: string
  readonly password: string
}

/** Reads `Authorization: Basic` (RFC 7617, UTF-8). `undefined` when there is none or it is malformed. */
function parseBasic(header: string | null): BasicCredentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header?.trim() ?? '')?.[1]
  if (!encoded) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const colon = text.indexOf(':')
    return colon === -1 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
  } catch {
    return undefined
  }
}

/** Passwords that fitted a stored hash a while ago: they need not be derived again to let the same person in. */
interface RememberedPasswords {
  /** Whether this password was found to fit this hash in the last minutes. */
  has(password: string, hash: string): Promise<boolean>
  /** Notes that it fits. */
  add(password: string, hash: string): Promise<void>
}

const LIFE_MS = 600_000
const CAPACITY = 10_000

/**
 * Makes an empty memory. It holds keyed digests alone, of a key that never leaves this process. The stored hash is a
 * part of each, and is read with every attempt: after a reset, by whichever process, the old password finds nothing.
 * @param clock unix time in milliseconds
 */
function createRememberedPasswords(clock: () => number): RememberedPasswords {
  const untilByDigest = createLruCache<string, number>(CAPACITY)
  const key = lazy(async () => crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']))

  async function digestOf(password: string, hash: string): Promise<string> {
    const text = new TextEncoder().encode(JSON.stringify([hash, password]))
    return String.fromCharCode(...new Uint8Array(await crypto.subtle.sign('HMAC', await key(), text)))
  }

  return {
    async has(password, hash) {
      const left = (untilByDigest.get(await digestOf(password, hash)) ?? 0) - clock()
      // A clock that was set back makes nothing last longer.
      return left > 0 && left <= LIFE_MS
    },
    async add(password, hash) {
      untilByDigest.set(await digestOf(password, hash), clock() + LIFE_MS)
    },
  }
}
