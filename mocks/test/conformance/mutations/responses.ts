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

/** Mutations of responses that many endpoints share. */
export const responsesMutations: readonly Mutation[] = [
  onJson(
    'returns the error code "wrong" for every error',
    (_, __, response) => response.status >= 400,
    (body) => ({ ...body, code: 'wrong' }),
  ),
  onResponse(
    'returns status 418 for every error',
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
    'returns errors without a sentence',
    (_, __, { status }) => status >= 400,
    ({ error: _, ...body }) => body,
  ),
  onJson(
    'returns errors with a stack',
    (_, __, { status }) => status >= 400,
    (body) => ({ ...body, stack: 'at x (a.ts:1:1)' }),
  ),
  onJson(
    'returns errors without a request id',
    (_, __, { status }) => status >= 400,
    ({ requestId: _, ...body }) => body,
  ),
  onJson(
    'returns errors without details',
    (_, __, { status }) => status >= 400,
    ({ details: _, ...body }) => body,
  ),
  onResponse(
    'accepts even invalid request ids',
    ({ headers }) => headers.has('x-request-id'),
    (response, { headers }) => changed(response, { headers: { 'x-request-id': headers.get('x-request-id') } }),
  ),
  onRequest(
    'ignores the request id of a client',
    ({ headers }) => headers.has('x-request-id'),
    (request, send) => send(changedRequest(request, { headers: { 'x-request-id': null } })),
  ),
  onResponse(
    'returns the same request id for all requests',
    () => true,
    (response) => changed(response, { headers: { 'x-request-id': 'one' } }),
  ),
  onResponse(
    'returns 200 for unknown paths',
    (_, { status }) => status === 404,
    (response) => changed(response, { status: 200 }),
  ),
  onResponse(
    'returns a body for HEAD',
    ({ method }) => method === 'HEAD',
    (response) => {
      return new Response('x', { status: response.status, headers: response.headers })
    },
  ),
  onRequest('does not serve paths under /v1', (_, path) => path.startsWith('/v1'), notFound),
  onRequest('does not serve paths with a trailing slash', (_, path) => path.length > 1 && path.endsWith('/'), notFound),
  onRequest('does not serve paths with doubled slashes', (_, path) => path.includes('//'), notFound),
  onRequest('does not serve percent-encoded paths', (_, path) => path.includes('%'), notFound),
  onResponse(
    'inverts access for other origins',
    ({ headers }) => headers.has('origin'),
    (response) =>
      changed(response, {
        headers: response.headers.has(ALLOW_ORIGIN) ? { [ALLOW_ORIGIN]: null } : { [ALLOW_ORIGIN]: '*' },
      }),
  ),
  onResponse(
    'allows credentials from other origins',
    () => true,
    (response) => changed(response, { headers: { 'access-control-allow-credentials': 'true' } }),
  ),
  onResponse(
    'echoes every origin',
    ({ headers }) => headers.has('origin'),
    (response, { headers }) => changed(response, { headers: { 'access-control-allow-origin': headers.get('origin') } }),
  ),
  onRequest('refuses preflights', isPreflight, async () => madeUpError(405, 'method_not_allowed')),
  onRequest(
    'accepts an allowed origin as authentication',
    ({ headers }, path) => headers.get('origin') === 'https://allowed.example' && /key|admin/.test(path),
    async () => Response.json({}),
  ),
  onRequest(
    'reads a whole body before it refuses the body',
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
    'returns the same ETag for everything',
    () => true,
    (response) => changed(response, { headers: { etag: '"1"' } }),
  ),
  onResponse(
    'omits the ETag for HEAD',
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
    'returns a status other than "ok"',
    (path) => path === '/status',
    (body) => ({ ...body, status: 'fine' }),
  ),
  onJson(
    'omits the version in the status',
    (path) => path === '/status',
    ({ version: _, ...body }) => body,
  ),
  onJson(
    'returns changing samples',
    (path) => path.startsWith('/demo'),
    (body) => ({ ...body, user: crypto.randomUUID() }),
  ),
  onJson(
    'omits a rarity in the samples',
    (path) => path === '/demo/fish',
    (body) => ({
      ...body,
      fish: (body.fish as unknown[]).slice(1),
    }),
  ),
  onJson(
    'omits the crabs in the samples',
    (path) => path === '/demo/crab',
    (body) => ({ ...body, crab: [] }),
  ),
  ...['/livez', '/readyz', '/openapi.json', '/status', '/demo/fish', '/demo/crab'].map((path) =>
    onRequest(`does not serve ${path}`, (_, requested) => requested === path, notFound),
  ),
  onJson(
    'returns an OpenAPI 3.0 document',
    (path) => path === '/openapi.json',
    (body) => ({ ...body, openapi: '3.0.3' }),
  ),
  onJson(
    'omits a path in the OpenAPI document',
    (path) => path === '/openapi.json',
    ({ paths, ...body }) => {
      const { '/post/crab': _, ...others } = paths as Record<string, unknown>
      return { ...body, paths: others }
    },
  ),
]
