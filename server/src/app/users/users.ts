import { type CreatedUser, type User, type UserList, userNameKey } from '@fish-crab/sdk/contract'
import type { Fernet } from '@fish-crab/sdk/fernet'
import { createLruCache } from '../core/cache.ts'
import { uuidv7 } from '../core/ids.ts'
import type { StoredKey } from '../http/context.ts'
import type { Cursors } from '../http/cursors.ts'
import { HttpError } from '../http/http-error.ts'
import { keyReadKey, REMOVALS_BASE, removalKey, USERS_BASE, userKey, userNameItem } from '../store/item-keys.ts'
import type { StoredRedemption } from './logins.ts'
import { createUserItems, type StoredUser } from './user-items.ts'
import { createSecretStore, type GivenSecrets, type PlainSecrets, type SecretStoreOptions } from './user-secrets.ts'

/** A user to create. Missing secrets are generated. */
export type NewUser = GivenSecrets & { readonly name: string }

/** The flags of a user that an administrator or the user changes. */
type Flags = Pick<User, 'suspended' | 'hidden' | 'public'>

interface CreateOptions {
  /** Called before anything is stored, if the name is free. */
  readonly record?: () => Promise<unknown>
  /** Makes the stored redemption of the link with which the user was created. */
  readonly redeem?: (secrets: PlainSecrets) => Promise<StoredRedemption>
}

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
  const {
    find,
    findById,
    nameOf,
    change,
    remove: removeName,
    oldNames,
    removeOldNames,
    listed,
    rename,
  } = createUserItems({
    storage,
    clock,
    onRename: (user) => store.logins.renameOwners(user, async (name) => (await find(name))?.id === user.id),
  })
  /** Ids of the users who wrote recently, by name. A name may belong to another user by now. */
  const lastIds = createLruCache<string, string>(REMEMBERED_IDS)

  /**
   * Returns the time of the last read of the Fernet key, in ISO 8601, and the key of the audit entry of the last read by
   * the user.
   */
  async function lastKeyRead({ id }: User): Promise<{ readonly at?: string; readonly ownEntry?: string }> {
    const [at, ownEntry] = (await items.getItem(keyReadKey(id)))?.split(' ') ?? []
    return { ...(at === undefined ? {} : { at }), ...(ownEntry === undefined ? {} : { ownEntry }) }
  }

  async function removeData(user: User): Promise<void> {
    await items.removeItem(userNameItem(user.id))
    await Promise.all([store.remove(user), removeOldNames(user), items.removeItem(keyReadKey(user.id))])
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
    await removeName(user)
    await removeData(user)
    await storage.removeOwner(user.id)
    await items.removeItem(removalKey(user.id))
  }

  return {
    ...store.secrets,
    find,
    findById,
    oldNames,
    rename,

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

    /** Whether a name, which may be an old name, belongs to a user. */
    async isNameOf(user: User, name: string): Promise<boolean> {
      return userNameKey(name) === userNameKey(user.name) || (await find(name))?.id === user.id
    },

    async findByApiKeyHash(hash: string): Promise<User | undefined> {
      const name = await store.logins.ownerName(hash)
      const user = name === undefined ? undefined : await find(name)
      return user && (await store.logins.hasApiKey(user, hash)) ? user : undefined
    },

    async list({ search, limit, cursor }: UserQuery): Promise<UserList> {
      const page = await storage.listItems({
        base: USERS_BASE,
        limit,
        ...(cursor === undefined ? {} : { after: userKey(await cursors.verify(cursor, LISTING)) }),
        ...(search ? { contains: userKey(search).slice(USERS_BASE.length) } : {}),
      })
      const stored = page.items.map(({ value }) => JSON.parse(value) as StoredUser)
      const last = stored.at(-1)
      // During a rename, a user is stored under both names.
      const users = (await Promise.all(stored.map(listed))).filter((user) => user !== undefined)
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

    nameOf,

    /** Creates a user. Throws `user_exists` if the name is taken. */
    async create({ name, ...given }: NewUser, { record, redeem }: CreateOptions = {}): Promise<CreatedUser> {
      if (await find(name)) throw new HttpError('user_exists')
      await record?.()
      const now = clock()
      const user: User = { id: uuidv7(now, random), name, createdAt: new Date(now).toISOString() }
      // The name is written last. Other items are unreachable without the name, so no incomplete user is visible.
      const secrets = await store.create(user, given, redeem)
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
      await items.setItem(removalKey(user.id), JSON.stringify(user))
      const isRemoved = await removeName(user)
      await finishRemoval(user)
      return isRemoved
    },

    /** Sets flags of a user, and ends the streams that may no longer read. */
    async setFlags(user: User, flags: Flags): Promise<void> {
      await change(user, (stored) => {
        const { suspended, hidden, public: isPublic, ...rest } = { ...stored, ...flags }
        return {
          ...rest,
          ...(suspended ? { suspended } : {}),
          ...(hidden ? { hidden } : {}),
          ...(isPublic === false ? { public: isPublic } : {}),
        }
      })
      await storage.signalChange(user.id)
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

/**
 * Whether a client may read the collections of a user. Nobody can read a hidden user. Only clients with the user's own
 * API key can read a user who is not public.
 * @param keyOwner the owner of the valid API key of the client @default the client has no key
 */
export function isVisible(user: User, keyOwner?: string): boolean {
  return !user.hidden && (user.public !== false || user.id === keyOwner)
}
