import {
  type CreatedUser,
  type ErrorBody,
  type FishCollection,
  HEADERS,
  MEDIA_TYPES,
  ROUTES,
  routePath,
  type Saved,
  type Session,
} from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { CHIEF } from './fleet.ts'

/** The server that receives a request. */
export interface Target {
  readonly url: string
}

/** A response with its parsed body. */
export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body & Partial<ErrorBody>
}

/** Options of {@link ask}. */
export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request and parses the JSON response. An empty body becomes an empty object. */
export async function ask<Body = object>({ url }: Target, path: string, asked: Asked = {}): Promise<Answer<Body>> {
  const response = await fetch(`${url}${path}`, asked)
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, body: (text === '' ? {} : JSON.parse(text)) as Body & Partial<ErrorBody> }
}

/** Returns headers that make a request come from a random new client address. */
export function newClient(): Readonly<Record<string, string>> {
  const [a, b, c] = crypto.getRandomValues(new Uint8Array(3))
  return { 'x-forwarded-for': `10.${a}.${b}.${c}` }
}

/** Logs in as an administrator, and returns the response with the session. */
export function logIn(
  server: Target,
  credentials: { readonly username: string; readonly password: string } = CHIEF,
  headers: Readonly<Record<string, string>> = newClient(),
): Promise<Answer<Session>> {
  return ask<Session>(server, ROUTES.adminLogin.path, {
    method: 'POST',
    headers: { ...headers, 'content-type': MEDIA_TYPES.json },
    body: JSON.stringify(credentials),
  })
}

/** A client that uses one admin session for all servers. */
export interface Administrator {
  readonly session: string
  ask<Body = object>(server: Target, method: string, path: string, body?: unknown): Promise<Answer<Body>>
  createUser(server: Target, name: string): Promise<CreatedUser>
}

/** Creates a client for an admin session. */
export function administrator(session: string): Administrator {
  const asAdmin = <Body>(server: Target, method: string, path: string, body?: unknown) =>
    ask<Body>(server, path, {
      method,
      headers: { authorization: `Bearer ${session}`, 'content-type': MEDIA_TYPES.json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    session,
    ask: asAdmin,
    async createUser(server, name) {
      const { status, body } = await asAdmin<CreatedUser>(server, 'POST', ROUTES.createUser.path, { name })
      if (status !== 201) throw new Error(`The user ${name} was not created: ${status} ${body.error}`)
      return body
    },
  }
}

/** Encrypts a caught fish with the key of a user, and returns the token. */
export function tokenOf({ fernetKey }: { readonly fernetKey: string }, fish: string): Promise<string> {
  return createFernet(fernetKey).encrypt(JSON.stringify({ fish, rarity: 1 }))
}

/** Posts a token for a user. The request has the user's API key, so the rate limit does not count the request. */
export function postToken(
  server: Target,
  { name, apiKey }: { readonly name: string; readonly apiKey: string },
  token: string,
): Promise<Answer<Saved>> {
  return ask<Saved>(server, `${ROUTES.postFish.path}?name=${name}`, {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: 'earth', [HEADERS.apiKey]: apiKey },
    body: token,
  })
}

/** Reads the fish of a user. With the user's API key, the rate limit does not count the request. */
export function readFish(
  server: Target,
  { name, apiKey }: { readonly name: string; readonly apiKey: string },
  { query = '', headers = {} }: { readonly query?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer<FishCollection>> {
  return ask<FishCollection>(server, `${ROUTES.getFish.path}?name=${name}&gamemode=earth${query}`, {
    headers: { ...newClient(), [HEADERS.apiKey]: apiKey, ...headers },
  })
}

/** Returns the path at which administrators post unencrypted fish for a user. */
export function plainFishPath(name: string): string {
  return `${routePath('addUserFish', { name })}?gamemode=earth`
}
