import { type AdminRole, userNameKey } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import type { PasswordHasher } from '../core/host.ts'
import { newPassword, type RandomSource, uuidv7 } from '../core/ids.ts'
import { HttpError } from '../http/http-error.ts'
import { ADMINS_KEY } from '../store/item-keys.ts'

/** An administrator, without the hash of the password. */
export interface Admin {
  /** A new password also gives a new id, so that all sessions with the old id end. */
  readonly id: string
  readonly username: string
  readonly role: AdminRole
  /** ISO 8601. */
  readonly createdAt: string
  /** Sessions that were logged out. */
  readonly endedSessions?: readonly { readonly id: string }[]
}

/**
 * The number of ended sessions is limited, because every request reads all of them. Above this limit, all sessions of
 * the administrator end, and the list is empty again. No session is removed from the list by its time: if the clock was
 * wrong, such a session could work again.
 */
const MAX_ENDED_SESSIONS = 100

export interface StoredAdmin extends Admin {
  readonly passwordHash: string
}

export type Admins = ReturnType<typeof createAdmins>

interface AdminsOptions {
  readonly storage: FishStorage
  readonly passwords: Pick<PasswordHasher, 'hash'>
  readonly clock: () => number
  readonly random: RandomSource
}

/**
 * Creates the directory of administrators. A single item contains all administrators and is replaced as a whole, so
 * that two concurrent removals cannot remove the last superadmin.
 */
export function createAdmins({ storage, passwords, clock, random }: AdminsOptions) {
  async function load(): Promise<{ text: string | null; admins: readonly StoredAdmin[] }> {
    const text = await storage.items.getItem(ADMINS_KEY)
    return { text, admins: text === null ? [] : (JSON.parse(text) as StoredAdmin[]) }
  }

  /** Applies a change, and retries after a concurrent change. */
  async function change(
    next: (admins: readonly StoredAdmin[]) => readonly StoredAdmin[] | undefined,
  ): Promise<boolean> {
    const { text, admins } = await load()
    const changed = next(admins)
    if (!changed) return false
    const value = JSON.stringify(changed)
    const isStored =
      text === null
        ? await storage.setItemIfAbsent(ADMINS_KEY, value)
        : await storage.replaceItemIf(ADMINS_KEY, text, value)
    return isStored || change(next)
  }

  function without(username: string, admins: readonly StoredAdmin[]): readonly StoredAdmin[] {
    const others = admins.filter((admin) => !named(username)(admin))
    if (others.length === admins.length) throw new HttpError('admin_not_found')
    if (!others.some(({ role }) => role === 'superadmin')) throw new HttpError('last_superadmin')
    return others
  }

  const named = (username: string) => {
    const key = userNameKey(username)
    return (admin: Admin) => userNameKey(admin.username) === key
  }
  const loadOne = async (username: string) => (await load()).admins.find(named(username))

  return {
    async find(username: string): Promise<Admin | undefined> {
      const stored = await loadOne(username)
      return stored && withoutHash(stored)
    },

    async findWithHash(username: string) {
      const stored = await loadOne(username)
      return stored && { admin: withoutHash(stored), passwordHash: stored.passwordHash }
    },

    /** Lists the administrators in the order of their creation. */
    async list(): Promise<Admin[]> {
      return (await load()).admins.map(withoutHash)
    },

    /**
     * Creates an administrator. Returns `undefined` if the name is taken.
     * @param creatorId id of the administrator who sent the request; if this administrator was removed meanwhile, the
     * result is also `undefined`
     */
    async create(username: string, password: string, role: AdminRole, creatorId?: string) {
      const now = clock()
      const admin: Admin = { id: uuidv7(now, random), username, role, createdAt: new Date(now).toISOString() }
      const stored: StoredAdmin = { ...admin, passwordHash: await passwords.hash(password) }
      const created = await change((admins) => {
        const isAllowed = creatorId === undefined || admins.some(({ id }) => id === creatorId)
        return isAllowed && !admins.some(named(username)) ? [...admins, stored] : undefined
      })
      return created ? admin : undefined
    },

    /**
     * Replaces the password and the id of an administrator. The new id ends all sessions. Returns `undefined` if the
     * name is unknown.
     */
    async setPassword(username: string, password: string): Promise<Admin | undefined> {
      const renewed = { id: uuidv7(clock(), random), passwordHash: await passwords.hash(password) }
      await change((admins) => {
        if (!admins.some(named(username))) return undefined
        return admins.map((admin) => (named(username)(admin) ? { ...admin, ...renewed } : admin))
      })
      return this.find(username)
    },

    /**
     * Works like {@link setPassword}, but returns `false` if the administrator was deleted or got another password
     * meanwhile.
     */
    async changePassword({ id }: Admin, password: string): Promise<boolean> {
      const renewed = { id: uuidv7(clock(), random), passwordHash: await passwords.hash(password) }
      return change((admins) =>
        admins.some((admin) => admin.id === id)
          ? admins.map((admin) => (admin.id === id ? { ...admin, ...renewed } : admin))
          : undefined,
      )
    },

    /** Replaces the password by a generated password, and ends all sessions. Throws `admin_not_found`. */
    async resetPassword(username: string): Promise<string> {
      const password = newPassword(random)
      if (!(await this.setPassword(username, password))) throw new HttpError('admin_not_found')
      return password
    },

    /** Replaces the hash of an unchanged password. Sessions stay valid. */
    async replaceHash({ id }: Admin, before: string, after: string): Promise<void> {
      const isMeant = (admin: StoredAdmin) => admin.id === id && admin.passwordHash === before
      await change((admins) =>
        admins.some(isMeant)
          ? admins.map((admin) => (isMeant(admin) ? { ...admin, passwordHash: after } : admin))
          : undefined,
      )
    },

    /** Ends one session of an administrator, and all of them after every `MAX_ENDED_SESSIONS` ended sessions. */
    async endSession({ id }: Admin, sessionId: string): Promise<void> {
      await change((admins) => {
        const endedSessions = admins.find((admin) => admin.id === id)?.endedSessions ?? []
        if (endedSessions.some((ended) => ended.id === sessionId)) return undefined
        return admins.map((admin) => {
          if (admin.id !== id) return admin
          const { endedSessions: _, ...rest } = admin
          if (endedSessions.length >= MAX_ENDED_SESSIONS) return { ...rest, id: uuidv7(clock(), random) }
          return { ...rest, endedSessions: [...endedSessions, { id: sessionId }] }
        })
      })
    },

    /** Throws `admin_not_found`, or `last_superadmin` if no superadmin would remain. */
    async checkRemoval(username: string): Promise<void> {
      without(username, (await load()).admins)
    },

    /** Removes an administrator. Throws the same errors as `checkRemoval`. */
    async remove(username: string): Promise<void> {
      await change((admins) => without(username, admins))
    },

    async exist(): Promise<boolean> {
      return (await load()).admins.length > 0
    },
  }
}

function withoutHash({ passwordHash: _, ...admin }: StoredAdmin): Admin {
  return admin
}
