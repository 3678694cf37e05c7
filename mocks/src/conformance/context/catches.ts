import { type Gamemode, HEADERS, type Kind, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { Answer } from './answer.ts'
import type { World } from './context.ts'
import { expectJson, expectText, type JsonObject } from './expect-answer.ts'
import { expectThat } from './expectation.ts'
import type { OwnUser } from './own-accounts.ts'

/** The gamemode that checks write to where it does not matter. */
export const GAMEMODE: Gamemode = 'earth'

/** The short payload of each kind. */
export const SHORT = { fish: { fish: 'Salmon', rarity: 3 }, crab: { fish: 'crab' } } as const

/** The entries of the long payload of each kind. */
export const ONE = { fish: [{ name: 'Cod', rarity: 1 }], crab: [{}] } as const

/** What of a write may differ from the usual. */
export interface PostOptions {
  /** @default the main user */
  readonly user?: OwnUser
  /** @default `?name=USER` */
  readonly query?: string
  /** The header; `null` leaves it out. @default {@link GAMEMODE} */
  readonly gamemode?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** The query of a write for the main user. */
export async function queryOf(world: World, more = ''): Promise<string> {
  return `?name=${(await world.user()).name}${more}`
}

/** A token of a user that holds this payload: texts and bytes as they are, all else as JSON. */
export async function seal(world: World, payload: unknown, user?: OwnUser): Promise<string> {
  const { fernetKey } = user ?? (await world.user())
  const message = typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload)
  return createFernet(fernetKey).encrypt(message, { now: await world.now() })
}

/** Sends a body to a write endpoint, as the game's clients do. */
export async function post(world: World, kind: Kind, body: BodyInit, options: PostOptions = {}): Promise<Answer> {
  const { user = await world.user(), gamemode = GAMEMODE, headers } = options
  const { query = `?name=${user.name}` } = options
  return world.request(`/post/${kind}${query}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': MEDIA_TYPES.token,
      ...(gamemode === null ? {} : { [HEADERS.gamemode]: gamemode }),
      ...headers,
    },
  })
}

/** Encrypts a payload and sends it. */
export async function write(world: World, kind: Kind, payload: unknown, options?: PostOptions): Promise<Answer> {
  return post(world, kind, await seal(world, payload, options?.user), options)
}

/** Writes a payload that must be taken. Answers the id of the record. */
export async function written(world: World, kind: Kind, payload: unknown, options?: PostOptions): Promise<string> {
  const answer = await write(world, kind, payload, options)
  return expectText(expectJson(answer, 201).id, '"id"', answer)
}

/** Reads a collection: the answer's body and its entries. */
export async function collection(
  world: World,
  kind: Kind,
  user: OwnUser,
  query = '',
  gamemode: string = GAMEMODE,
): Promise<{ readonly answer: Answer; readonly body: JsonObject; readonly entries: readonly JsonObject[] }> {
  const answer = await world.request(`/get/${kind}?name=${user.name}&gamemode=${gamemode}${query}`)
  const body = expectJson(answer)
  const entries = body[kind]
  expectThat(Array.isArray(entries), `an array under "${kind}"`, entries, answer)
  return { answer, body, entries: entries as JsonObject[] }
}

/** The entries of one record of the main user, without their id. */
export async function entriesOf(world: World, kind: Kind, id: string, gamemode?: string): Promise<JsonObject[]> {
  const { entries } = await collection(world, kind, await world.user(), '&detail=full', gamemode)
  return entries.filter((entry) => entry.id === id).map(({ id: _, ...entry }) => entry)
}

/** How many entries of both kinds a user has in the usual gamemode. */
async function countAll(world: World, user?: OwnUser): Promise<number> {
  const owner = user ?? (await world.user())
  const [fish, crab] = await Promise.all([collection(world, 'fish', owner), collection(world, 'crab', owner)])
  return fish.entries.length + crab.entries.length
}

/** Fails unless nothing was stored for the main user meanwhile. */
export async function expectNothingStored(world: World, during: () => Promise<void>): Promise<void> {
  const before = await countAll(world)
  await during()
  const after = await countAll(world)
  expectThat(after === before, `${before} entries still, as nothing may be stored`, `${after} entries`)
}
