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

export type Identity = { readonly admin: Admin } | { readonly user: User }

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

/** Hashes that run at once: two at scrypt's usual cost take 256 MiB, and leave half of Node's thread pool to others. */
const CONCURRENT_HASHES = 2

/** Creates the queue of password hashes, which are slow and use much memory on purpose. */
export function createPasswordQueue(schedule: Schedule): FairQueue {
  return createBoundedQueue({ what: 'logins', concurrency: CONCURRENT_HASHES, schedule })
}

/**
 * Creates the check of names and passwords, which throws `rate_limited` after failed logins, and `unavailable` when the
 * wait for its turn takes too long. A wrong password is verified once per directory, against a decoy hash if the
 * name is unknown, so that the time it takes does not reveal which names exist.
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
    return user && passwordHash !== undefined ? { who: { user }, passwordHash } : undefined
  }

  const decoyHash = lazy(() => passwords.hash('a password that nobody has'))

  /** @param client only if it was verified for this client. @default for any */
  async function findVerified(accounts: readonly (Account | undefined)[], password: string, client?: string) {
    // Computes one digest even without an account, so that the time does not reveal whether the account exists.
    const account = accounts.find((each) => each !== undefined)
    const isVerified = await verified.has(password, account?.passwordHash ?? '', client)
    return isVerified ? account : undefined
  }

  async function verifyAny(accounts: readonly (Account | undefined)[], password: string) {
    const decoy = await decoyHash()
    for (const account of accounts) {
      if ((await passwords.verify(password, account?.passwordHash ?? decoy)) && account) return account
    }
    return undefined
  }

  /** Replaces the hash of a migrated administrator at the first login. */
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
    // In UTF-8, all lone surrogates become the same character.
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

    // Passwords that other clients have verified are compared below the limit only. Otherwise, a client above it could
    // test guesses.
    const accounts = await findAccounts()
    const known = await findVerified(accounts, tried, client)
    if (known) return known.who
    await loginLimiter.check({ client, name })

    const sameCredentials = JSON.stringify([name, tried])
    const before = attempts.get(sameCredentials)
    if (before) {
      // If that attempt succeeds, its password is known and need not be hashed again.
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
     * The user or administrator of `Authorization: Basic`. Throws `invalid_credentials`.
     * @param subject the user that the request is about. If the name differs, administrators are tried before users
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
      return found
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

/** Parses `Authorization: Basic` (RFC 7617, UTF-8). `undefined` if absent or malformed. */
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
 * Creates a cache of verified passwords, so that the next login does not hash again. It holds keyed digests, whose key
 * never leaves this process. Each includes the stored hash, which every attempt reads: after a reset, by any process, the
 * old password is not found.
 */
function createVerifiedPasswords(clock: () => number, key: string) {
  const untilByDigest = createLruCache<string, number>(MAX_VERIFIED)
  const digestOf = (password: string, hash: string, client = '') =>
    sha256Hex(JSON.stringify([key, client, hash, password]))

  return {
    async has(password: string, hash: string, client?: string): Promise<boolean> {
      const left = (untilByDigest.get(await digestOf(password, hash, client)) ?? 0) - clock()
      // A clock that was set back must not extend it.
      return left > 0 && left <= VERIFIED_MS
    },
    async add(password: string, hash: string, client: string): Promise<void> {
      const until = clock() + VERIFIED_MS
      untilByDigest.set(await digestOf(password, hash), until)
      untilByDigest.set(await digestOf(password, hash, client), until)
    },
  }
}
