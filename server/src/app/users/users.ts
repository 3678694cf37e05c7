import { type CreatedUser, isUserName, type User, type UserList, userNameKey } from '@fish-crab/sdk/contract'
import { createFernet, type Fernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { itemKey } from '../../storage/keys.ts'
import type { FishStorage } from '../../storage/types.ts'
import { Failure } from '../http/failure.ts'
import { type RandomSource, randomText, uuidv7 } from '../ids.ts'
import type { PasswordHasher } from '../options.ts'
import { boundedCache } from './cache.ts'
import { sha256Hex } from './digest.ts'
import { secretKey } from './secret-keys.ts'
import type { Vault } from './vault.ts'

/** What a user is created from; every secret that is not given is made. */
interface NewUser {
  readonly name: string
  readonly password?: string | undefined
  readonly fernetKey?: string | undefined
  readonly apiKey?: string | undefined
}

/** Which users a listing wants. */
interface UserQuery {
  readonly search?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The users of the service and their secrets. */
export interface Users {
  /** The user of this name, in any letter case. */
  find(name: string): Promise<User | undefined>
  /** As {@link find}, or a `user_not_found` failure. */
  require(name: string): Promise<User>
  /** The user a personal API key belongs to. */
  findByApiKey(apiKey: string): Promise<User | undefined>
  list(query: UserQuery): Promise<UserList>
  count(): Promise<number>
  /** The name of the user with this id. */
  nameOf(id: string): Promise<string | undefined>
  /** Creates a user, or fails with `user_exists`. */
  create(user: NewUser): Promise<CreatedUser>
  /** Removes a user with all its data; `false` when someone else did so first. */
  remove(user: User): Promise<boolean>
  verifyPassword(user: User, password: string): Promise<boolean>
  fernetKey(user: User): Promise<string>
  /** The user's Fernet, ready to decrypt. */
  fernet(user: User): Promise<Fernet>
  resetPassword(user: User): Promise<string>
  resetFernetKey(user: User): Promise<string>
  resetApiKey(user: User): Promise<string>
}

/** What {@link createUsers} builds on. */
export interface UsersContext {
  readonly storage: FishStorage
  readonly vault: Vault
  readonly passwords: PasswordHasher
  readonly clock: () => number
  readonly random: RandomSource
}

const API_KEY_PREFIX = 'fck_'
const API_KEY_LENGTH = 40
const PASSWORD_LENGTH = 20
const CACHED_KEYS = 10_000
const BASE = 'user:'

/**
 * Each secret of a user is an item of its own under the user's id: two resets at once cannot undo each other, and
 * what is left of a deleted user is reachable by no name. The cache below holds what is a pure function of stored
 * bytes, keyed by those bytes and their owner: it cannot be stale, and opens for nobody else.
 */
export function createUsers({ storage, vault, passwords, clock, random }: UsersContext): Users {
  const { items } = storage
  const fernets = boundedCache<string, Fernet>(CACHED_KEYS)
  const userKey = (name: string) => itemKey('user', userNameKey(name))
  const apiKeyIndex = (hash: string) => itemKey('api-key', hash)
  const nameKey = (id: string) => itemKey('user-name', id)
  const newApiKey = () => `${API_KEY_PREFIX}${randomText(API_KEY_LENGTH, random)}`
  const newFernetKey = () => generateFernetKey(random)

  const read = (key: string) => storage.items.getItem(key)

  async function find(name: string): Promise<User | undefined> {
    if (!isUserName(name)) return undefined
    const stored = await read(userKey(name))
    return stored === null ? undefined : (JSON.parse(stored) as User)
  }

  async function setApiKey(user: User, apiKey: string): Promise<void> {
    const hash = await sha256Hex(apiKey)
    await items.setItem(apiKeyIndex(hash), user.name)
    await items.setItem(secretKey(user.id, 'api-key'), hash)
  }

  async function setSecrets(user: User, password: string, fernetKey: string, apiKey: string): Promise<void> {
    const [hash, sealed] = await Promise.all([passwords.hash(password), vault.seal(fernetKey, user.id)])
    await Promise.all([
      items.setItem(secretKey(user.id, 'password'), hash),
      items.setItem(secretKey(user.id, 'fernet'), sealed),
      items.setItem(nameKey(user.id), user.name),
      setApiKey(user, apiKey),
    ])
  }

  async function sealedFernetKey(user: User): Promise<string> {
    const sealed = await read(secretKey(user.id, 'fernet'))
    if (sealed === null) throw new Failure('user_not_found')
    return sealed
  }

  async function removeSecrets(user: User): Promise<void> {
    const hash = await read(secretKey(user.id, 'api-key'))
    if (hash !== null) await items.removeItem(apiKeyIndex(hash))
    await Promise.all(
      [
        nameKey(user.id),
        secretKey(user.id, 'password'),
        secretKey(user.id, 'fernet'),
        secretKey(user.id, 'api-key'),
      ].map((key) => items.removeItem(key)),
    )
  }

  return {
    find,

    async require(name) {
      const user = await find(name)
      if (!user) throw new Failure('user_not_found')
      return user
    },

    async findByApiKey(apiKey) {
      const hash = await sha256Hex(apiKey)
      const name = await read(apiKeyIndex(hash))
      const user = name === null ? undefined : await find(name)
      if (!user) return undefined
      return (await read(secretKey(user.id, 'api-key'))) === hash ? user : undefined
    },

    async list({ search, limit, cursor }) {
      const page = await storage.listItems({
        base: BASE,
        limit,
        ...(cursor === undefined ? {} : { after: userKey(cursor) }),
        ...(search ? { contains: userKey(search).slice(BASE.length) } : {}),
      })
      const users = page.items.map(({ value }) => JSON.parse(value) as User)
      const last = users.at(-1)
      return page.next !== undefined && last ? { users, nextCursor: userNameKey(last.name) } : { users }
    },

    count: () => storage.countItems(BASE),

    async nameOf(id) {
      return (await read(nameKey(id))) ?? undefined
    },

    async create({
      name,
      password = randomText(PASSWORD_LENGTH, random),
      fernetKey = newFernetKey(),
      apiKey = newApiKey(),
    }) {
      if (await find(name)) throw new Failure('user_exists')
      const now = clock()
      const user: User = { id: uuidv7(now, random), name, createdAt: new Date(now).toISOString() }
      // The name comes last: until it stands, none of the rest is reachable, and no half of a user can be seen.
      await setSecrets(user, password, fernetKey, apiKey)
      if (await storage.setItemIfAbsent(userKey(name), JSON.stringify(user))) {
        return { ...user, password, fernetKey, apiKey }
      }
      await removeSecrets(user)
      throw new Failure('user_exists')
    },

    async remove(user) {
      // The name goes last: a removal that was cut short can be repeated.
      await storage.removeOwner(user.id)
      await removeSecrets(user)
      return storage.removeItemIf(userKey(user.name), JSON.stringify(user))
    },

    async verifyPassword(user, password) {
      const hash = await read(secretKey(user.id, 'password'))
      return hash !== null && passwords.verify(password, hash)
    },

    async fernetKey(user) {
      return vault.open(await sealedFernetKey(user), user.id)
    },

    async fernet(user) {
      const sealed = await sealedFernetKey(user)
      const cacheKey = `${user.id} ${sealed}`
      const cached = fernets.get(cacheKey)
      if (cached) return cached
      const fernet = createFernet(await vault.open(sealed, user.id))
      fernets.set(cacheKey, fernet)
      return fernet
    },

    async resetPassword(user) {
      const password = randomText(PASSWORD_LENGTH, random)
      await items.setItem(secretKey(user.id, 'password'), await passwords.hash(password))
      return password
    },

    async resetFernetKey(user) {
      const fernetKey = newFernetKey()
      await items.setItem(secretKey(user.id, 'fernet'), await vault.seal(fernetKey, user.id))
      return fernetKey
    },

    async resetApiKey(user) {
      const apiKey = newApiKey()
      const old = await read(secretKey(user.id, 'api-key'))
      await setApiKey(user, apiKey)
      if (old !== null) await items.removeItem(apiKeyIndex(old))
      return apiKey
    },
  }
}
