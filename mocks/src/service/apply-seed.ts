import {
  type Gamemode,
  HEADERS,
  KINDS,
  type Kind,
  LIMITS,
  MEDIA_TYPES,
  ROUTES,
  rarityValue,
  userNameKey,
} from '@fish-crab/sdk/contract'
import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import type { App, RandomSource } from '@fish-crab/server/app'
import { seededRandom } from './random.ts'
import { SEEDED_AT, type Seed, type SeedCrab, type SeededUser, type SeedFish, type SeedUser } from './seed.ts'

interface SeedContext {
  readonly app: App
  readonly gamemodes: readonly Gamemode[]
  readonly setRandom: (random: RandomSource) => void
}

const POST: Readonly<Record<Kind, string>> = { fish: ROUTES.postFish.path, crab: ROUTES.postCrab.path }

/** Applies a seed. The random keys and ids of a user depend only on the user's name, not on the rest of the seed. */
export async function applySeed({ users = [], admins = [] }: Seed, { app, gamemodes, setRandom }: SeedContext) {
  const created = new Map<string, SeededUser>()
  for (const user of users) {
    const random = seededRandom(`user ${userNameKey(user.name)}`)
    setRandom(random)
    created.set(userNameKey(user.name), await createSeedUser(app, gamemodes, user, random))
  }
  for (const { username, password, role = 'superadmin' } of admins) {
    setRandom(seededRandom(`admin ${userNameKey(username)}`))
    const admin = await app.admins.create(username, password, role)
    if (!admin) throw new Error(`The seed has two administrators named "${username}".`)
  }
  return created
}

async function createSeedUser(
  app: App,
  gamemodes: readonly Gamemode[],
  user: SeedUser,
  random: RandomSource,
): Promise<SeededUser> {
  const { name, password, fernetKey = generateFernetKey(random), apiKey } = user
  const created = await app.users.create({ name, password, fernetKey, apiKey })
  const fernet = createFernet(fernetKey)
  for (const kind of KINDS) {
    for (const gamemode of gamemodes) {
      // Pass an unknown rarity to the service, which reports the mistake.
      const seeded: readonly (SeedFish | SeedCrab)[] = user[kind]?.[gamemode] ?? []
      const entries = seeded.map((entry) =>
        'rarity' in entry ? { ...entry, rarity: rarityValue(entry.rarity) ?? entry.rarity } : entry,
      )
      for (let start = 0; start < entries.length; start += LIMITS.entriesPerWrite) {
        const payload = JSON.stringify({ gamemode, [kind]: entries.slice(start, start + LIMITS.entriesPerWrite) })
        const token = await fernet.encrypt(payload, { now: SEEDED_AT, iv: random(new Uint8Array(16)) })
        await post(app, created, kind, token)
      }
    }
  }
  return { name, password: created.password, fernetKey, apiKey: created.apiKey }
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
