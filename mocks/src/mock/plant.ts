import {
  GAMEMODES,
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
import { SEEDED_AT, type Seed, type SeededUser, type SeedFish, type SeedUser } from './seed.ts'

/** A user that was planted. */
export interface PlantedUser extends SeededUser {
  readonly id: string
}

/** What {@link plant} works on. */
export interface PlantContext {
  readonly app: App
  /** Where the app's own randomness comes from, until it is told otherwise. */
  readonly setRandom: (random: RandomSource) => void
}

const POST: Readonly<Record<Kind, string>> = { fish: ROUTES.postFish.path, crab: ROUTES.postCrab.path }

/**
 * Puts the seed into a fresh service, by the ways that its hosts and clients use. Each user has randomness of its own,
 * decided by its name: who else is in the seed changes neither its keys nor its ids.
 * @returns the users by the key of their names
 */
export async function plant(context: PlantContext, seed: Seed) {
  const { users = [], admins = [] } = seed
  const planted = new Map<string, PlantedUser>()
  for (const user of users) {
    const random = seededRandom(`user ${userNameKey(user.name)}`)
    context.setRandom(random)
    planted.set(userNameKey(user.name), await plantUser(context.app, user, random))
  }
  for (const { username, password, role = 'superadmin' } of admins) {
    context.setRandom(seededRandom(`admin ${userNameKey(username)}`))
    const admin = await context.app.admins.create(username, password, role)
    if (!admin) throw new Error(`The seed has two administrators of the name "${username}".`)
  }
  return planted
}

async function plantUser(app: App, user: SeedUser, random: RandomSource): Promise<PlantedUser> {
  const { name, password, fernetKey = generateFernetKey(random), apiKey } = user
  const created = await app.users.create({ name, password, fernetKey, apiKey })
  for (const kind of KINDS) {
    for (const gamemode of GAMEMODES) {
      const entries: object[] =
        kind === 'fish' ? (user.fish?.[gamemode] ?? []).map(fishEntry) : [...(user.crab?.[gamemode] ?? [])]
      for (let start = 0; start < entries.length; start += LIMITS.entriesPerWrite) {
        const payload = { gamemode, [kind]: entries.slice(start, start + LIMITS.entriesPerWrite) }
        await send(app, created, kind, await seal(JSON.stringify(payload), fernetKey, random))
      }
    }
  }
  return { id: created.id, name, password: created.password, fernetKey, apiKey: created.apiKey }
}

/** An unknown rarity goes on as it is: the service says what is wrong with it. */
function fishEntry({ rarity, ...rest }: SeedFish): object {
  return { ...rest, rarity: rarityValue(rarity) ?? rarity }
}

function seal(payload: string, fernetKey: string, random: RandomSource): Promise<string> {
  return createFernet(fernetKey).encrypt(payload, { now: SEEDED_AT, iv: random(new Uint8Array(16)) })
}

async function send(app: App, { name, apiKey }: SeededUser, kind: Kind, token: string): Promise<void> {
  const query = new URLSearchParams({ name })
  const request = new Request(`http://seed.invalid${POST[kind]}?${query}`, {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.token, [HEADERS.apiKey]: apiKey },
    body: token,
  })
  const response = await app.fetch(request)
  if (response.status !== 201) throw new Error(`The seed's ${kind} of ${name} is refused: ${await response.text()}`)
}
