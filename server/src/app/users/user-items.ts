import { ACCOUNT_LIMITS, isUserName, type User, userNameKey } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { HttpError } from '../http/http-error.ts'
import { OLD_NAMES_BASE, oldNameKey, userKey, userNameItem } from '../store/item-keys.ts'

/** A user as stored. A flag with its default is absent. */
export interface StoredUser extends User {
  /** The old name of a user whose rename is not finished. The item of the old name is authoritative while it exists. */
  readonly oldName?: string
  /** The new name of a user whose rename is not finished. */
  readonly newName?: string
}

interface UserItemsOptions {
  readonly storage: FishStorage
  readonly clock: () => number
  /** Called after a user got another name. */
  readonly onRename: (user: User) => Promise<void>
}

const OLD_NAME_MS = ACCOUNT_LIMITS.oldNameDays * 86_400_000

/**
 * Creates the items of users: one item by name, which contains the user, one by id, which contains the name, and one by
 * each old name, which refers to the next name.
 */
export function createUserItems({ storage, clock, onRename }: UserItemsOptions) {
  const { items } = storage

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

  /** Loads the user with this id who has this name, or whose rename from this name is being finished. */
  async function locate(id: string, name: string | undefined): Promise<Awaited<ReturnType<typeof load>>> {
    if (name === undefined) return undefined
    const stored = await load(name)
    if (stored?.user.id === id) return stored
    const old = await oldName(name)
    const renamed = old?.id === id ? await load(old.next) : undefined
    return renamed?.user.id === id ? renamed : undefined
  }

  async function findById(id: string): Promise<User | undefined> {
    const stored = await locate(id, await nameOf(id))
    return stored && withoutRename(stored.user)
  }

  /** Returns the user of an item. Until a rename is finished, the item of the old name is authoritative. */
  async function current(user: StoredUser): Promise<User> {
    return (user.oldName === undefined ? undefined : await findById(user.id)) ?? withoutRename(user)
  }

  /** Finds a user by name, in any letter case. The name may be an old name of a renamed user. */
  async function find(name: string): Promise<User | undefined> {
    if (!isUserName(name)) return undefined
    const stored = await load(name)
    if (stored) return current(stored.user)
    const old = await oldName(name)
    return old && old.until > clock() ? findById(old.id) : undefined
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
  async function removeName(name: string, user: User): Promise<boolean> {
    while (true) {
      const stored = await load(name)
      if (stored?.user.id !== user.id) return false
      if (!(await storage.removeItemIf(userKey(name), stored.text))) continue
      // An interrupted rename may have stored the new name already.
      if (stored.user.newName !== undefined) await removeName(stored.user.newName, user)
      return true
    }
  }

  /** Removes the items that a rename stored although the user was deleted meanwhile. */
  async function undoRename(user: User, newName: string): Promise<never> {
    await removeName(newName, user)
    await Promise.all([userNameItem(user.id), oldNameKey(user.name)].map((key) => items.removeItem(key)))
    throw new HttpError('user_not_found')
  }

  /** Finishes a rename whose new name is stored with the user. Throws `user_exists` if the new name was taken meanwhile. */
  async function finishRename(user: User, newName: string): Promise<User> {
    while (true) {
      const stored = await load(user.name)
      if (stored?.user.id !== user.id || stored.user.newName !== newName) {
        return (await findById(user.id)) ?? undoRename(user, newName)
      }
      const { newName: _, ...rest } = stored.user
      const renamed = { ...rest, name: newName }
      const text = JSON.stringify({ ...renamed, oldName: user.name })
      if (userNameKey(newName) === userNameKey(user.name)) {
        await items.setItem(userNameItem(user.id), newName)
        if (await storage.replaceItemIf(userKey(newName), stored.text, JSON.stringify(renamed))) return renamed
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
      if (!(await storage.removeItemIf(userKey(user.name), stored.text))) continue
      await items.setItem(userNameItem(user.id), newName)
      if (!(await locate(user.id, newName))) return undoRename(user, newName)
      await onRename(renamed)
      return withoutRename(await change(renamed, ({ oldName: _, ...finished }) => finished))
    }
  }

  /**
   * Changes the name of a user. For 90 days, the old name refers to the user. Throws `user_exists` if another user has
   * the name. After an interruption, another rename finishes the first one.
   * @param record called before anything is stored, if the name is free
   */
  async function rename(user: User, name: string, record: () => Promise<unknown>): Promise<User> {
    const existing = await find(name)
    if (existing && existing.id !== user.id) throw new HttpError('user_exists')
    await record()
    while (true) {
      const { newName = name, name: before } = await change(user, (stored) => ({ newName: name, ...stored }))
      try {
        const renamed = await finishRename({ ...user, name: before }, newName)
        if (newName === name) return renamed
      } catch (error) {
        // Meanwhile, another user may have taken the name of an interrupted rename, but not the requested name.
        if (newName === name || !(error instanceof HttpError && error.code === 'user_exists')) throw error
      }
    }
  }

  /** Returns the keys of the old names of a user. Removes the references whose time is over, of any user. */
  async function oldNames({ id }: User): Promise<readonly string[]> {
    const own: string[] = []
    let after: string | undefined
    do {
      const page = await storage.listItems({ base: OLD_NAMES_BASE, limit: 1000, ...(after ? { after } : {}) })
      for (const { key, value } of page.items) {
        const [owner, until] = value.split(' ')
        if (Number(until) <= clock()) await storage.removeItemIf(key, value)
        else if (owner === id) own.push(key)
      }
      after = page.next
    } while (after !== undefined)
    return own
  }

  return {
    find,
    findById,
    nameOf,
    change,
    rename,
    oldNames,
    /** Removes the references from old names, which contain the names that a deleted user had. */
    async removeOldNames(user: User): Promise<void> {
      await Promise.all((await oldNames(user)).map((key) => items.removeItem(key)))
    },
    /** Returns the user in an item of a list, or `undefined` if another item is authoritative. */
    async listed(user: StoredUser): Promise<User | undefined> {
      const { name } = await current(user)
      return name === user.name ? withoutRename(user) : undefined
    },
    /** Removes the items by name. Returns `false` if they do not exist. */
    async remove(user: User): Promise<boolean> {
      // The user may have been renamed since.
      const stored = await locate(user.id, (await nameOf(user.id)) ?? user.name)
      return stored !== undefined && removeName(stored.user.name, user)
    },
  }
}

/** The user without the fields of an unfinished rename. */
function withoutRename({ newName: _, oldName: __, ...user }: StoredUser): User {
  return user
}
