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

/** Sends some requests with the session of the first administrator instead of their own. */
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

/** A service that acknowledges a request and does nothing. */
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
  onEntries('records another actor', '/admin/audit', 'entries', (entries) =>
    entries.map((entry) => ({ ...entry, actor: 'x' })),
  ),
  onEntries('records no count', '/admin/audit', 'entries', (entries) => entries.map(({ count: _, ...entry }) => entry)),
  onEntries('records another request id', '/admin/audit', 'entries', (entries) =>
    entries.map((entry) => ({ ...entry, requestId: 'x' })),
  ),
  onEntries('returns the oldest record first', '/admin/audit', 'entries', (entries) =>
    entries.map((entry, index) => ({ ...entry, at: new Date(index * 1000).toISOString() })),
  ),
  asRoot(
    'takes no session for one of an administrator',
    (request, path) => path.startsWith('/admin/') && path !== '/admin/login' && bearer(request) === '',
  ),
  asRoot(
    'takes every session for one of a superadmin',
    (request, path) => path.startsWith('/admin/') && bearer(request).length > 100,
  ),
  asRoot(
    'takes what it cannot read for a session',
    (request, path) => path === '/admin/me' && bearer(request).length < 60,
  ),
  asRoot('takes unsigned sessions', (request, path) => path === '/admin/me' && bearer(request).endsWith('.')),
  asRoot(
    'does not check signatures',
    (request, path) =>
      path === '/admin/me' && /^(Bearer [^.]+\.){0,1}/.test(bearer(request)) && bearer(request).length > 60,
  ),
  onOk('returns a session of a week', /^\/admin\/login$/, (body) => ({
    ...body,
    expiresAt: '2026-01-08T12:00:00.000Z',
  })),
  onOk('returns no JWT', /^\/admin\/login$/, (body) => ({ ...body, token: `x${body.token}` })),
  onOk('says another role', /^\/admin\/me$/, (body) => ({ ...body, role: 'superadmin', username: 'x' })),
  onOk('shows password hashes', /^\/admin\/(me|admins)$/, (body) => ({ ...body, passwordHash: 'x' })),
  onOk('shows secrets of users', USER, (body) => ({ ...body, apiKey: 'x' })),
  onOk('shows no last catch', USER, ({ lastCatch: _, ...body }) => body),
  onOk('shows no totals', USER, ({ totals: _, ...body }) => body),
  onEntries('lists no totals', '/admin/users', 'users', (users) => users.map(({ totals: _, ...user }) => user)),
  onEntries('lists secrets of users', '/admin/users', 'users', (users) =>
    users.map((user) => ({ ...user, apiKey: 'x' })),
  ),
  onEntries('lists no last user', '/admin/users', 'users', (users) => users.slice(0, -1)),
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
    'creates users with a field too many',
    (path, _, { status }) => path === '/admin/users' && status === 201,
    (body) => ({ ...body, passwordHash: 'x' }),
  ),
  onRequest(
    'forbids administrators what they may do, and allows what they may not',
    (request, path) => path.startsWith('/admin/') && bearer(request) !== '',
    async (request, send) => {
      const me = await send(new Request(new URL('/admin/me', request.url), { headers: request.headers }))
      if (!(await me.text()).includes('"role":"admin"')) return send(request)
      const { status } = await send(request)
      return status === 403 ? madeUp(200, {}) : madeUpError(403, 'forbidden')
    },
  ),
  onRequest(
    'responds 400 to the role admin',
    (request, path) => path.startsWith('/admin/') && bearer(request) !== '',
    async (request, send) => {
      const me = await send(new Request(new URL('/admin/me', request.url), { headers: request.headers }))
      return (await me.text()).includes('"role":"admin"') ? madeUpError(400, 'invalid_query') : send(request)
    },
  ),
  onJson(
    'creates users with keys of the URL-safe alphabet',
    (path, _, { status }) => path === '/admin/users' && status === 201,
    (body) => ({ ...body, fernetKey: `${'a'.repeat(42)}-=` }),
  ),
  onOk('gives all new keys of one user', /\/reset$/, (body) =>
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
    'resets nothing',
    (request, path) => path.endsWith('/reset') && isPost(request),
    () => madeUp(200, { password: 'a-new-password', fernetKey: 'x', apiKey: 'x' }),
  ),
  ...['password', 'fernetKey', 'apiKey'].map((field) =>
    onOk(`returns a ${field} that is not the new one`, /\/reset$/, (body) =>
      field in body ? { [field]: 'A'.repeat(43).concat('=') } : body,
    ),
  ),
  {
    name: 'keeps the old secrets beside the new ones',
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
    'deletes no users',
    ({ method }, path) => method === 'DELETE' && USER.test(path),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'ends no sessions',
    (_, path) => path === '/admin/logout',
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'deletes no administrators',
    ({ method }, path) => method === 'DELETE' && path.startsWith('/admin/admins/'),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'deletes no records',
    ({ method }, path) => method === 'DELETE' && /(fish|crab)\/[^/]+$/.test(path),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'moves no records for administrators',
    (request, path) => isPost(request) && /^\/admin\/.*\/move$/.test(path),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'moves no records for players',
    (request, path) => isPost(request) && /^\/user\/.*\/move$/.test(path),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'removes no records for players',
    ({ method }, path) => method === 'DELETE' && path.startsWith('/user/'),
    () => new Response(null, { status: 204 }),
  ),
  onResponse(
    'lets everybody change records',
    (_, { status }, path) => status === 401 && path.startsWith('/user/'),
    () => new Response(null, { status: 204 }),
  ),
  onResponse(
    'takes every gamemode to move to',
    (_, { status }, path) => status === 400 && path.endsWith('/move'),
    () => new Response(null, { status: 204 }),
  ),
  pretends(
    'adds nothing for administrators',
    (request, path) => isPost(request) && COLLECTION.test(path),
    () => madeUp(201, { message: 'x', id: 'x' }),
  ),
  onOk('lists collections without ids to administrators', COLLECTION, (body) => ({ ...body, fish: [], crab: [] })),
  onResponse(
    'takes wrong bodies',
    (request, { status }, path) => status === 400 && isPost(request) && path.startsWith('/admin/'),
    () => madeUp(201, { token: 'x', id: 'x' }),
  ),
  onResponse(
    'takes wrong queries',
    (request, { status }) => status === 400 && request.method === 'GET',
    (response) => changed(response, { status: 200 }),
  ),
  onOk('counts no fish', /stats$/, (body) => ({ ...body, fish: { ...(body.fish as Json), total: 0 } })),
  onOk('counts no crabs', /stats$/, (body) => ({ ...body, crab: { ...(body.crab as Json), total: 1e6 } })),
  onOk('counts no users', /stats$/, (body) => ({ ...body, users: 0 })),
  onEntries('returns the worst first', '/admin/leaderboard', 'leaderboard', (list) => [...list.toReversed(), ...list]),
  onOk('publishes no leaders', /\/get\/leaderboard$/, () => ({ leaderboard: [] })),
  onEntries('returns an empty leaderboard', '/admin/leaderboard', 'leaderboard', () => []),
  onEntries('counts one too few in the leaderboard', '/admin/leaderboard', 'leaderboard', (list) =>
    list.map((place) => ({ ...place, count: Number(place.count) - 1 })),
  ),
  onOk('lists leaders without counts', /leaderboard$/, (body) => ({
    ...body,
    leaderboard: (body.leaderboard as Entry[]).map(({ name }) => ({ name })),
  })),
  onOk('omits the type of the leaderboard', /leaderboard$/, ({ type: _, gamemode: __, ...body }) => body),
  onOk("returns another's key", /^\/get\/user\/key$/, () => ({ fernetKey: 'A'.repeat(43).concat('=') })),
  onOk('returns more than the key', /^\/get\/user\/key$/, (body) => ({ ...body, name: 'x' })),
  onResponse(
    'returns any key to any user',
    ({ url }, { status }) => status === 403 && url.includes('/key'),
    () => madeUp(200, { fernetKey: 'x' }),
  ),
  onJson(
    'reveals to a player which users exist',
    (path, _, { status }) => path === '/get/user/key' && status === 403,
    (body) => ({ ...body, error: `No: ${crypto.randomUUID()}` }),
  ),
  onJson(
    'reveals to strangers which users exist',
    (path, _, { status }) => /key$|login$/.test(path) && status === 401,
    (body) => ({ ...body, error: `No: ${crypto.randomUUID()}` }),
  ),
  onResponse(
    'lets everybody have a key',
    (_, { status }, path) => status === 401 && path === '/get/user/key',
    () => madeUp(200, { fernetKey: 'x' }),
  ),
  onResponse(
    'lets everybody log in',
    (_, { status }, path) => status === 401 && path === '/admin/login',
    () => madeUp(200, { token: 'x', expiresAt: 'x' }),
  ),
  onRequest(
    'knows players in one letter case alone',
    ({ url }) => /key\?name=CONF/.test(url),
    async () => madeUpError(403, 'forbidden'),
  ),
  onRequest(
    'logs players in under one letter case alone',
    (request) => /^Basic Q09ORk9STUF/.test(bearer(request)),
    async () => madeUpError(401, 'invalid_credentials'),
  ),
]
