import { type CreatedUser, isUserName, type User, type UserList, userNameKey } from '@fish-crab/sdk/contract'
import type { Fernet } from '@fish-crab/sdk/fernet'
import { createLruCache } from '../core/cache.ts'
import { uuidv7 } from '../core/ids.ts'
import type { StoredKey } from '../http/context.ts'
import type { Cursors } from '../http/cursors.ts'
import { HttpError } from '../http/http-error.ts'
import { keyReadKey, USERS_BASE, userKey, userNameItem } from '../store/item-keys.ts'
import { createSecretStore, type GivenSecrets, type SecretStoreOptions } from './user-secrets.ts'

/** A user to create. Missing secrets are generated. */
export type NewUser = GivenSecrets & { readonly name: string }

interface UserQuery {
  readonly search?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

export type Users = ReturnType<typeof createUsers>

interface UsersOptions extends SecretStoreOptions {
  readonly cursors: Cursors
  readonly clock: () => number
}

const LISTING = 'users'
const REMEMBERED_IDS = 10_000

export function createUsers(options: UsersOptions) {
  const { storage, cursors, clock, random } = options
  const { items } = storage
  const store = createSecretStore(options)
  /** Ids of the users who wrote recently, by name. A name may belong to another user by now. */
  const lastIds = createLruCache<string, string>(REMEMBERED_IDS)

  /** Finds a user by name, in any letter case. */
  async function find(name: string): Promise<User | undefined> {
    if (!isUserName(name)) return undefined
    const stored = await items.getItem(userKey(name))
    return stored === null ? undefined : (JSON.parse(stored) as User)
  }

  async function removeData(user: User): Promise<void> {
    await Promise.all([
      store.remove(user),
      ...[userNameItem(user.id), keyReadKey(user.id)].map((key) => items.removeItem(key)),
    ])
  }

  return {
    ...store.secrets,
    find,

    /** Returns a Fernet instance with the key of a user. @param stored ignored if it is the key of another user */
    fernet(user: User, stored?: StoredKey): Promise<Fernet> {
      lastIds.set(userNameKey(user.name), user.id)
      return store.fernet(user, stored)
    },

    /**
     * Reads the stored key of the user who last wrote under this name. On Redis, this read shares a round trip with
     * `find`.
     */
    async lastKey(name: string): Promise<StoredKey | undefined> {
      const id = lastIds.get(userNameKey(name))
      return id === undefined ? undefined : store.storedKey(id)
    },

    /** Works like `find`, but throws `user_not_found` for an unknown name. */
    async require(name: string): Promise<User> {
      const user = await find(name)
      if (!user) throw new HttpError('user_not_found')
      return user
    },

    async findByApiKeyHash(hash: string): Promise<User | undefined> {
      const name = await store.nameByApiKeyHash(hash)
      const user = name === undefined ? undefined : await find(name)
      return user && (await store.hasApiKeyHash(user, hash)) ? user : undefined
    },

    async list({ search, limit, cursor }: UserQuery): Promise<UserList> {
      const page = await storage.listItems({
        base: USERS_BASE,
        limit,
        ...(cursor === undefined ? {} : { after: userKey(await cursors.verify(cursor, LISTING)) }),
        ...(search ? { contains: userKey(search).slice(USERS_BASE.length) } : {}),
      })
      const users = page.items.map(({ value }) => JSON.parse(value) as User)
      const last = users.at(-1)
      return page.next !== undefined && last
        ? { users, nextCursor: await cursors.sign(userNameKey(last.name), LISTING) }
        : { users }
    },

    async recordKeyRead({ id }: User): Promise<void> {
      await items.setItem(keyReadKey(id), new Date(clock()).toISOString())
    },

    /** The time of the last read, in ISO 8601; `undefined` if the key was never read. */
    async lastKeyRead({ id }: User): Promise<string | undefined> {
      return (await items.getItem(keyReadKey(id))) ?? undefined
    },

    count: (): Promise<number> => storage.countItems(USERS_BASE),

    async nameOf(id: string): Promise<string | undefined> {
      return (await items.getItem(userNameItem(id))) ?? undefined
    },

    /**
     * Creates a user. Throws `user_exists` if the name is taken.
     * @param record called before anything is stored, if the name is free
     */
    async create({ name, ...given }: NewUser, record?: () => Promise<unknown>): Promise<CreatedUser> {
      if (await find(name)) throw new HttpError('user_exists')
      await record?.()
      const now = clock()
      const user: User = { id: uuidv7(now, random), name, createdAt: new Date(now).toISOString() }
      const secrets = store.complete(given)
      // The name is written last. Other items are unreachable without the name, so no incomplete user is visible.
      await store.set(user, secrets)
      await items.setItem(userNameItem(user.id), user.name)
      if (await storage.setItemIfAbsent(userKey(name), JSON.stringify(user))) return { ...user, ...secrets }
      await removeData(user)
      throw new HttpError('user_exists')
    },

    /** Removes a user and all data of that user. Returns `false` if the user is already removed. */
    async remove(user: User): Promise<boolean> {
      // The name is removed last, so that an interrupted removal can be repeated.
      await storage.removeOwner(user.id)
      await removeData(user)
      return storage.removeItemIf(userKey(user.name), JSON.stringify(user))
    },
  }
}
