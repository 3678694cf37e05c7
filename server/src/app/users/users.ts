import { type CreatedUser, isUserName, type User, type UserList, userNameKey } from '@fish-crab/sdk/contract'
import type { Fernet } from '@fish-crab/sdk/fernet'
import { createLruCache } from '../core/cache.ts'
import { uuidv7 } from '../core/ids.ts'
import type { StoredKey } from '../http/context.ts'
import type { Cursors } from '../http/cursors.ts'
import { HttpError } from '../http/http-error.ts'
import { keyReadKey, REMOVALS_BASE, removalKey, USERS_BASE, userKey, userNameItem } from '../store/item-keys.ts'
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

  /**
   * Returns the time of the last read of the Fernet key, in ISO 8601, and the key of the audit entry of the last read by
   * the user.
   */
  async function lastKeyRead({ id }: User): Promise<{ readonly at?: string; readonly ownEntry?: string }> {
    const [at, ownEntry] = (await items.getItem(keyReadKey(id)))?.split(' ') ?? []
    return { ...(at === undefined ? {} : { at }), ...(ownEntry === undefined ? {} : { ownEntry }) }
  }

  async function removeData(user: User): Promise<void> {
    await Promise.all([
      store.remove(user),
      ...[userNameItem(user.id), keyReadKey(user.id)].map((key) => items.removeItem(key)),
    ])
  }

  /** The users whose data is being removed, or whose removal was interrupted. */
  async function* removals(): AsyncGenerator<User> {
    let after: string | undefined
    do {
      const page = await storage.listItems({ base: REMOVALS_BASE, limit: 100, ...(after ? { after } : {}) })
      for (const { value } of page.items) yield JSON.parse(value) as User
      after = page.next
    } while (after !== undefined)
  }

  async function finishRemoval(user: User): Promise<void> {
    await storage.removeItemIf(userKey(user.name), JSON.stringify(user))
    await removeData(user)
    await storage.removeOwner(user.id)
    await items.removeItem(removalKey(user.id))
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

    /** @param ownEntry key of the audit entry of the last read by the user */
    async recordKeyRead(user: User, ownEntry: string | undefined): Promise<void> {
      const read = [new Date(clock()).toISOString(), ...(ownEntry === undefined ? [] : [ownEntry])]
      await items.setItem(keyReadKey(user.id), read.join(' '))
    },

    lastKeyRead,

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

    /**
     * Removes a user and all data of that user. From the first step on, the user does not exist for anybody else. After
     * an interruption, {@link finishRemovals} or another call for the same name removes the rest.
     * @returns `false` if the user is already removed
     */
    async remove(user: User): Promise<boolean> {
      const text = JSON.stringify(user)
      await items.setItem(removalKey(user.id), text)
      const isRemoved = await storage.removeItemIf(userKey(user.name), text)
      await finishRemoval(user)
      return isRemoved
    },

    /** Finds a user by name whose removal was interrupted. */
    async interruptedRemoval(name: string): Promise<User | undefined> {
      for await (const user of removals()) if (userNameKey(user.name) === userNameKey(name)) return user
      return undefined
    },

    finishRemoval,

    /** Finishes all removals that were interrupted. */
    async finishRemovals(): Promise<void> {
      for await (const user of removals()) await finishRemoval(user)
    },
  }
}
