import { type AdminRole, MEDIA_TYPES, ROUTES, type RouteName, routePath } from '@fish-crab/sdk/contract'
import type { ReceivedResponse } from './expect.ts'
import * as expect from './expect.ts'
import type { Send } from './send.ts'

export type Accounts = ReturnType<typeof createAccounts>

const REMOVED = [204, 404]

/** @param send must continue when the run aborts, so that all created accounts are known and can be removed */
export function createAccounts(send: Send, redact: (secret: string) => void, random: () => string) {
  // Names contain both letter cases, so that checks notice if the service changes the letter case.
  const prefix = `Conformance-${random()}-`
  const created = { createUser: new Set<string>(), createAdmin: new Set<string>() }
  const inFlight = new Set<Promise<unknown>>()
  let count = 0
  let ownToken: string | undefined

  const newName = () => `${prefix}${++count}`

  async function sendCreate(token: string, route: keyof typeof created, body: unknown): Promise<ReceivedResponse> {
    const { name, username = name } = body as { readonly name?: unknown; readonly username?: unknown }
    // A name counts as created unless the service refuses the request, because the account may exist even if the
    // response was lost.
    let isRefused = false
    try {
      const response = await sendAs(send, token, route, { body })
      isRefused = response.status >= 400
      for (const [, secret = ''] of response.text.matchAll(/"(?:password|fernetKey|apiKey)":"([^"]+)"/g)) redact(secret)
      return response
    } finally {
      if (!isRefused && typeof username === 'string' && username !== '') created[route].add(username)
    }
  }

  function create(token: string, route: keyof typeof created, body: unknown): Promise<ReceivedResponse> {
    const pending = sendCreate(token, route, body)
    inFlight.add(pending)
    return pending.finally(() => inFlight.delete(pending))
  }

  async function isRemoved(token: string, route: RouteName, params: Readonly<Record<string, string>>) {
    return sendAs(send, token, route, { params }).then(
      ({ status }) => REMOVED.includes(status),
      () => false,
    )
  }

  return {
    prefix,
    newName,
    /** Removes the account of this name at the end of the run, if the account exists. */
    removeLater: (route: keyof typeof created, name: string) => void created[route].add(name),
    /** Sends a request to create a user or an administrator, which is removed at the end. */
    create,
    async newUser(token: string): Promise<OwnUser> {
      return expectCreatedUser(await create(token, 'createUser', { name: newName() }))
    },
    async newAdmin(token: string, role: AdminRole): Promise<OwnAdmin> {
      const username = newName()
      const password = `${random()}${random()}`
      redact(password)
      expect.json(await create(token, 'createAdmin', { username, password, role }), 201)
      const response = await login(send, { username, password })
      const session = expect.text(expect.json(response).token, '"token"', response)
      redact(session)
      if (role === 'superadmin') ownToken = session
      return { username, password, token: session }
    },
    all: (): readonly string[] => [...created.createUser, ...created.createAdmin],
    /** Removes all accounts as the given administrator. @returns the names that could not be removed */
    async removeAll(token: string): Promise<readonly string[]> {
      await Promise.allSettled(inFlight)
      const notRemoved: string[] = []
      for (const name of created.createUser) {
        // Use the run's own administrator first, because other programs may need the rate limit of the given
        // administrator.
        const remove = (by: string) => isRemoved(by, 'deleteUser', { name })
        if (!(ownToken && (await remove(ownToken))) && !(await remove(token))) notRemoved.push(name)
      }
      for (const username of created.createAdmin) {
        if (!(await isRemoved(token, 'deleteAdmin', { username }))) notRemoved.push(username)
      }
      return notRemoved
    },
  }
}

const USER_FIELDS = ['id', 'name', 'createdAt', 'password', 'fernetKey', 'apiKey'] as const

export type OwnUser = Readonly<Record<(typeof USER_FIELDS)[number], string>>

export interface OwnAdmin {
  readonly username: string
  readonly password: string
  readonly token: string
}

export interface AdminRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
}

export async function sendAs(
  send: Send,
  token: string,
  route: RouteName,
  { params, query = '', body }: AdminRequest = {},
): Promise<ReceivedResponse> {
  const { method } = ROUTES[route]
  const authorization = `Bearer ${token}`
  const path = `${routePath(route, params)}${query}`
  if (body === undefined) return send(path, { method, headers: { authorization } })
  const headers = { authorization, 'content-type': MEDIA_TYPES.json }
  return send(path, { method, headers, body: JSON.stringify(body) })
}

export function login(send: Send, credentials: unknown): Promise<ReceivedResponse> {
  const headers = { 'content-type': MEDIA_TYPES.json }
  return send(ROUTES.adminLogin.path, { method: 'POST', headers, body: JSON.stringify(credentials) })
}

/** `Authorization: Basic`, in UTF-8 (RFC 7617). */
export function basic(name: string, password: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${password}`)))}`
}

export function expectCreatedUser(response: ReceivedResponse): OwnUser {
  const body = expect.json(response, 201)
  const texts = USER_FIELDS.map((name) => [name, expect.text(body[name], `"${name}"`, response)])
  return Object.fromEntries(texts) as OwnUser
}
