import { type AdminRole, LIMITS, userNameKey } from '@fish-crab/sdk/contract'
import { itemKey } from '../../storage/keys.ts'
import type { FishStorage } from '../../storage/types.ts'
import { type RandomSource, uuidv7 } from '../ids.ts'
import type { PasswordHasher } from '../options.ts'

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
  /** The administrator with these credentials. */
  verify(username: string, password: string): Promise<Admin | undefined>
  /** Creates an administrator unless the name is taken. */
  create(username: string, password: string, role: AdminRole): Promise<Admin | undefined>
  /** Whether there is any administrator. */
  exist(): Promise<boolean>
}

/** What {@link createAdmins} builds on. */
export interface AdminsContext {
  readonly storage: FishStorage
  readonly passwords: PasswordHasher
  readonly clock: () => number
  readonly random: RandomSource
}

const BASE = 'admin:'

/** Keeps administrators as items by name. */
export function createAdmins({ storage, passwords, clock, random }: AdminsContext): Admins {
  const adminKey = (username: string) => itemKey('admin', userNameKey(username))

  async function load(username: string): Promise<StoredAdmin | undefined> {
    const stored = await storage.items.getItem(adminKey(username))
    return stored === null ? undefined : (JSON.parse(stored) as StoredAdmin)
  }

  return {
    async find(username) {
      const stored = await load(username)
      return stored && withoutHash(stored)
    },

    async verify(username, password) {
      if (password.length > LIMITS.passwordLength) return undefined
      const stored = await load(username)
      if (!stored) return undefined
      return (await passwords.verify(password, stored.passwordHash)) ? withoutHash(stored) : undefined
    },

    async create(username, password, role) {
      const now = clock()
      const admin: Admin = { id: uuidv7(now, random), username, role, createdAt: new Date(now).toISOString() }
      const stored: StoredAdmin = { ...admin, passwordHash: await passwords.hash(password) }
      return (await storage.setItemIfAbsent(adminKey(username), JSON.stringify(stored))) ? admin : undefined
    },

    async exist() {
      return (await storage.listItems({ base: BASE, limit: 1 })).items.length > 0
    },
  }
}

function withoutHash({ passwordHash: _, ...admin }: StoredAdmin): Admin {
  return admin
}
