import type { SendRequest } from '@fish-crab/mocks/conformance'
import { ADMIN, MASTER, ORIGIN } from './direct.ts'

/** Wraps the `fetch` of a service, so that the service violates the contract. Each call has separate state. */
export type Violation = (send: SendRequest) => SendRequest

type Json = Record<string, unknown>
type Entry = Record<string, unknown>

const matches = ({ method, url }: Request, pattern: RegExp) =>
  pattern.test(`${method} ${url.replace(/^\w+:\/\/[^/]+/, '')}`)
export const madeUpError = (status: number, code: string) =>
  Response.json({ error: 'Wrong.', code, requestId: 'made-up' }, { status, headers: { 'x-request-id': 'made-up' } })
const withHeaders = (old: Headers, changes: Readonly<Record<string, string | null>>) => {
  const headers = new Headers(old)
  for (const [name, value] of Object.entries(changes)) value === null ? headers.delete(name) : headers.set(name, value)
  return headers
}
export const withUrl = (request: Request, change: (url: string) => string, headers = request.headers) => {
  const { method, body, signal, url } = request
  return new Request(change(url), { method, body, signal, headers, duplex: 'half' } as RequestInit)
}

/** Handles the requests whose method, path and query match a pattern. */
const handles =
  (pattern: RegExp, handle: (request: Request, send: SendRequest) => Promise<Response>): Violation =>
  (send) =>
  (request) =>
    matches(request, pattern) ? handle(request, send) : send(request)
const responds = (pattern: RegExp, respond: () => Response) => handles(pattern, async () => respond())
const rewritesUrl = (pattern: RegExp, change: (url: string) => string) =>
  handles(pattern, (request, send) => send(withUrl(request, change)))
const sends = (pattern: RegExp, changes: Readonly<Record<string, string | null>>) =>
  handles(pattern, (request, send) => send(withUrl(request, (url) => url, withHeaders(request.headers, changes))))
/** Replaces responses with a status. */
const replies = (pattern: RegExp, status: number, respond: (response: Response) => Response | Promise<Response>) =>
  handles(pattern, async (request, send) => {
    const response = await send(request)
    return response.status === status ? respond(response) : response
  })
const headersOf = (pattern: RegExp, changes: (headers: Headers, request: Request) => Record<string, string | null>) =>
  handles(pattern, async (request, send) => {
    const response = await send(request)
    return new Response(response.body, {
      status: response.status,
      headers: withHeaders(response.headers, changes(response.headers, request)),
    })
  })
/** Changes JSON responses that are not compressed. */
const json = (pattern: RegExp, change: (body: Json, status: number) => Json) =>
  handles(pattern, async (request, send) => {
    const response = await send(request)
    const isJson = response.headers.get('content-type') === 'application/json'
    if (!isJson || request.method === 'HEAD' || response.headers.has('content-encoding')) return response
    const body = JSON.stringify(change((await response.json()) as Json, response.status))
    return new Response(body, {
      status: response.status,
      headers: withHeaders(response.headers, { 'content-length': null }),
    })
  })
const entries = (pattern: RegExp, field: string, change: (list: Entry[]) => Entry[]) =>
  json(pattern, (body) => (Array.isArray(body[field]) ? { ...body, [field]: change(body[field] as Entry[]) } : body))
const READ = /\/get\/(fish|crab)\b/
const WRITE = /^POST \/post\//
const read =
  (change: (list: Entry[]) => Entry[]): Violation =>
  (send) =>
    entries(READ, 'fish', change)(entries(READ, 'crab', change)(send))

const saved = () => Response.json({ message: 'Fish saved for user Alex', id: crypto.randomUUID() }, { status: 201 })
/** Reports success for writes that must fail with an error code. */
const accepts = (code: string) =>
  replies(WRITE, 400, async (response) => ((await response.clone().json()).code === code ? saved() : response))
const noContent = () => new Response(null, { status: 204 })
const audit = (change: (list: Entry[]) => Entry[]) => entries(/^GET \/admin\/audit/, 'entries', change)

const dropsEveryThirdWrite: Violation = (send) => {
  let count = 0
  return handles(WRITE, async (request, forward) => (++count % 3 === 0 ? saved() : forward(request)))(send)
}
const asRoot: Violation = (send) =>
  handles(/^\w+ \/admin\/(?!login)/, async (request) => {
    if (request.headers.has('authorization')) return send(request)
    const headers = { 'content-type': 'application/json' }
    const login = new Request(new URL('/admin/login', request.url), {
      method: 'POST',
      headers,
      body: JSON.stringify(ADMIN),
    })
    const { token } = (await (await send(login)).json()) as { token: string }
    return send(withUrl(request, (url) => url, withHeaders(request.headers, { authorization: `Bearer ${token}` })))
  })(send)
const acceptsOldSecrets: Violation = (send) => {
  const old = new Map<string, Response>()
  return async (request) => {
    const key = `${request.headers.get('authorization')} ${request.url}`
    const response = await send(request)
    if (response.status === 401) return old.get(key)?.clone() ?? response
    if (response.status === 200 && key.startsWith('Basic')) old.set(key, response.clone())
    return response
  }
}
const allowsOneMore: Violation = (send) => {
  let isUsed = false
  return handles(/demo/, async (request) => {
    const copy = request.clone()
    const response = await send(request)
    if (response.status !== 429 || isUsed) return response
    isUsed = true
    const passed = await send(withUrl(copy, (url) => url, withHeaders(copy.headers, { 'x-api-key': MASTER })))
    const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': response.headers.get('x-ratelimit-reset') }
    return new Response(passed.body, { status: passed.status, headers: withHeaders(passed.headers, limit) })
  })(send)
}

/** Violations of the contract, each with the beginning of the ids of the checks that must all fail. */
export const VIOLATIONS: readonly (readonly [name: string, checks: string, violation: Violation])[] = [
  ['acknowledges every third write without storing it', 'write-gamemode', dropsEveryThirdWrite],
  ['accepts invalid tokens', 'token-refused-', accepts('invalid_token')],
  ['accepts invalid payloads', 'payload-refused-', accepts('invalid_payload')],
  ['accepts catches for another user', 'write-fish-contradictory', accepts('user_mismatch')],
  ['ignores the gamemode in the header', 'token-padded', sends(WRITE, { 'x-gamemode': null })],
  [
    'has one collection for all gamemodes',
    'write-gamemode',
    rewritesUrl(/\/(get|post)\//, (url) => url.replace(/(gamemode=)(oneblock|survival|factions)/, '$1earth')),
  ],
  [
    'returns a new id for a replay',
    'token-padded',
    json(WRITE, (body, status) => (status === 200 ? { ...body, id: crypto.randomUUID() } : body)),
  ],
  ['does not mark replays', 'replay-fish', headersOf(WRITE, () => ({ 'idempotent-replayed': null }))],
  ['returns the newest entry first', 'admin-adds-', read((list) => list.toReversed())],
  ['omits the last entry', 'write-gamemode', read((list) => list.slice(0, -1))],
  ['returns the first entry twice', 'write-fish-several', read((list) => [...list.slice(0, 1), ...list])],
  ['ignores the cursor', 'paging-follows-cursor', rewritesUrl(READ, (url) => url.replace(/cursor=[^&]*/, ''))],
  [
    'returns at most 1000 entries',
    'read-without-limit-is-whole',
    rewritesUrl(READ, (url) => (url.includes('limit=') ? url : `${url}&limit=1000`)),
  ],
  ['ignores details', 'write-fish-several', rewritesUrl(READ, (url) => url.replace(/detail=[^&]*/, ''))],
  ['never returns 304', 'etag-', sends(/./, { 'if-none-match': null })],
  ['returns the same ETag for everything', 'etag-', headersOf(/./, () => ({ etag: '"1"' }))],
  ['never compresses', 'read-in-', sends(/./, { 'accept-encoding': null })],
  [
    'counts a species for each catch',
    'summary-fish',
    json(READ, (body) => ('species' in body ? { ...body, unique: 99 } : body)),
  ],
  ['omits the last day in a profile', 'profile', json(/\/get\/profile/, (body) => ({ ...body, days: [] }))],
  ['ignores Last-Event-ID', 'events-resume', sends(/\/events/, { 'last-event-id': null })],
  ['ignores the kind of events', 'events-kind', rewritesUrl(/\/events/, (url) => url.replace(/kind=[^&]*/, ''))],
  [
    'returns the error code "wrong"',
    'token-refused-',
    json(/./, (body, status) => (status >= 400 ? { ...body, code: 'wrong' } : body)),
  ],
  [
    'returns errors with a stack',
    'not-found',
    json(/./, (body, status) => (status >= 400 ? { ...body, stack: 'at a.ts:1' } : body)),
  ],
  ['omits the request id', 'v1-', headersOf(/./, () => ({ 'x-request-id': null }))],
  ['omits the allowed methods', 'method-', headersOf(/./, () => ({ allow: null }))],
  [
    'returns a body for HEAD',
    'head-',
    handles(/^HEAD/, async (request, send) => new Response('x', await send(request))),
  ],
  ['does not serve paths under /v1', 'v1-', responds(/^\w+ \/v1/, () => madeUpError(404, 'not_found'))],
  ['refuses preflights', 'cors-', responds(/^OPTIONS/, () => madeUpError(405, 'method_not_allowed'))],
  [
    'echoes every origin',
    'cors-post-fish',
    headersOf(/./, (_, { headers }) => ({ 'access-control-allow-origin': headers.get('origin') })),
  ],
  [
    'treats every origin as allowed',
    'bypass-not-by-other-origin',
    handles(/./, (request, send) =>
      send(
        request.headers.has('origin')
          ? withUrl(request, (url) => url, withHeaders(request.headers, { 'x-api-key': MASTER }))
          : request,
      ),
    ),
  ],
  [
    'accepts an allowed origin as authentication',
    'page-is-no-authentication',
    handles(/key|admin/, async (request, send) =>
      request.headers.get('origin') === ORIGIN ? Response.json({}) : send(request),
    ),
  ],
  [
    'reads a whole body before it refuses the body',
    'body-refused-while-streaming',
    handles(/^POST/, async (request, send) => {
      const body = await request.arrayBuffer()
      return send(new Request(request.url, { method: 'POST', headers: request.headers, body }))
    }),
  ],
  ['allows one request too many', 'limit-is-exact', allowsOneMore],
  ['does not count HEAD', 'limit-counts-every-variant', sends(/^HEAD/, { 'x-api-key': MASTER })],
  [
    'returns 0 as retry-after',
    'limit-window-ends',
    headersOf(/./, (headers) => (headers.has('retry-after') ? { 'retry-after': '0' } : {})),
  ],
  [
    'returns a wrong limit',
    'limit-headers',
    headersOf(/./, (headers) => (headers.has('x-ratelimit-limit') ? { 'x-ratelimit-limit': '26' } : {})),
  ],
  [
    'rejects the master key',
    'bypass-master-key',
    handles(/./, (request, send) =>
      send(
        request.headers.get('x-api-key') === MASTER
          ? withUrl(request, (url) => url, withHeaders(request.headers, { 'x-api-key': 'x' }))
          : request,
      ),
    ),
  ],
  [
    'never limits failed credentials',
    'failed-credentials-are-limited',
    replies(/key|login/, 429, () => madeUpError(401, 'invalid_credentials')),
  ],
  ['accepts a missing session', 'session-', asRoot],
  ['does not end sessions', 'jwt-ends-with-logout', responds(/\/admin\/logout/, noContent)],
  [
    'accepts every admin login',
    'login-tells-no-names',
    replies(/login/, 401, () => Response.json({ token: 'x', expiresAt: 'x' })),
  ],
  [
    'returns keys without valid credentials',
    'key-tells-no-names',
    replies(/user\/key/, 401, () => Response.json({ fernetKey: 'x' })),
  ],
  [
    'returns the key of any user to any player',
    'key-of-another',
    replies(/user\/key/, 403, () => Response.json({ fernetKey: 'x' })),
  ],
  [
    'reveals whether a user exists',
    'key-of-another',
    json(/user\/key/, (body, status) => (status === 403 ? { ...body, error: crypto.randomUUID() } : body)),
  ],
  ['accepts old secrets after a reset', 'reset-password', acceptsOldSecrets],
  ['lets anyone change records', 'password-delete-own-', replies(/\/user\//, 401, noContent)],
  ['does not delete users', 'user-deleted', responds(/^DELETE \/admin\/users\/[^/]+$/, noContent)],
  ['does not remove records', 'own-removes-', responds(/^DELETE \/user\//, noContent)],
  ['does not move records', 'own-moves-', responds(/^POST \/user\/.*move/, noContent)],
  [
    'removes the whole record instead of one entry',
    'own-removes-one-',
    rewritesUrl(/^DELETE .*entry=\d/, (url) => url.replace(/&entry=\d+/, '')),
  ],
  [
    'lists secrets of users',
    'users-searched',
    entries(/\/admin\/users/, 'users', (users) => users.map((user) => ({ ...user, apiKey: 'x' }))),
  ],
  ['does not record logins', 'audit-login', audit((list) => list.filter(({ action }) => action !== 'login'))],
  ['records a wrong actor', 'audit-login', audit((list) => list.map((entry) => ({ ...entry, actor: 'x' })))],
  ['returns a wrong total of fish', 'stats', json(/stats$/, (body) => ({ ...body, fish: { total: 0 } }))],
  ['returns an empty leaderboard', 'leaderboard', entries(/leaderboard/, 'leaderboard', () => [])],
  ['omits a path in the OpenAPI document', 'operations-openapi', json(/openapi/, (body) => ({ ...body, paths: {} }))],
]
