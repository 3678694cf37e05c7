import {
  changed,
  changedRequest,
  dropHeader,
  isRead,
  type Mutation,
  madeUpError,
  onJson,
  onRequest,
  onResponse,
} from './mutation.ts'

const notFound = async () => madeUpError(404, 'not_found')
const ALLOW_ORIGIN = 'access-control-allow-origin'
const isPreflight = ({ method, headers }: Request) => method === 'OPTIONS' && headers.has('origin')

/** Mutations of responses in general. */
export const responsesMutations: readonly Mutation[] = [
  onJson(
    'says "wrong" in place of every code',
    (_, __, response) => response.status >= 400,
    (body) => ({ ...body, code: 'wrong' }),
  ),
  onResponse(
    'returns 418 in place of every error',
    (_, { status }) => status >= 400,
    (response) => changed(response, { status: 418 }),
  ),
  ...['x-request-id', 'allow', 'www-authenticate', 'etag', 'vary', 'idempotent-replayed', 'content-type'].map((name) =>
    dropHeader(name),
  ),
  ...['access-control-expose-headers', 'access-control-allow-origin'].map((name) => dropHeader(name)),
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map((name) => dropHeader(name)),
  ...['access-control-allow-methods', 'access-control-allow-headers'].map((name) => dropHeader(name)),
  onJson(
    'errors have no sentence',
    (_, __, { status }) => status >= 400,
    ({ error: _, ...body }) => body,
  ),
  onJson(
    'errors show a stack',
    (_, __, { status }) => status >= 400,
    (body) => ({ ...body, stack: 'at x (a.ts:1:1)' }),
  ),
  onJson(
    'errors have no request id',
    (_, __, { status }) => status >= 400,
    ({ requestId: _, ...body }) => body,
  ),
  onJson(
    'errors have no details',
    (_, __, { status }) => status >= 400,
    ({ details: _, ...body }) => body,
  ),
  onResponse(
    'keeps every request id',
    ({ headers }) => headers.has('x-request-id'),
    (response, { headers }) => changed(response, { headers: { 'x-request-id': headers.get('x-request-id') } }),
  ),
  onRequest(
    'keeps no request id',
    ({ headers }) => headers.has('x-request-id'),
    (request, send) => send(changedRequest(request, { headers: { 'x-request-id': null } })),
  ),
  onResponse(
    'has one request id',
    () => true,
    (response) => changed(response, { headers: { 'x-request-id': 'one' } }),
  ),
  onResponse(
    'responds to unknown paths',
    (_, { status }) => status === 404,
    (response) => changed(response, { status: 200 }),
  ),
  onResponse(
    'HEAD has a body',
    ({ method }) => method === 'HEAD',
    (response) => {
      return new Response('x', { status: response.status, headers: response.headers })
    },
  ),
  onRequest('knows no /v1', (_, path) => path.startsWith('/v1'), notFound),
  onRequest('knows no trailing slash', (_, path) => path.length > 1 && path.endsWith('/'), notFound),
  onRequest('knows no doubled slash', (_, path) => path.includes('//'), notFound),
  onRequest('knows no percent-encoding', (_, path) => path.includes('%'), notFound),
  onResponse(
    'opens to other origins what is closed, and closes what is open',
    ({ headers }) => headers.has('origin'),
    (response) =>
      changed(response, {
        headers: response.headers.has(ALLOW_ORIGIN) ? { [ALLOW_ORIGIN]: null } : { [ALLOW_ORIGIN]: '*' },
      }),
  ),
  onResponse(
    'allows credentials',
    () => true,
    (response) => changed(response, { headers: { 'access-control-allow-credentials': 'true' } }),
  ),
  onResponse(
    'names every origin',
    ({ headers }) => headers.has('origin'),
    (response, { headers }) => changed(response, { headers: { 'access-control-allow-origin': headers.get('origin') } }),
  ),
  onRequest('responds to no preflight', isPreflight, async () => madeUpError(405, 'method_not_allowed')),
  onRequest(
    'takes an allowed origin for authentication',
    ({ headers }, path) => headers.get('origin') === 'https://allowed.example' && /key|admin/.test(path),
    async () => Response.json({}),
  ),
  onRequest(
    'reads a body to its end before it judges it',
    ({ method }) => method === 'POST',
    async (request, send) => {
      const body = await request.arrayBuffer()
      const { url, method, headers } = request
      return send(new Request(url, { method, headers, body }))
    },
  ),
  onRequest(
    'refuses bodies of 256 KiB',
    ({ method }, path) => method === 'POST' && path.includes('fish'),
    async (request, send) => {
      const body = await request.arrayBuffer()
      if (body.byteLength >= 256 * 1024) return madeUpError(413, 'payload_too_large')
      const { url, method, headers } = request
      return send(new Request(url, { method, headers, body }))
    },
  ),
  ...['content-encoding', 'content-type'].map((name) =>
    onRequest(
      `ignores the ${name} of a request`,
      ({ headers }, path) => headers.has(name) && /^\/post/.test(path),
      (request, send) => send(changedRequest(request, { headers: { [name]: null } })),
    ),
  ),
  onRequest(
    'never returns 304',
    ({ headers }) => headers.has('if-none-match'),
    (request, send) => send(changedRequest(request, { headers: { 'if-none-match': null } })),
  ),
  onResponse(
    'always returns 304',
    ({ headers }) => headers.has('if-none-match'),
    (response) => changed(response, { status: 304 }),
  ),
  onResponse(
    'has one ETag for everything',
    () => true,
    (response) => changed(response, { headers: { etag: '"1"' } }),
  ),
  onResponse(
    'HEAD has no ETag',
    ({ method }) => method === 'HEAD',
    (response) => changed(response, { headers: { etag: null } }),
  ),
  onRequest(
    'never compresses',
    () => true,
    (request, send) => send(changedRequest(request, { headers: { 'accept-encoding': null } })),
  ),
  onRequest(
    'always compresses',
    ({ method }, path) => method === 'GET' && isRead(path),
    (request, send) => send(changedRequest(request, { headers: { 'accept-encoding': 'identity;q=0, gzip' } })),
  ),
  onJson(
    'status is not "ok"',
    (path) => path === '/status',
    (body) => ({ ...body, status: 'fine' }),
  ),
  onJson(
    'status has no version',
    (path) => path === '/status',
    ({ version: _, ...body }) => body,
  ),
  onJson(
    'samples change',
    (path) => path.startsWith('/demo'),
    (body) => ({ ...body, user: crypto.randomUUID() }),
  ),
  onJson(
    'samples lack a rarity',
    (path) => path === '/demo/fish',
    (body) => ({
      ...body,
      fish: (body.fish as unknown[]).slice(1),
    }),
  ),
  onJson(
    'samples have no crabs',
    (path) => path === '/demo/crab',
    (body) => ({ ...body, crab: [] }),
  ),
  ...['/livez', '/readyz', '/openapi.json', '/status', '/demo/fish', '/demo/crab'].map((path) =>
    onRequest(`does not serve ${path}`, (_, requested) => requested === path, notFound),
  ),
  onJson(
    'OpenAPI is 3.0',
    (path) => path === '/openapi.json',
    (body) => ({ ...body, openapi: '3.0.3' }),
  ),
  onJson(
    'OpenAPI lacks a path',
    (path) => path === '/openapi.json',
    ({ paths, ...body }) => {
      const { '/post/crab': _, ...others } = paths as Record<string, unknown>
      return { ...body, paths: others }
    },
  ),
]
