import { GAMEMODES, type Gamemode, HEADERS, isGamemode, type Kind, MEDIA_TYPES, ROUTES } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { OwnUser } from './accounts.ts'
import type { TestContext } from './context.ts'
import type { JsonObject } from './expect.ts'
import * as expect from './expect.ts'

export const GAMEMODE: Gamemode = 'earth'

/** Returns the gamemodes that the service lists, or the default gamemodes if the service lists none. */
export async function gamemodesOf(t: TestContext): Promise<readonly Gamemode[]> {
  const { gamemodes = GAMEMODES } = expect.json(await t.request(ROUTES.status.path))
  expect.that(Array.isArray(gamemodes) && gamemodes.every(isGamemode), 'a list of gamemodes', gamemodes)
  return gamemodes as readonly Gamemode[]
}

/** The kinds as in the names of routes and in messages. */
export const KIND_NAMES = { fish: 'Fish', crab: 'Crab' } as const

/** The short payload of each kind. */
export const SHORT_PAYLOADS = { fish: { fish: 'Salmon', rarity: 3 }, crab: { fish: 'crab' } } as const

/** An entry of the long payload of each kind. */
export const ENTRY = { fish: { name: 'Cod', rarity: 1 }, crab: {} } as const

export interface PostOptions {
  /** @default the main user */
  readonly user?: OwnUser
  /** @default `?name=USER` */
  readonly query?: string
  /** The value of the gamemode header. `null` omits the header. @default {@link GAMEMODE} */
  readonly gamemode?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Encrypts a payload: strings and bytes unchanged, other values as JSON. */
export async function encrypt(t: TestContext, payload: unknown, user?: OwnUser): Promise<string> {
  const { fernetKey } = user ?? (await t.user())
  const message = typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload)
  return createFernet(fernetKey).encrypt(message, { now: await t.now() })
}

export async function post(t: TestContext, kind: Kind, body: BodyInit, options: PostOptions = {}) {
  const { user = await t.user(), gamemode = GAMEMODE, headers } = options
  const { query = `?name=${user.name}` } = options
  return t.request(`/post/${kind}${query}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': MEDIA_TYPES.token,
      ...(gamemode === null ? {} : { [HEADERS.gamemode]: gamemode }),
      ...headers,
    },
  })
}

export async function write(t: TestContext, kind: Kind, payload: unknown, options?: PostOptions) {
  return post(t, kind, await encrypt(t, payload, options?.user), options)
}

/** @returns the id of the record */
export async function writeAndExpectId(t: TestContext, kind: Kind, payload: unknown, options?: PostOptions) {
  const response = await write(t, kind, payload, options)
  return expect.text(expect.json(response, 201).id, '"id"', response)
}

export interface Collection {
  readonly response: expect.ReceivedResponse
  readonly body: JsonObject
  readonly entries: readonly JsonObject[]
}

type ReadArguments = [t: TestContext, kind: Kind, user: OwnUser, query?: string, gamemode?: string]

export async function collection(...args: ReadArguments): Promise<Collection> {
  const response = await readCollection(...args)
  return { response, body: expect.json(response), entries: expect.list(response, args[1]) }
}

/** Reads entries with the id of their record. */
export async function detailedCollection(...args: ReadArguments): Promise<Collection> {
  const [t, kind, user, query = '', gamemode] = args
  t.needDetails()
  const response = await readCollection(t, kind, user, `&detail=full${query}`, gamemode)
  if (response.status === 400 && (await readCollection(...args)).status === 200) t.lackDetails('400', response)
  const entries = expect.list(response, kind)
  const without = entries.find(({ id }) => typeof id !== 'string')
  if (without) t.lackDetails(`an entry of the fields ${Object.keys(without).join(', ')}`, response)
  return { response, body: expect.json(response), entries }
}

function readCollection(...[t, kind, user, query = '', gamemode = GAMEMODE]: ReadArguments) {
  return t.request(`/get/${kind}?name=${user.name}&gamemode=${gamemode}${query}`)
}

/** The entries of one record of the main user, without their id. */
export async function entriesOf(t: TestContext, kind: Kind, id: string, gamemode?: string): Promise<JsonObject[]> {
  const { entries } = await detailedCollection(t, kind, await t.user(), '', gamemode)
  return entries.filter((entry) => entry.id === id).map(({ id: _, ...entry }) => entry)
}

/** Fails the check unless the main user has this number of entries with the id. */
export async function expectEntries(t: TestContext, kind: Kind, id: unknown, count: number, gamemode?: string) {
  const entries = await entriesOf(t, kind, String(id), gamemode)
  expect.same(entries.length, count, `the number of entries with the id${gamemode ? ` in ${gamemode}` : ''}`)
}

/** The entries of one record of the main user, as reads without details return them. */
export async function storedEntries(t: TestContext, kind: Kind, id: string): Promise<JsonObject[]> {
  return (await entriesOf(t, kind, id)).map(({ caughtAt: _, entry: __, ...entry }) => entry)
}

async function countAll(t: TestContext): Promise<number> {
  const owner = await t.user()
  const [fish, crab] = await Promise.all([collection(t, 'fish', owner), collection(t, 'crab', owner)])
  return fish.entries.length + crab.entries.length
}

export async function expectNothingStored(t: TestContext, during: () => Promise<unknown>): Promise<void> {
  const before = await countAll(t)
  await during()
  const after = await countAll(t)
  expect.that(after === before, `still ${before} entries`, `${after} entries`)
}
