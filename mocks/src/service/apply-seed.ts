import {
  ADMIN_ROLES,
  GAMEMODES,
  HEADERS,
  isUserName,
  KINDS,
  type Kind,
  LIMITS,
  MEDIA_TYPES,
  ROUTES,
  rarityValue,
  USER_NAME_RULE,
  userNameKey,
} from '@fish-crab/sdk/contract'
import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import type { App, RandomSource } from '@fish-crab/server/app'
import { assertKnownKeys, keysOf } from './check-options.ts'
import { seededRandom } from './random.ts'
import {
  SEEDED_AT,
  type Seed,
  type SeedAdmin,
  type SeedCrab,
  type SeededUser,
  type SeedFish,
  type SeedUser,
} from './seed.ts'

const ENTRY_KEYS = {
  fish: keysOf<SeedFish>({ name: 1, rarity: 1, caughtAt: 1 }),
  crab: keysOf<SeedCrab>({ name: 1, caughtAt: 1 }),
}

/**
 * Rejects seed mistakes that would otherwise surface far from their cause.
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
    if (other !== undefined) throw new Error(`The users "${other}" and "${name}" of the seed have the same API key.`)
    owners.set(apiKey, name)
  }
  for (const [index, admin] of admins.entries()) {
    assertKnownKeys(`seed.admins[${index}]`, admin, keysOf<SeedAdmin>({ username: 1, password: 1, role: 1 }))
    const { username, password, role = 'admin' } = admin
    assertTexts(`seed.admins[${index}]`, { username, password })
    if (ADMIN_ROLES.includes(role)) continue
    throw new Error(`The role of the administrator "${username}" of the seed must be one of ${ADMIN_ROLES.join(', ')}.`)
  }
}

function checkUser(user: SeedUser, where: string): void {
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
      if (!(GAMEMODES as readonly string[]).includes(gamemode)) {
        const known = GAMEMODES.join(', ')
        throw new Error(`Unknown gamemode "${gamemode}" in the ${kind} of ${name} in the seed. Gamemodes: ${known}.`)
      }
      assertList(`${where}.${kind}.${gamemode}`, entries)
      for (const [index, entry] of entries.entries()) {
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

export function isFernetKey(key: string): boolean {
  try {
    createFernet(key)
    return true
  } catch {
    return false
  }
}

/** A seeded user with the id that the service gave it. */
export interface ServiceUser extends SeededUser {
  readonly id: string
}

interface SeedContext {
  readonly app: App
  /** Replaces the app's source of randomness. */
  readonly setRandom: (random: RandomSource) => void
}

const POST: Readonly<Record<Kind, string>> = { fish: ROUTES.postFish.path, crab: ROUTES.postCrab.path }

/**
 * Creates the users and administrators of a seed and posts the catches. The randomness of each user depends on its
 * name alone, so that its keys and ids do not depend on the rest of the seed.
 * @returns the users by the key of their names
 */
export async function applySeed({ users = [], admins = [] }: Seed, { app, setRandom }: SeedContext) {
  const created = new Map<string, ServiceUser>()
  for (const user of users) {
    const random = seededRandom(`user ${userNameKey(user.name)}`)
    setRandom(random)
    created.set(userNameKey(user.name), await createSeedUser(app, user, random))
  }
  for (const { username, password, role = 'superadmin' } of admins) {
    setRandom(seededRandom(`admin ${userNameKey(username)}`))
    const admin = await app.admins.create(username, password, role)
    if (!admin) throw new Error(`The seed has two administrators named "${username}".`)
  }
  return created
}

async function createSeedUser(app: App, user: SeedUser, random: RandomSource): Promise<ServiceUser> {
  const { name, password, fernetKey = generateFernetKey(random), apiKey } = user
  const created = await app.users.create({ name, password, fernetKey, apiKey })
  const fernet = createFernet(fernetKey)
  for (const kind of KINDS) {
    for (const gamemode of GAMEMODES) {
      const entries: object[] =
        kind === 'fish' ? (user.fish?.[gamemode] ?? []).map(fishEntry) : [...(user.crab?.[gamemode] ?? [])]
      for (let start = 0; start < entries.length; start += LIMITS.entriesPerWrite) {
        const payload = JSON.stringify({ gamemode, [kind]: entries.slice(start, start + LIMITS.entriesPerWrite) })
        const token = await fernet.encrypt(payload, { now: SEEDED_AT, iv: random(new Uint8Array(16)) })
        await post(app, created, kind, token)
      }
    }
  }
  return { id: created.id, name, password: created.password, fernetKey, apiKey: created.apiKey }
}

/** An unknown rarity is passed on: the service says what is wrong with it. */
function fishEntry({ rarity, ...rest }: SeedFish): object {
  return { ...rest, rarity: rarityValue(rarity) ?? rarity }
}

async function post(app: App, { name, apiKey }: SeededUser, kind: Kind, token: string): Promise<void> {
  const query = new URLSearchParams({ name })
  const request = new Request(`http://seed.invalid${POST[kind]}?${query}`, {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.token, [HEADERS.apiKey]: apiKey },
    body: token,
  })
  const response = await app.fetch(request)
  if (response.status !== 201)
    throw new Error(`The ${kind} of ${name} in the seed are invalid: ${await response.text()}`)
}
