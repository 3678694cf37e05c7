import { type AdminRole, MEDIA_TYPES, type RouteName, routePath } from '@fish-crab/sdk/contract'
import { expectJson, expectText, type JsonObject } from './expect.ts'
import type { ReceivedResponse } from './response.ts'
import type { Send } from './send.ts'

/** The users and administrators that a run creates and removes. */
export interface Accounts {
  /** An unused name with the prefix of this run. */
  newName(): string
  /** The prefix of all names of this run. */
  readonly prefix: string
  /** Sends a request to create a user, which is removed at the end. */
  createUser(token: string, body: unknown): Promise<ReceivedResponse>
  /** Creates a user. */
  newUser(token: string): Promise<OwnUser>
  /** Sends a request to create an administrator, which is removed at the end. */
  createAdmin(token: string, body: unknown): Promise<ReceivedResponse>
  /** Creates an administrator and logs in. */
  newAdmin(token: string, role: AdminRole): Promise<OwnAdmin>
  /** All names that were created. */
  all(): readonly string[]
  /** Removes all accounts as the given administrator. @returns the names that could not be removed */
  removeAll(token: string): Promise<readonly string[]>
}

/** Options of {@link createAccounts}. */
interface AccountsOptions {
  /** Not aborted with the run, so that all created accounts are known and can be removed. */
  readonly send: Send
  readonly redact: (...secrets: readonly string[]) => void
  readonly random: () => string
}

const REMOVED = [204, 404]

export function createAccounts({ send, redact, random }: AccountsOptions): Accounts {
  // In both letter cases, to check that names are returned as created.
  const prefix = `Conformance-${random()}-`
  const users = new Set<string>()
  const admins = new Set<string>()
  const inFlight = new Set<Promise<unknown>>()
  let count = 0
  let ownToken: string | undefined

  const newName = () => `${prefix}${++count}`

  /** A name counts as created unless the service refused it: the response may be lost. */
  async function track(
    names: Set<string>,
    name: unknown,
    request: () => Promise<ReceivedResponse>,
  ): Promise<ReceivedResponse> {
    const pending = request().then(
      (response) => {
        if (response.status < 400 && typeof name === 'string' && name !== '') names.add(name)
        return response
      },
      (error: unknown) => {
        if (typeof name === 'string' && name !== '') names.add(name)
        throw error
      },
    )
    inFlight.add(pending)
    return pending.finally(() => inFlight.delete(pending))
  }

  const createUser: Accounts['createUser'] = async (token, body) => {
    const { name } = body as { readonly name?: unknown }
    const response = await track(users, name, () => sendAs(send, token, 'createUser', 'POST', { body }))
    redactSecretsOf(response)
    return response
  }
  const createAdmin: Accounts['createAdmin'] = (token, body) => {
    const { username } = body as { readonly username?: unknown }
    return track(admins, username, () => sendAs(send, token, 'createAdmin', 'POST', { body }))
  }

  function redactSecretsOf({ text }: ReceivedResponse): void {
    for (const [, secret] of text.matchAll(/"(?:password|fernetKey|apiKey)":"([^"]+)"/g)) if (secret) redact(secret)
  }

  async function isRemoved(request: Promise<ReceivedResponse>): Promise<boolean> {
    return request.then(
      ({ status }) => REMOVED.includes(status),
      () => false,
    )
  }

  return {
    prefix,
    newName,
    createUser,
    createAdmin,
    async newUser(token) {
      return expectCreatedUser(await createUser(token, { name: newName() }))
    },
    async newAdmin(token, role) {
      const username = newName()
      const password = `${random()}${random()}`
      redact(password)
      expectJson(await createAdmin(token, { username, password, role }), 201)
      const response = await login(send, { username, password })
      const session = expectText(expectJson(response).token, '"token"', response)
      redact(session)
      if (role === 'superadmin') ownToken = session
      return { username, password, token: session }
    },
    all: () => [...users, ...admins],
    async removeAll(token) {
      await Promise.allSettled(inFlight)
      const left: string[] = []
      for (const name of users) {
        // By the run's own administrator first: the rate limit of the given one may be needed by others.
        const remove = (by: string) => isRemoved(sendAs(send, by, 'deleteUser', 'DELETE', { params: { name } }))
        if (!(ownToken && (await remove(ownToken))) && !(await remove(token))) left.push(name)
      }
      for (const username of admins) {
        if (!(await isRemoved(sendAs(send, token, 'deleteAdmin', 'DELETE', { params: { username } }))))
          left.push(username)
      }
      return left
    },
  }
}

/** A user that the run created, with its secrets. */
export interface OwnUser {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly password: string
  readonly fernetKey: string
  readonly apiKey: string
}

/** An administrator that the run created, with a session. */
export interface OwnAdmin {
  readonly username: string
  readonly password: string
  readonly token: string
}

/** The session of the given administrator. */
export interface Session {
  readonly username: string
  readonly token: string
  readonly role: AdminRole
}

/** A JSON request as an administrator. */
export interface AdminRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
  readonly method?: 'GET' | 'POST' | 'DELETE'
}

/** Sends a request with the token of a session. */
export async function sendAs(
  send: Send,
  token: string,
  route: RouteName,
  method: string,
  { params, query = '', body }: AdminRequest = {},
): Promise<ReceivedResponse> {
  return send(`${routePath(route, params)}${query}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': MEDIA_TYPES.json }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

export function login(send: Send, credentials: unknown): Promise<ReceivedResponse> {
  return send(routePath('adminLogin'), {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.json },
    body: JSON.stringify(credentials),
  })
}

/** Fails unless the response is that to a created user. @returns the user */
export function expectCreatedUser(response: ReceivedResponse): OwnUser {
  const body: JsonObject = expectJson(response, 201)
  const text = (name: keyof OwnUser) => expectText(body[name], `"${name}"`, response)
  return {
    id: text('id'),
    name: text('name'),
    createdAt: text('createdAt'),
    password: text('password'),
    fernetKey: text('fernetKey'),
    apiKey: text('apiKey'),
  }
}
