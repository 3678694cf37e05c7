import type { User } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { HttpError } from '../http/http-error.ts'
import { apiKeyOwnerKey, secretKey, userNameItem } from '../store/item-keys.ts'

/** The password and the API keys of a player. One item contains all of them, so that one write replaces them together. */
export interface StoredLogin {
  /** The hash of the password. */
  readonly password: string
  /** The hashes of the valid API keys. A migrated player may have several keys. */
  readonly apiKeys: readonly string[]
  /** The hashes of replaced API keys whose owner items are being removed. */
  readonly replaced?: readonly string[]
  /** The login link of the player. */
  readonly link?: StoredLink
  /** The last redemption of a link, for repetitions. */
  readonly redeemed?: StoredRedemption
}

/** A link that is not redeemed. */
export interface StoredLink {
  /** The hash of the token. */
  readonly token: string
  /** Unix time in milliseconds. */
  readonly expiresAt: number
}

/** A redeemed link. */
export interface StoredRedemption {
  /** The hash of the token. */
  readonly token: string
  /** The hash of the client's nonce. */
  readonly nonce: string
  /** Until this Unix time in milliseconds, a repetition gets the response. */
  readonly until: number
  /** The response, encrypted with the token and the nonce. */
  readonly response: string
}

/**
 * Creates the store of the logins of players. An API key is stored as a hash, in two items: the login of the user, which
 * decides whether the key is valid, and an owner item, which contains the name of the user. After a crash, the login
 * lists the keys whose owner items a later change removes.
 */
export function createLogins(storage: FishStorage) {
  const { items } = storage
  const keyOf = ({ id }: Pick<User, 'id'>) => secretKey(id, 'login')
  const removeOwners = (hashes: readonly string[]) =>
    Promise.all(hashes.map((hash) => items.removeItem(apiKeyOwnerKey(hash))))

  async function find(user: Pick<User, 'id'>): Promise<StoredLogin | undefined> {
    const text = await items.getItem(keyOf(user))
    return text === null ? undefined : (JSON.parse(text) as StoredLogin)
  }

  /**
   * Writes the owner items of API keys. The user may be renamed at the same time: a rename writes the owner items of all
   * stored keys after the new name, so one of the two writes the new name last.
   */
  async function writeOwners({ id }: Pick<User, 'id'>, hashes: readonly string[]): Promise<void> {
    let written: string | null = null
    let name = await items.getItem(userNameItem(id))
    while (name !== null && name !== written) {
      const owner: string = name
      await Promise.all(hashes.map((hash) => items.setItem(apiKeyOwnerKey(hash), owner)))
      written = owner
      name = await items.getItem(userNameItem(id))
    }
    // The user was deleted meanwhile.
    if (name === null) await removeOwners(hashes)
  }

  return {
    find,

    /** Stores the login of a new user, whose name is not visible yet. */
    async create(user: User, login: StoredLogin): Promise<void> {
      await items.setItem(keyOf(user), JSON.stringify(login))
      await Promise.all(login.apiKeys.map((hash) => items.setItem(apiKeyOwnerKey(hash), user.name)))
    },

    /**
     * Replaces the login, and retries after a concurrent change. Throws `user_not_found` if the user was deleted.
     * @param next returns the new login, or `undefined` to change nothing
     * @returns the new login, or `undefined` if nothing was changed
     */
    async change(user: User, next: (login: StoredLogin) => StoredLogin | undefined): Promise<StoredLogin | undefined> {
      while (true) {
        const text = await items.getItem(keyOf(user))
        if (text === null) throw new HttpError('user_not_found')
        const before = JSON.parse(text) as StoredLogin
        const after = next(before)
        if (after === undefined) return undefined
        const replaced = [...(before.replaced ?? []), ...before.apiKeys].filter((hash) => !after.apiKeys.includes(hash))
        const stored = JSON.stringify(replaced.length > 0 ? { ...after, replaced } : after)
        if (!(await storage.replaceItemIf(keyOf(user), text, stored))) continue
        const added = after.apiKeys.filter((hash) => !before.apiKeys.includes(hash))
        await writeOwners(user, added)
        if (added.length > 0) {
          // Meanwhile, another change may have replaced the keys, or the user was deleted.
          const { apiKeys = [] } = (await find(user)) ?? {}
          await removeOwners(added.filter((hash) => !apiKeys.includes(hash)))
        }
        if (replaced.length > 0) {
          await removeOwners(replaced)
          await storage.replaceItemIf(keyOf(user), stored, JSON.stringify(after))
        }
        return after
      }
    },

    /** Writes the owner items of the user's API keys again. */
    async repeatOwners(user: Pick<User, 'id'>): Promise<void> {
      await writeOwners(user, (await find(user))?.apiKeys ?? [])
    },

    /**
     * Writes the new name of a user into the owner items of the user's API keys. Migrated players may share a key, which
     * then belongs to only one of them.
     * @param isOwn whether a name belongs to the user
     */
    async renameOwners(user: Pick<User, 'id'>, isOwn: (name: string) => Promise<boolean>): Promise<void> {
      const own: string[] = []
      for (const hash of (await find(user))?.apiKeys ?? []) {
        const name = await items.getItem(apiKeyOwnerKey(hash))
        if (name !== null && (await isOwn(name))) own.push(hash)
      }
      await writeOwners(user, own)
    },

    /** Removes the login of a user whose id has no name any more. A concurrent change removes its own owner items. */
    async remove(user: Pick<User, 'id'>): Promise<void> {
      const { apiKeys = [], replaced = [] } = (await find(user)) ?? {}
      await removeOwners([...apiKeys, ...replaced])
      await items.removeItem(keyOf(user))
    },

    /** Returns the name of the owner of an API key, which may be outdated or removed. */
    async ownerName(apiKey: string): Promise<string | undefined> {
      return (await items.getItem(apiKeyOwnerKey(apiKey))) ?? undefined
    },

    async hasApiKey(user: User, hash: string): Promise<boolean> {
      return (await find(user))?.apiKeys.includes(hash) ?? false
    },
  }
}
