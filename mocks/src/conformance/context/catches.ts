import { type Gamemode, HEADERS, type Kind, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { OwnUser } from './accounts.ts'
import type { TestContext } from './context.ts'
import { expectJson, expectText, expectThat, type JsonObject } from './expect.ts'
import type { ReceivedResponse } from './response.ts'

/** The default gamemode of checks. */
export const GAMEMODE: Gamemode = 'earth'

/** The short payload of each kind. */
export const SHORT = { fish: { fish: 'Salmon', rarity: 3 }, crab: { fish: 'crab' } } as const

/** The entries of the long payload of each kind. */
export const ONE = { fish: [{ name: 'Cod', rarity: 1 }], crab: [{}] } as const

/** Options of a write. */
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
export async function queryOf(context: TestContext, more = ''): Promise<string> {
  return `?name=${(await context.user()).name}${more}`
}

/** Encrypts a payload with a user's key: strings and bytes as they are, other values as JSON. */
export async function encrypt(context: TestContext, payload: unknown, user?: OwnUser): Promise<string> {
  const { fernetKey } = user ?? (await context.user())
  const message = typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload)
  return createFernet(fernetKey).encrypt(message, { now: await context.now() })
}

/** Sends a body to a write endpoint. */
export async function post(
  context: TestContext,
  kind: Kind,
  body: BodyInit,
  options: PostOptions = {},
): Promise<ReceivedResponse> {
  const { user = await context.user(), gamemode = GAMEMODE, headers } = options
  const { query = `?name=${user.name}` } = options
  return context.request(`/post/${kind}${query}`, {
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
export async function write(
  context: TestContext,
  kind: Kind,
  payload: unknown,
  options?: PostOptions,
): Promise<ReceivedResponse> {
  return post(context, kind, await encrypt(context, payload, options?.user), options)
}

/** Writes a payload and fails unless it is stored. @returns the id of the record */
export async function writeAndExpectId(
  context: TestContext,
  kind: Kind,
  payload: unknown,
  options?: PostOptions,
): Promise<string> {
  const response = await write(context, kind, payload, options)
  return expectText(expectJson(response, 201).id, '"id"', response)
}

/** Reads a collection. */
export async function collection(
  context: TestContext,
  kind: Kind,
  user: OwnUser,
  query = '',
  gamemode: string = GAMEMODE,
): Promise<{
  readonly response: ReceivedResponse
  readonly body: JsonObject
  readonly entries: readonly JsonObject[]
}> {
  const response = await context.request(`/get/${kind}?name=${user.name}&gamemode=${gamemode}${query}`)
  const body = expectJson(response)
  const entries = body[kind]
  expectThat(Array.isArray(entries), `an array under "${kind}"`, entries, response)
  return { response, body, entries: entries as JsonObject[] }
}

/** The entries of one record of the main user, without their id. */
export async function entriesOf(
  context: TestContext,
  kind: Kind,
  id: string,
  gamemode?: string,
): Promise<JsonObject[]> {
  const { entries } = await collection(context, kind, await context.user(), '&detail=full', gamemode)
  return entries.filter((entry) => entry.id === id).map(({ id: _, ...entry }) => entry)
}

/** The number of entries of both kinds in the default gamemode. */
async function countAll(context: TestContext, user?: OwnUser): Promise<number> {
  const owner = user ?? (await context.user())
  const [fish, crab] = await Promise.all([collection(context, 'fish', owner), collection(context, 'crab', owner)])
  return fish.entries.length + crab.entries.length
}

/** Fails if anything is stored for the main user in the meantime. */
export async function expectNothingStored(context: TestContext, during: () => Promise<void>): Promise<void> {
  const before = await countAll(context)
  await during()
  const after = await countAll(context)
  expectThat(after === before, `still ${before} entries`, `${after} entries`)
}
