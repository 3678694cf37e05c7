import type { App } from '@fish-crab/server/app'

/** A user that a mock starts with. Every secret that is not given is made. */
export interface SeedUser {
  readonly name: string
  readonly password?: string
  readonly fernetKey?: string
  readonly apiKey?: string
}

/** An administrator that a mock starts with. */
export interface SeedAdmin {
  readonly username: string
  readonly password: string
  /** @default 'superadmin' */
  readonly role?: 'admin' | 'superadmin'
}

/** What a mock starts with. Plain data. */
export interface Seed {
  readonly users?: readonly SeedUser[]
  readonly admins?: readonly SeedAdmin[]
}

/** A seeded user with all its secrets. */
export type SeededUser = Required<SeedUser>

/** Puts the seed into a fresh service and answers the users by name. */
export async function plant(app: App, { users = [], admins = [] }: Seed): Promise<Map<string, SeededUser>> {
  const planted = new Map<string, SeededUser>()
  for (const user of users) {
    const { name, password, fernetKey, apiKey } = await app.users.create(user)
    planted.set(name, { name, password, fernetKey, apiKey })
  }
  for (const { username, password, role = 'superadmin' } of admins) await app.admins.create(username, password, role)
  return planted
}
