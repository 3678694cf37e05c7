import { MEDIA_TYPES, type RouteName, routePath } from '@fish-crab/sdk/contract'
import type { Answer } from './answer.ts'
import { expectJson, expectText, type JsonObject } from './expect-answer.ts'
import type { Send } from './transport.ts'

/** A user of the run's own, with its secrets. */
export interface OwnUser {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly password: string
  readonly fernetKey: string
  readonly apiKey: string
}

/** An administrator of the run's own, logged in. */
export interface OwnAdmin {
  readonly username: string
  readonly password: string
  readonly token: string
}

/** A JSON request as an administrator. */
export interface AdminRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
  readonly method?: 'GET' | 'POST' | 'DELETE'
}

/** Sends a request with a session's token. */
export async function sendAs(
  send: Send,
  token: string,
  route: RouteName,
  method: string,
  { params, query = '', body }: AdminRequest = {},
): Promise<Answer> {
  return send(`${routePath(route, params)}${query}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': MEDIA_TYPES.json }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Logs in. */
export function login(send: Send, credentials: unknown): Promise<Answer> {
  return send(routePath('adminLogin'), {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.json },
    body: JSON.stringify(credentials),
  })
}

/** The user in the answer to its creation. */
export function createdUser(answer: Answer): OwnUser {
  const body: JsonObject = expectJson(answer, 201)
  const text = (name: keyof OwnUser) => expectText(body[name], `"${name}"`, answer)
  return {
    id: text('id'),
    name: text('name'),
    createdAt: text('createdAt'),
    password: text('password'),
    fernetKey: text('fernetKey'),
    apiKey: text('apiKey'),
  }
}
