import { ADMIN } from '../direct.ts'
import {
  changed,
  changedRequest,
  isSuccess,
  type Json,
  type Mutation,
  madeUp,
  madeUpError,
  onJson,
  onRequest,
  onResponse,
} from './mutation.ts'

const ACTIONS = [
  ...['login', 'key.read', 'user.create', 'user.delete', 'user.reset.password', 'user.reset.fernet'],
  ...['user.reset.api-key', 'crab.add', 'crab.move', 'crab.delete', 'admin.create', 'admin.delete'],
]
type Entry = Record<string, unknown>

/** Creates a mutation that replaces the session of some requests by a session of the first administrator. */
const asRoot = (name: string, which: (request: Request, path: string) => boolean): Mutation =>
  onRequest(name, which, async (request, send) => {
    const headers = { 'content-type': 'application/json' }
    const url = new URL('/admin/login', request.url).href
    const session = await send(new Request(url, { method: 'POST', headers, body: JSON.stringify(ADMIN) }))
    const { token } = (await session.json()) as { token: string }
    return send(changedRequest(request, { headers: { authorization: `Bearer ${token}` } }))
  })

const onEntries = (name: string, path: string, field: string, change: (entries: Entry[]) => Entry[]): Mutation =>
  onJson(
    name,
    (requested, _, response) => requested === path && isSuccess(response),
    (body) => ({
      ...body,
      ...(Array.isArray(body[field]) ? { [field]: change(body[field] as Entry[]) } : {}),
    }),
  )

const onOk = (name: string, path: RegExp, change: (body: Json, request: Request) => unknown): Mutation =>
  onJson(name, (requested, _, response) => path.test(requested) && isSuccess(response), change)

const isPost = ({ method }: Request) => method === 'POST'
const bearer = ({ headers }: Request) => headers.get('authorization') ?? ''
const USER = /^\/admin\/users\/[^/]+$/
const COLLECTION = /^\/admin\/users\/[^/]+\/(fish|crab)$/

/** Creates a mutation that acknowledges some requests, but does not execute these requests. */
const pretends = (
  name: string,
  which: (request: Request, path: string) => boolean,
  respond: () => Response,
): Mutation => onRequest(name, which, async () => respond())

/** Mutations of the admin endpoints and the key endpoint. */
export const adminMutations: readonly Mutation[] = [
  ...ACTIONS.map((action) =>
    onEntries(`does not record ${action}`, '/admin/audit', 'entries', (entries) =>
      entries.filter((entry) => entry.action !== action),
    ),
  ),
  onEntries('records a wrong actor', '/admin/audit', 'entries', (entries) =>
    entries.map((entry) => ({ ...entry, actor: 'x' })),
  ),
  onEntries('omits the number of catches in audit entries', '/admin/audit', 'entries', (entries) =>
    entries.map(({ catches: _, ...entry }) => entry),
  ),
  onEntries('records each of several equal events', '/admin/audit', 'entries', (entries) =>
    entries.flatMap(({ count = 1, lastAt: _, ...entry }) => Array.from({ length: Number(count) }, () => entry)),
  ),
  onEntries('records a wrong request id', '/admin/audit', 'entries', (entries) =>
    entries.map((entry) => ({ ...entry, requestId: 'x' })),
  ),
  onEntries('returns the oldest audit entry first', '/admin/audit', 'entries', (entries) =>
    entries.map((entry, index) => ({ ...entry, at: new Date(index * 1000).toISOString() })),
  ),
  asRoot(
    'accepts a missing session as an administrator',
    (request, path) => path.startsWith('/admin/') && path !== '/admin/login' && bearer(request) === '',
  ),
  asRoot(
    'accepts every session as a superadmin',
    (request, path) => path.startsWith('/admin/') && bearer(request).length > 100,
  ),
  asRoot('accepts an unreadable session', (request, path) => path === '/admin/me' && bearer(request).length < 60),
  asRoot('accepts unsigned sessions', (request, path) => path === '/admin/me' && bearer(request).endsWith('.')),
  asRoot(
    'does not check signatures',
    (request, path) =>
      path === '/admin/me' && /^(Bearer [^.]+\.){0,1}/.test(bearer(request)) && bearer(request).length > 60,
  ),
  onOk('returns a session with a lifetime of a week', /^\/admin\/login$/, (body) => ({
    ...body,
    expiresAt: '2026-01-08T12:00:00.000Z',
  })),
  onOk('returns an invalid JWT', /^\/admin\/login$/, (body) => ({ ...body, token: `x${body.token}` })),
  onOk('returns a wrong role', /^\/admin\/me$/, (body) => ({ ...body, role: 'superadmin', username: 'x' })),
  onOk('shows password hashes', /^\/admin\/(me|admins)$/, (body) => ({ ...body, passwordHash: 'x' })),
  onOk('shows secrets of users', USER, (body) => ({ ...body, apiKey: 'x' })),
  onOk('omits the last catch of a user', USER, ({ lastCatch: _, ...body }) => body),
  onOk('omits the totals of a user', USER, ({ totals: _, ...body }) => body),
  onEntries('omits the totals in the list of users', '/admin/users', 'users', (users) =>
    users.map(({ totals: _, ...user }) => user),
  ),
  onEntries('lists secrets of users', '/admin/users', 'users', (users) =>
    users.map((user) => ({ ...user, apiKey: 'x' })),
  ),
  onEntries('omits the last user in a list', '/admin/users', 'users', (users) => users.slice(0, -1)),
  onEntries('lists no administrators', '/admin/admins', 'admins', () => []),
  onRequest(
    'ignores the search',
    ({ url }) => url.includes('search='),
    (request, send) => send(changedRequest(request, { url: request.url.replace(/search=[^&]*/, 'search=') })),
  ),
  ...['id', 'name', 'createdAt', 'password', 'fernetKey', 'apiKey'].map((field) =>
    onJson(
      `creates users without ${field}`,
      (path, request, { status }) => path === '/admin/users' && isPost(request) && status === 201,
      ({ [field]: _, ...body }) => body,
    ),
  ),
  onJson(
    'creates users with an extra field',
    (path, _, { status }) => path === '/admin/users' && status === 201,
    (body) => ({ ...body, passwordHash: 'x' }),
  ),
  onRequest(
    'inverts the permissions of the role admin',
    (request, path) => path.startsWith('/admin/') && bearer(request) !== '',
    async (request, send) => {
      const me = await send(new Request(new URL('/admin/me', request.url), { headers: request.headers }))
      if (!(await me.text()).includes('"role":"admin"')) return send(request)
      const { status } = await send(request)
      return status === 403 ? madeUp(200, {}) : madeUpError(403, 'forbidden')
    },
  ),
  onRequest(
    'responds with 400 to the role admin',
    (request, path) => path.startsWith('/admin/') && bearer(request) !== '',
    async (request, send) => {
      const me = await send(new Request(new URL('/admin/me', request.url), { headers: request.headers }))
      return (await me.text()).includes('"role":"admin"') ? madeUpError(400, 'invalid_query') : send(request)
    },
  ),
  onJson(
    'creates users with URL-safe base64 keys',
    (path, _, { status }) => path === '/admin/users' && status === 201,
    (body) => ({ ...body, fernetKey: `${'a'.repeat(42)}-=` }),
  ),
  onOk('resets every key to the same value', /\/reset$/, (body) =>
    'fernetKey' in body ? { fernetKey: 'a'.repeat(43).concat('=') } : body,
  ),
  onRequest(
    'ignores given passwords',
    (request, path) => path === '/admin/users' && isPost(request),
    async (request, send) => {
      const { password: _, ...body } = (await request.json()) as Json
      const { url, method, headers } = request
      return send(new Request(url, { method, headers, body: JSON.stringify(body) }))
    },
  ),
  pretends(
    'acknowledges resets without executing them',
    (request, path) => path.endsWith('/reset') && isPost(request),
    () => madeUp(200, { password: 'a-new-password', fernetKey: 'x', apiKey: 'x' }),
  ),
  ...['password', 'fernetKey', 'apiKey'].map((field) =>
    onOk(`returns a wrong new ${field} on reset`, /\/reset$/, (body) =>
      field in body ? { [field]: 'A'.repeat(43).concat('=') } : body,
    ),
  ),
  {
    name: 'accepts old secrets after a reset',
    around: (send) => {
      const old = new Map<string, Response>()
      return async (request) => {
        const key = `${bearer(request)} ${request.headers.get('x-api-key')} ${new URL(request.url).pathname} ${request.method}`
        const before = bearer(request).startsWith('Basic') ? old.get(key) : undefined
        const response = await send(request)
        if (response.status === 200 && bearer(request).startsWith('Basic')) old.set(key, response.clone())
        return before && response.status === 401 ? before.clone() : response
      }
    },
  },
  pretends(
    'does not delete users',
    ({ method }, path) => method === 'DELETE' && USER.test(path),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'does not end sessions',
    (_, path) => path === '/admin/logout',
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'does not delete administrators',
    ({ method }, path) => method === 'DELETE' && path.startsWith('/admin/admins/'),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'does not delete records',
    ({ method }, path) => method === 'DELETE' && /(fish|crab)\/[^/]+$/.test(path),
    () => new Response(null, { status: 204 }),
  ),
  onRequest(
    'removes the whole record instead of one entry',
    ({ method, url }) => method === 'DELETE' && /[?&]entry=\d/.test(url),
    (request, send) => send(changedRequest(request, { url: request.url.replace(/&entry=\d+/, '') })),
  ),
  pretends(
    'does not move records for administrators',
    (request, path) => isPost(request) && /^\/admin\/.*\/move$/.test(path),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'does not move records for players',
    (request, path) => isPost(request) && /^\/user\/.*\/move$/.test(path),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'does not remove records for players',
    ({ method }, path) => method === 'DELETE' && path.startsWith('/user/'),
    () => new Response(null, { status: 204 }),
  ),
  onResponse(
    'lets anyone change records',
    (_, { status }, path) => status === 401 && path.startsWith('/user/'),
    () => new Response(null, { status: 204 }),
  ),
  onResponse(
    'accepts every gamemode as the target of a move',
    (_, { status }, path) => status === 400 && path.endsWith('/move'),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'does not store catches that administrators add',
    (request, path) => isPost(request) && COLLECTION.test(path),
    () => madeUp(201, { message: 'x', id: 'x' }),
  ),
  onOk('returns empty collections to administrators', COLLECTION, (body) => ({ ...body, fish: [], crab: [] })),
  onResponse(
    'accepts invalid bodies',
    (request, { status }, path) => status === 400 && isPost(request) && path.startsWith('/admin/'),
    () => madeUp(201, { token: 'x', id: 'x' }),
  ),
  onResponse(
    'accepts invalid queries',
    ({ method, url }, { status }) => status === 400 && (method === 'GET' || url.includes('entry=')),
    (response) => changed(response, { status: 200 }),
  ),
  onOk('returns a wrong total of fish', /stats$/, (body) => ({ ...body, fish: { ...(body.fish as Json), total: 0 } })),
  onOk('returns a wrong total of crabs', /stats$/, (body) => ({
    ...body,
    crab: { ...(body.crab as Json), total: 1e6 },
  })),
  onOk('returns a wrong number of users', /stats$/, (body) => ({ ...body, users: 0 })),
  onEntries('returns the leaderboard in reverse order', '/admin/leaderboard', 'leaderboard', (list) => [
    ...list.toReversed(),
    ...list,
  ]),
  onOk('returns an empty public leaderboard', /\/get\/leaderboard$/, () => ({ leaderboard: [] })),
  onEntries('returns an empty leaderboard', '/admin/leaderboard', 'leaderboard', () => []),
  onEntries('returns counts that are one too low in the leaderboard', '/admin/leaderboard', 'leaderboard', (list) =>
    list.map((place) => ({ ...place, count: Number(place.count) - 1 })),
  ),
  onOk('lists leaders without counts', /leaderboard$/, (body) => ({
    ...body,
    leaderboard: (body.leaderboard as Entry[]).map(({ name }) => ({ name })),
  })),
  onOk('omits the type of the leaderboard', /leaderboard$/, ({ type: _, gamemode: __, ...body }) => body),
  onOk('returns the key of a different user', /^\/get\/user\/key$/, () => ({ fernetKey: 'A'.repeat(43).concat('=') })),
  onOk('returns an extra field with the key', /^\/get\/user\/key$/, (body) => ({ ...body, name: 'x' })),
  onResponse(
    'returns the key of any user to any player',
    ({ url }, { status }) => status === 403 && url.includes('/key'),
    () => madeUp(200, { fernetKey: 'x' }),
  ),
  onJson(
    'reveals to players whether a user exists',
    (path, _, { status }) => path === '/get/user/key' && status === 403,
    (body) => ({ ...body, error: `No: ${crypto.randomUUID()}` }),
  ),
  onJson(
    'reveals to anonymous clients whether a user exists',
    (path, _, { status }) => /key$|login$/.test(path) && status === 401,
    (body) => ({ ...body, error: `No: ${crypto.randomUUID()}` }),
  ),
  onResponse(
    'returns keys without valid credentials',
    (_, { status }, path) => status === 401 && path === '/get/user/key',
    () => madeUp(200, { fernetKey: 'x' }),
  ),
  onResponse(
    'accepts every admin login',
    (_, { status }, path) => status === 401 && path === '/admin/login',
    () => madeUp(200, { token: 'x', expiresAt: 'x' }),
  ),
  onRequest(
    'compares the names in key requests case-sensitively',
    ({ url }) => /key\?name=CONF/.test(url),
    async () => madeUpError(403, 'forbidden'),
  ),
  onRequest(
    'compares the names of logins case-sensitively',
    (request) => /^Basic Q09ORk9STUF/.test(bearer(request)),
    async () => madeUpError(401, 'invalid_credentials'),
  ),
]
