import { type AdminRole, userNameKey } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/types.ts'
import type { PasswordHasher } from '../core/host.ts'
import { type RandomSource, uuidv7 } from '../core/ids.ts'
import { HttpError } from '../http/http-error.ts'
import { ADMINS_KEY } from '../store/item-keys.ts'
import type { StoreId } from '../store/store-id.ts'

/** An administrator. */
export interface Admin {
  readonly id: string
  readonly username: string
  readonly role: AdminRole
  readonly createdAt: string
}

interface StoredAdmin extends Admin {
  readonly passwordHash: string
}

/** The administrators of the service. */
export interface Admins {
  find(username: string): Promise<Admin | undefined>
  /** As {@link find}, with the hash of the password. */
  findWithHash(username: string): Promise<{ readonly admin: Admin; readonly passwordHash: string } | undefined>
  /** Every administrator, the first one first. */
  list(): Promise<Admin[]>
  /** Creates an administrator, or answers `undefined` when the name is taken. */
  create(username: string, password: string, role: AdminRole): Promise<Admin | undefined>
  /**
   * Gives an administrator another password, and another id, so that the sessions of the old password end; answers
   * `undefined` when there is none of that name.
   */
  setPassword(username: string, password: string): Promise<Admin | undefined>
  /** Removes an administrator; fails with `admin_not_found`, or `last_superadmin` when nobody could make another. */
  remove(username: string): Promise<void>
  /** Whether there is any administrator. */
  exist(): Promise<boolean>
}

/** What {@link createAdmins} builds on. */
export interface AdminsOptions {
  readonly storage: FishStorage
  readonly storeId: Pick<StoreId, 'verify'>
  readonly passwords: Pick<PasswordHasher, 'hash'>
  readonly clock: () => number
  readonly random: RandomSource
}

/**
 * Keeps all administrators in one item that is replaced as a whole: they are few, and only so can two removals at once
 * not take the last superadmin away.
 */
export function createAdmins({ storage, storeId, passwords, clock, random }: AdminsOptions): Admins {
  async function load(): Promise<{ text: string | null; admins: readonly StoredAdmin[] }> {
    const text = await storage.items.getItem(ADMINS_KEY)
    // Whose first administrator would be made here?
    if (text === null) await storeId.verify()
    return { text, admins: text === null ? [] : (JSON.parse(text) as StoredAdmin[]) }
  }

  /** Applies a change to what is stored, again if somebody else was quicker; `undefined` changes nothing. */
  async function change(
    next: (admins: readonly StoredAdmin[]) => readonly StoredAdmin[] | undefined,
  ): Promise<boolean> {
    const { text, admins } = await load()
    const changed = next(admins)
    if (!changed) return false
    const value = JSON.stringify(changed)
    const done =
      text === null
        ? await storage.setItemIfAbsent(ADMINS_KEY, value)
        : await storage.replaceItemIf(ADMINS_KEY, text, value)
    return done || change(next)
  }

  const named = (username: string) => (admin: Admin) => userNameKey(admin.username) === userNameKey(username)
  const loadOne = async (username: string) => (await load()).admins.find(named(username))

  return {
    async find(username) {
      const stored = await loadOne(username)
      return stored && withoutHash(stored)
    },

    async findWithHash(username) {
      const stored = await loadOne(username)
      return stored && { admin: withoutHash(stored), passwordHash: stored.passwordHash }
    },

    async list() {
      return (await load()).admins.map(withoutHash)
    },

    async create(username, password, role) {
      const now = clock()
      const admin: Admin = { id: uuidv7(now, random), username, role, createdAt: new Date(now).toISOString() }
      const stored: StoredAdmin = { ...admin, passwordHash: await passwords.hash(password) }
      const created = await change((admins) => (admins.some(named(username)) ? undefined : [...admins, stored]))
      return created ? admin : undefined
    },

    async setPassword(username, password) {
      const renewed = { id: uuidv7(clock(), random), passwordHash: await passwords.hash(password) }
      await change((admins) => {
        if (!admins.some(named(username))) return undefined
        return admins.map((admin) => (named(username)(admin) ? { ...admin, ...renewed } : admin))
      })
      return this.find(username)
    },

    async remove(username) {
      await change((admins) => {
        const left = admins.filter((admin) => !named(username)(admin))
        if (left.length === admins.length) throw new HttpError('admin_not_found')
        if (!left.some(({ role }) => role === 'superadmin')) throw new HttpError('last_superadmin')
        return left
      })
    },

    async exist() {
      return (await load()).admins.length > 0
    },
  }
}

function withoutHash({ passwordHash: _, ...admin }: StoredAdmin): Admin {
  return admin
}
