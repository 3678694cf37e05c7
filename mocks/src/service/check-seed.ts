import {
  ADMIN_ROLES,
  GAMEMODES,
  type Gamemode,
  isUserName,
  KINDS,
  USER_NAME_RULE,
  userNameKey,
} from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { assertKnownKeys, keysOf } from './check-options.ts'
import type { Seed, SeedAdmin, SeedCrab, SeedFish, SeedUser } from './seed.ts'

/** A value is not a valid seed. The message does not repeat values, which may be keys. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  /** One sentence each. */
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join(' '))
    this.mistakes = mistakes
  }
}

/**
 * Validates a value from outside, such as a JSON file, as a seed.
 * @throws SeedError that lists the mistakes: the first one of each user and administrator
 * @example
 * import { parseSeed } from '@fish-crab/mocks/standalone'
 * const mock = await createMock({ seed: parseSeed(JSON.parse(await readFile('seed.json', 'utf8'))) })
 */
export function parseSeed(value: unknown, gamemodes: readonly Gamemode[] = GAMEMODES): Seed {
  const mistakes: string[] = []
  for (const check of checksOf(value as Seed, gamemodes)) {
    try {
      check()
    } catch (error) {
      mistakes.push((error as Error).message)
    }
  }
  if (mistakes.length > 0) throw new SeedError(mistakes)
  return value as Seed
}

const ENTRY_KEYS = {
  fish: keysOf<SeedFish>({ name: 1, rarity: 1, caughtAt: 1 }),
  crab: keysOf<SeedCrab>({ name: 1, caughtAt: 1 }),
}

/** Rejects seed mistakes that would otherwise surface far from their cause. The error contains no secret. */
export function checkSeed(seed: Seed, gamemodes: readonly Gamemode[]): void {
  for (const check of checksOf(seed, gamemodes)) check()
}

function checksOf(seed: Seed, gamemodes: readonly Gamemode[]): (() => void)[] {
  const { users, admins } = Object(seed) as Seed
  const refuseSame = uniqueness()
  return [
    () => assertKnownKeys('seed', seed, ['users', 'admins']),
    () => assertList('seed.users', users ?? []),
    () => assertList('seed.admins', admins ?? []),
    ...listOf(users).map((user, index) => () => {
      checkUser(user, `seed.users[${index}]`, gamemodes)
      const { name, apiKey } = user
      refuseSame('name; letter case does not matter', userNameKey(name), name)
      if (apiKey !== undefined) refuseSame('API key', apiKey, name)
    }),
    ...listOf(admins).map((admin, index) => () => checkAdmin(admin, `seed.admins[${index}]`)),
  ]
}

function uniqueness() {
  const owners = new Map<string, string>()
  return (what: string, value: string, name: string) => {
    const key = `${what}: ${value}`
    const other = owners.get(key)
    if (other !== undefined) throw new Error(`The users "${other}" and "${name}" of the seed have the same ${what}.`)
    owners.set(key, name)
  }
}

function listOf<Item>(items: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(items) ? items : []
}

function checkAdmin(admin: SeedAdmin, where: string): void {
  assertKnownKeys(where, admin, keysOf<SeedAdmin>({ username: 1, password: 1, role: 1 }))
  const { username, password, role = 'admin' } = admin
  assertTexts(where, { username, password })
  if (ADMIN_ROLES.includes(role)) return
  throw new Error(`The role of the administrator "${username}" of the seed must be one of ${ADMIN_ROLES.join(', ')}.`)
}

function checkUser(user: SeedUser, where: string, gamemodes: readonly Gamemode[]): void {
  const known = keysOf<SeedUser>({ name: 1, password: 1, fernetKey: 1, apiKey: 1, fish: 1, crab: 1 })
  assertKnownKeys(where, user, known)
  const { name, ...secrets } = user
  assertTexts(where, { name })
  for (const key of ['password', 'fernetKey', 'apiKey'] as const) {
    if (secrets[key] !== undefined) assertTexts(where, { [key]: secrets[key] })
  }
  if (!isUserName(name)) throw new Error(`The name of the user "${name}" of the seed must be ${USER_NAME_RULE}.`)
  if (secrets.fernetKey !== undefined && !isFernetKey(secrets.fernetKey)) {
    throw new Error(`The Fernet key of the user "${name}" of the seed must be 32 bytes in base64.`)
  }
  for (const kind of KINDS) {
    for (const [gamemode, entries] of Object.entries(user[kind] ?? {})) {
      if (!gamemodes.includes(gamemode)) {
        const known = gamemodes.join(', ')
        throw new Error(`Unknown gamemode "${gamemode}" in the ${kind} of ${name} in the seed. Gamemodes: ${known}.`)
      }
      assertList(`${where}.${kind}.${gamemode}`, entries)
      for (const [index, entry] of (entries ?? []).entries()) {
        assertKnownKeys(`${where}.${kind}.${gamemode}[${index}]`, entry, ENTRY_KEYS[kind])
      }
    }
  }
}

function assertList(where: string, given: unknown): void {
  if (!Array.isArray(given)) throw new TypeError(`${where} must be a list.`)
}

function assertTexts(where: string, texts: Readonly<Record<string, unknown>>): void {
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text !== 'string' || text === '') throw new TypeError(`${where}.${key} must be a non-empty string.`)
  }
}

function isFernetKey(key: string): boolean {
  try {
    createFernet(key)
    return true
  } catch {
    return false
  }
}
