import { ACCOUNT_LIMITS, isUserName, type User, userNameKey } from '@fish-crab/sdk/contract'
import { fromBase64, sha256Hex } from '../core/bytes.ts'
import { createLruCache, lazy } from '../core/cache.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import type { PasswordHasher } from '../core/host.ts'
import { type RandomSource, randomText } from '../core/ids.ts'
import type { Schedule } from '../core/schedule.ts'
import { createBoundedQueue } from '../http/bounded-queue.ts'
import { siteKey } from '../http/client-address.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import type { Users } from '../users/users.ts'
import type { Admin, Admins } from './admins.ts'
import type { Audit } from './audit.ts'
import type { LoginLimiter } from './login-limiter.ts'

export type Identity =
  | { readonly admin: Admin }
  | {
      readonly user: User
      /** The stored hash of the password that was verified. */
      readonly passwordHash: string
    }

export type Credentials = ReturnType<typeof createCredentials>

interface CredentialsOptions {
  readonly users: Users
  readonly admins: Admins
  readonly passwords: PasswordHasher
  readonly queue: FairQueue
  readonly loginLimiter: LoginLimiter
  readonly audit: Pick<Audit, 'recordFailedLogin'>
  readonly clock: () => number
  readonly random: RandomSource
}

interface Account {
  readonly who: Identity
  readonly passwordHash: string
}

type Directory = (name: string) => Promise<Account | undefined>

const CHALLENGE = { 'www-authenticate': 'Basic realm="fish-crab", charset="UTF-8"' }

/**
 * Maximum number of concurrent hashes. At the usual cost of scrypt, two hashes take 256 MiB and leave half of Node's
 * thread pool free.
 */
const CONCURRENT_HASHES = 2

/** Creates the queue for password hashing, which is slow and uses much memory on purpose. */
export function createPasswordQueue(schedule: Schedule): FairQueue {
  return createBoundedQueue({ what: 'logins', concurrency: CONCURRENT_HASHES, schedule })
}

/**
 * Creates the functions that check names and passwords. Each check throws `rate_limited` after too many failed logins,
 * and `unavailable` if it waits too long for its turn. A wrong password is verified once per directory (users,
 * administrators). In a directory that lacks the name, the password is verified against a decoy hash, so that the
 * response time does not reveal which names exist.
 */
export function createCredentials(options: CredentialsOptions) {
  const { users, admins, passwords, queue, loginLimiter, audit, clock, random } = options
  const verified = createVerifiedPasswords(clock, randomText(DIGEST_KEY_LENGTH, random))
  const attempts = new Map<string, Promise<unknown>>()

  const findAdmin: Directory = async (name) => {
    const found = await admins.findWithHash(name)
    return found && { who: { admin: found.admin }, passwordHash: found.passwordHash }
  }
  const findUser: Directory = async (name) => {
    const user = await users.find(name)
    const passwordHash = user && (await users.passwordHash(user))
    return user && passwordHash !== undefined ? { who: { user, passwordHash }, passwordHash } : undefined
  }

  const decoyHash = lazy(() => passwords.hash('a password that nobody has'))
  const cheapDecoyHash = lazy(() => passwords.hash('a password that nobody has', { isRandom: true }))

  /** @param client the client for which the password must have been verified. @default any client */
  async function findVerified(accounts: readonly (Account | undefined)[], password: string, client?: string) {
    // Computes one digest even if there is no account, so that the time does not reveal whether an account exists.
    const account = accounts.find((each) => each !== undefined)
    const isVerified = await verified.has(password, account?.passwordHash ?? '', client)
    return isVerified ? account : undefined
  }

  async function verifyAny(accounts: readonly (Account | undefined)[], password: string) {
    const [decoy, cheapDecoy] = await Promise.all([decoyHash(), cheapDecoyHash()])
    for (const account of accounts) {
      const hash = account?.passwordHash ?? decoy
      if ((await passwords.verify(password, hash)) && account) return account
      // Each failure takes the time of one hash of each cost. Otherwise, the time would reveal that an account exists,
      // because generated passwords have cheap hashes.
      if (passwords.isCheap) await passwords.verify(password, passwords.isCheap(hash) ? decoy : cheapDecoy)
    }
    return undefined
  }

  /**
   * Returns the current hash. If the hash is outdated, as at the first login of a migrated administrator, replaces it
   * before.
   */
  async function currentHash({ who, passwordHash }: Account, password: string): Promise<string> {
    if (!('admin' in who && passwords.isOutdated?.(passwordHash))) return passwordHash
    const renewed = await passwords.hash(password)
    await admins.replaceHash(who.admin, passwordHash, renewed)
    return renewed
  }

  async function identify(
    { name, password }: BasicCredentials,
    context: RequestContext,
    directories: readonly Directory[],
  ): Promise<Identity | undefined> {
    const { address, client, request } = context
    const { signal } = request
    // Lone surrogates are refused: in UTF-8, all of them become the same character, so different passwords would be
    // equal.
    const isPossible = isUserName(name) && password.length <= ACCOUNT_LIMITS.passwordLength && password.isWellFormed()
    const tried = password.slice(0, ACCOUNT_LIMITS.passwordLength)
    const findAccounts = () => Promise.all(directories.map((find) => (isPossible ? find(name) : undefined)))

    async function findOrVerify(accounts: readonly (Account | undefined)[]): Promise<Identity | undefined> {
      const known = await findVerified(accounts, tried, client)
      if (known) return known.who
      const who = await loginLimiter.run({ client, name }, async () => {
        const found = (await findVerified(accounts, tried)) ?? (await verifyAny(accounts, tried))
        if (found) await verified.add(tried, await currentHash(found, tried), client)
        return found?.who
      })
      if (!who) await audit.recordFailedLogin(context, nameOf(accounts.find((account) => account !== undefined)))
      return who
    }

    // Above the limit of failed logins, a password is accepted only if it was already verified for this client.
    // Otherwise, the client could continue to test guesses.
    const accounts = await findAccounts()
    const known = await findVerified(accounts, tried, client)
    if (known) return known.who
    await loginLimiter.check({ client, name })

    const sameCredentials = JSON.stringify([name, tried])
    const before = attempts.get(sameCredentials)
    if (before) {
      // If the earlier attempt with these credentials succeeds, the password is cached and need not be hashed again.
      await before.catch(() => undefined)
      signal.throwIfAborted()
      const found = await findVerified(accounts, tried, client)
      if (found) return found.who
    }
    const attempt = queue.run({
      client: siteKey(address),
      signal,
      work: async () => findOrVerify(await findAccounts()),
    })
    if (!before) {
      attempts.set(sameCredentials, attempt)
      const leave = () => attempts.delete(sameCredentials)
      attempt.then(leave, leave)
    }
    return attempt
  }

  return {
    /**
     * Returns the user or administrator that `Authorization: Basic` identifies. Throws `invalid_credentials`.
     * @param subject name of the user that the request is about. If the credentials do not contain this name,
     * administrators are tried before users
     */
    async authenticate(context: RequestContext, subject: string | undefined): Promise<Identity> {
      const credentials = parseBasic(context.request.headers.get('authorization'))
      if (!credentials)
        throw new HttpError('invalid_credentials', {
          headers: CHALLENGE,
          message: 'Send a name and a password by HTTP Basic.',
        })
      const isAboutAnother = subject && userNameKey(subject) !== userNameKey(credentials.name)
      const directories = isAboutAnother ? [findAdmin, findUser] : [findUser, findAdmin]
      const found = await identify(credentials, context, directories)
      if (!found) throw new HttpError('invalid_credentials', { headers: CHALLENGE })
      if ('user' in found && found.user.suspended) throw new HttpError('user_suspended')
      return found
    },

    /** Throws `invalid_credentials`. */
    async authenticateUser(credentials: BasicCredentials, context: RequestContext): Promise<User> {
      const found = await identify(credentials, context, [findUser])
      if (!found || !('user' in found)) throw new HttpError('invalid_credentials')
      return found.user
    },

    /** Throws `invalid_credentials`. */
    async authenticateAdmin(credentials: BasicCredentials, context: RequestContext): Promise<Admin> {
      const found = await identify(credentials, context, [findAdmin])
      if (!found || !('admin' in found)) throw new HttpError('invalid_credentials')
      return found.admin
    },
  }
}

function nameOf(account: Account | undefined): string | undefined {
  if (!account) return undefined
  return 'user' in account.who ? account.who.user.name : account.who.admin.username
}

interface BasicCredentials {
  readonly name: string
  readonly password: string
}

/** Parses `Authorization: Basic` (RFC 7617, UTF-8). Returns `undefined` if the header is absent or malformed. */
function parseBasic(header: string | null): BasicCredentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header?.trim() ?? '')?.[1]
  if (!encoded) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(encoded))
    const colon = text.indexOf(':')
    return colon === -1 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
  } catch {
    return undefined
  }
}

const VERIFIED_MS = 600_000
const MAX_VERIFIED = 10_000
const DIGEST_KEY_LENGTH = 43

/**
 * Creates a cache of verified passwords, so that the next login with the same password needs no hashing. The cache
 * contains only digests, and the key of the digests never leaves this process. Each digest includes the stored hash, so
 * the cache never accepts the old password after a reset, even after a reset by another process.
 */
function createVerifiedPasswords(clock: () => number, key: string) {
  const untilByDigest = createLruCache<string, number>(MAX_VERIFIED)
  const digestOf = (password: string, hash: string, client = '') =>
    sha256Hex(JSON.stringify([key, client, hash, password]))

  return {
    async has(password: string, hash: string, client?: string): Promise<boolean> {
      const left = (untilByDigest.get(await digestOf(password, hash, client)) ?? 0) - clock()
      // An entry must not be valid for longer than `VERIFIED_MS`, even if the clock was set back.
      return left > 0 && left <= VERIFIED_MS
    },
    async add(password: string, hash: string, client: string): Promise<void> {
      const until = clock() + VERIFIED_MS
      untilByDigest.set(await digestOf(password, hash), until)
      untilByDigest.set(await digestOf(password, hash, client), until)
    },
  }
}
