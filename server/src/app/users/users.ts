import {
  ACCOUNT_LIMITS,
  type CreatedUser,
  isUserName,
  type User,
  type UserList,
  userNameKey,
} from '@fish-crab/sdk/contract'
import type { Fernet } from '@fish-crab/sdk/fernet'
import { createLruCache } from '../core/cache.ts'
import { uuidv7 } from '../core/ids.ts'
import type { StoredKey } from '../http/context.ts'
import type { Cursors } from '../http/cursors.ts'
import { HttpError } from '../http/http-error.ts'
import {
  keyReadKey,
  oldNameKey,
  REMOVALS_BASE,
  removalKey,
  USERS_BASE,
  userKey,
  userNameItem,
} from '../store/item-keys.ts'
import type { StoredRedemption } from './logins.ts'
import { createSecretStore, type GivenSecrets, type PlainSecrets, type SecretStoreOptions } from './user-secrets.ts'

/** A user to create. Missing secrets are generated. */
export type NewUser = GivenSecrets & { readonly name: string }

/** A user as stored. A flag with its default is absent. */
export interface StoredUser extends User {
  /** The new name of a user whose rename is not finished. */
  readonly newName?: string
}

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
const OLD_NAME_MS = ACCOUNT_LIMITS.oldNameDays * 86_400_000

export function createUsers(options: UsersOptions) {
  const { storage, cursors, clock, random } = options
  const { items } = storage
  const store = createSecretStore(options)
  /** Ids of the users who wrote recently, by name. A name may belong to another user by now. */
  const lastIds = createLruCache<string, string>(REMEMBERED_IDS)

  async function load(name: string) {
    const text = await items.getItem(userKey(name))
    return text === null ? undefined : { text, user: JSON.parse(text) as StoredUser }
  }

  const nameOf = async (id: string) => (await items.getItem(userNameItem(id))) ?? undefined

  /** The item of an old name contains the id of the user, the Unix time of its end, and the next name. */
  async function oldName(name: string) {
    const [id, until, next] = (await items.getItem(oldNameKey(name)))?.split(' ') ?? []
    return id === undefined || next === undefined ? undefined : { id, until: Number(until), next }
  }

  /** Loads the user with this id who has, or had, this name. */
  async function locate(id: string, name: string | undefined): Promise<Awaited<ReturnType<typeof load>>> {
    if (name === undefined) return undefined
    const stored = await load(name)
    if (stored?.user.id === id) return stored
    const old = await oldName(name)
    return old?.id === id ? locate(id, old.next) : undefined
  }

  async function findById(id: string): Promise<StoredUser | undefined> {
    return (await locate(id, await nameOf(id)))?.user
  }

  /** Finds a user by name, in any letter case. The name may be an old name of a renamed user. */
  async function find(name: string): Promise<StoredUser | undefined> {
    if (!isUserName(name)) return undefined
    const stored = await load(name)
    if (stored) return stored.user
    const old = await oldName(name)
    return old && old.until > clock() ? (await locate(old.id, old.next))?.user : undefined
  }

  /**
   * Replaces a stored user, and retries after a concurrent change. Throws `user_not_found` if the user was deleted.
   * @returns the new user
   */
  async function change({ id }: User, next: (user: StoredUser) => StoredUser): Promise<StoredUser> {
    while (true) {
      const stored = await locate(id, await nameOf(id))
      if (!stored) throw new HttpError('user_not_found')
      const changed = next(stored.user)
      const text = JSON.stringify(changed)
      if (text === stored.text || (await storage.replaceItemIf(userKey(stored.user.name), stored.text, text))) {
        return changed
      }
    }
  }

  /** Removes the item of a name if it belongs to the user. */
  async function removeName(name: string, { id }: User): Promise<boolean> {
    while (true) {
      const stored = await load(name)
      if (stored?.user.id !== id) return false
      if (await storage.removeItemIf(userKey(name), stored.text)) {
        if (stored.user.newName !== undefined) await removeName(stored.user.newName, { ...stored.user })
        return true
      }
    }
  }

  /** Finishes a rename whose new name is stored with the user. Throws `user_exists` if the new name was taken meanwhile. */
  async function finishRename(user: StoredUser): Promise<StoredUser> {
    while (true) {
      const stored = await load(user.name)
      const { newName, ...rest } = stored?.user ?? user
      if (stored?.user.id !== user.id || newName === undefined) {
        const renamed = await findById(user.id)
        if (!renamed) throw new HttpError('user_not_found')
        return renamed
      }
      const renamed = { ...rest, name: newName }
      const text = JSON.stringify(renamed)
      if (userNameKey(newName) === userNameKey(user.name)) {
        await items.setItem(userNameItem(user.id), newName)
        if (await storage.replaceItemIf(userKey(newName), stored.text, text)) return renamed
        continue
      }
      if (!(await storage.setItemIfAbsent(userKey(newName), text))) {
        const taken = await load(newName)
        if (taken && taken.user.id !== user.id) {
          await storage.replaceItemIf(userKey(user.name), stored.text, JSON.stringify(rest))
          throw new HttpError('user_exists')
        }
        if (!taken || !(await storage.replaceItemIf(userKey(newName), taken.text, text))) continue
      }
      // Until the old name is removed, changes apply to the item of the old name, which is then copied again.
      // Remove a reference from the new name first, so that old names never refer to each other in a circle.
      await items.removeItem(oldNameKey(newName))
      await items.setItem(oldNameKey(user.name), [user.id, clock() + OLD_NAME_MS, newName].join(' '))
      if ((await items.getItem(removalKey(user.id))) !== null) {
        await removeName(newName, user)
        throw new HttpError('user_not_found')
      }
      if (!(await storage.removeItemIf(userKey(user.name), stored.text))) continue
      await items.setItem(userNameItem(user.id), newName)
      await store.logins.writeOwners(renamed)
      return renamed
    }
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
    await removeName(user.name, user)
    await removeData(user)
    await storage.removeOwner(user.id)
    await items.removeItem(removalKey(user.id))
  }

  return {
    ...store.secrets,
    find,
    findById,

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
    async require(name: string): Promise<StoredUser> {
      const user = await find(name)
      if (!user) throw new HttpError('user_not_found')
      return user
    },

    async findByApiKeyHash(hash: string): Promise<StoredUser | undefined> {
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
      const users = page.items.map(({ value }) => withoutNewName(JSON.parse(value) as StoredUser))
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
      const isRemoved = await removeName(user.name, user)
      await finishRemoval(user)
      return isRemoved
    },

    /**
     * Changes the name of a user. For 90 days, the old name refers to the user. Throws `user_exists` if another user has
     * the name. After an interruption, another rename finishes the first one.
     */
    async rename(user: User, name: string): Promise<StoredUser> {
      const existing = await find(name)
      if (existing && existing.id !== user.id) throw new HttpError('user_exists')
      const { newName } = await change(user, (stored) => ({ newName: name, ...stored }))
      const renamed = await finishRename((await findById(user.id)) ?? user)
      return newName === name ? renamed : this.rename(renamed, name)
    },

    /** Sets flags of a user, ends the streams that may no longer read, and returns the changed user. */
    async setFlags(user: User, flags: Flags): Promise<User> {
      const {
        hidden,
        public: isPublic,
        suspended,
        ...changed
      } = await change(user, (stored) => {
        const { suspended, hidden, public: isPublic, ...rest } = { ...stored, ...flags }
        return {
          ...rest,
          ...(suspended ? { suspended } : {}),
          ...(hidden ? { hidden } : {}),
          ...(isPublic === false ? { public: isPublic } : {}),
        }
      })
      await storage.signalChange(user.id)
      return { ...changed, suspended, hidden, public: isPublic }
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

function withoutNewName({ newName: _, ...user }: StoredUser): User {
  return user
}

/**
 * Whether a client may read the collections of a user. A hidden user is unknown to everybody, and a user who is not
 * public to everybody else.
 * @param keyOwner the owner of the valid API key of the client @default the client has no key
 */
export function isVisible(user: User, keyOwner?: string): boolean {
  return !user.hidden && (user.public !== false || user.id === keyOwner)
}
