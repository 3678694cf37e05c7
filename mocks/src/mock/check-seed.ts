import { ADMIN_ROLES, GAMEMODES, isUserName, KINDS, USER_NAME_RULE } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { assertKnownKeys, keysOf } from './known-keys.ts'
import type { Seed, SeedAdmin, SeedCrab, SeedFish, SeedUser } from './seed.ts'

/**
 * Refuses what nothing would refuse when it is planted, and what would then be missing, or fail, far from its cause.
 * @throws Error that names the user or administrator, and no secret
 */
export function checkSeed(seed: Seed): void {
  assertKnownKeys('seed', seed, ['users', 'admins'])
  const { users = [], admins = [] } = seed
  assertList('seed.users', users)
  assertList('seed.admins', admins)
  const owners = new Map<string, string>()
  for (const [index, user] of users.entries()) {
    checkUser(user, `seed.users[${index}]`)
    const { name, apiKey } = user
    if (apiKey === undefined) continue
    const other = owners.get(apiKey)
    if (other !== undefined) throw new Error(`The seed's users "${other}" and "${name}" have the same API key.`)
    owners.set(apiKey, name)
  }
  for (const [index, admin] of admins.entries()) {
    assertKnownKeys(`seed.admins[${index}]`, admin, keysOf<SeedAdmin>({ username: 1, password: 1, role: 1 }))
    const { username, password, role = 'admin' } = admin
    assertTexts(`seed.admins[${index}]`, { username, password })
    if (ADMIN_ROLES.includes(role)) continue
    throw new Error(`The role of the seed's administrator "${username}" must be one of ${ADMIN_ROLES.join(', ')}.`)
  }
}

function checkUser(user: SeedUser, where: string): void {
  const known = keysOf<SeedUser>({ name: 1, password: 1, fernetKey: 1, apiKey: 1, fish: 1, crab: 1 })
  assertKnownKeys(where, user, known)
  const { name, password, fernetKey, apiKey } = user
  assertTexts(where, { name, password: password ?? 'made', fernetKey: fernetKey ?? 'made', apiKey: apiKey ?? 'made' })
  if (!isUserName(name)) throw new Error(`The seed's user "${name}" must be ${USER_NAME_RULE}.`)
  if (fernetKey !== undefined && !isFernetKey(fernetKey)) {
    throw new Error(`The Fernet key of the seed's user "${name}" must be 32 bytes in base64.`)
  }
  for (const kind of KINDS) {
    for (const [gamemode, entries] of Object.entries(user[kind] ?? {})) {
      if ((GAMEMODES as readonly string[]).includes(gamemode)) {
        assertList(`${where}.${kind}.${gamemode}`, entries)
        for (const [index, entry] of entries.entries()) {
          assertKnownKeys(`${where}.${kind}.${gamemode}[${index}]`, entry, ENTRY_KEYS[kind])
        }
        continue
      }
      throw new Error(`The seed's ${kind} of ${name} are in "${gamemode}", which is none of ${GAMEMODES.join(', ')}.`)
    }
  }
}

const ENTRY_KEYS = {
  fish: keysOf<SeedFish>({ name: 1, rarity: 1, caughtAt: 1 }),
  crab: keysOf<SeedCrab>({ name: 1, caughtAt: 1 }),
}

function assertList(where: string, given: unknown): void {
  if (!Array.isArray(given)) throw new TypeError(`${where} must be a list.`)
}

function assertTexts(where: string, texts: Readonly<Record<string, unknown>>): void {
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text !== 'string' || text === '') throw new TypeError(`${where}.${key} must be a non-empty string.`)
  }
}

/** Whether a text is a key that tokens can be made with. */
export function isFernetKey(key: string): boolean {
  try {
    createFernet(key)
    return true
  } catch {
    return false
  }
}
