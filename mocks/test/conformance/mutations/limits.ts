import { MASTER } from '../direct.ts'
import { changed, changedRequest, type Mutation, madeUpError, onJson, onRequest, onResponse } from './mutation.ts'

const lifted = (request: Request) => changedRequest(request, { headers: { 'x-api-key': MASTER } })
const uncounted = (name: string, which: (request: Request, path: string) => boolean): Mutation =>
  onRequest(name, which, (request, send) => send(lifted(request)))
const hasKey = ({ headers }: Request) => headers.has('x-api-key')
const remaining = 'x-ratelimit-remaining'
const reset = 'x-ratelimit-reset'

/** Creates a mutation that counts exempt requests, by an additional anonymous request after each of them. */
const counts = (name: string, which: (request: Request, path: string) => boolean): Mutation => ({
  name: `counts ${name}`,
  around: (send) => async (request) => {
    const { url } = request
    const isOne = which(request, new URL(url).pathname)
    const response = await send(request)
    if (!isOne) return response
    const counted = await send(new Request(new URL('/status', url)))
    return counted.status === 429 ? counted : response
  },
})

const letsOneMorePass: Mutation = {
  name: 'allows one request too many',
  around: (send) => {
    let passed = false
    return async (request) => {
      const copy = request.clone()
      const response = await send(request)
      if (response.status !== 429 || passed || !request.url.includes('demo')) return response
      passed = true
      return changed(await send(lifted(copy)), { headers: { [remaining]: '0', [reset]: response.headers.get(reset) } })
    }
  },
}

const refusesEarly: Mutation = onResponse(
  'refuses the last request of a window',
  (_, response) => response.headers.get(remaining) === '0' && response.status < 400,
  (response) => changed(madeUpError(429, 'rate_limited'), { headers: Object.fromEntries(response.headers) }),
)

const locksOutWholeClients: Mutation = {
  name: 'locks a client out of all accounts for failures on one',
  around: (send) => {
    let failures = 0
    return async (request) => {
      if (!request.headers.get('authorization')?.startsWith('Basic')) return send(request)
      if (failures >= 10) return madeUpError(429, 'rate_limited')
      const response = await send(request)
      if (response.status === 401) failures += 1
      return response
    }
  },
}

const header = (name: string, to: (value: string) => string, what: string): Mutation =>
  onResponse(
    what,
    (_, response) => response.headers.has(name),
    (response) => changed(response, { headers: { [name]: to(response.headers.get(name) ?? '') } }),
  )

/** Mutations of the rate limits. */
export const limitsMutations: readonly Mutation[] = [
  locksOutWholeClients,
  uncounted('does not count HEAD', ({ method }) => method === 'HEAD'),
  uncounted('does not count unknown paths', (_, path) => path === '/nowhere'),
  uncounted('does not count paths under /v1', (_, path) => path.startsWith('/v1')),
  uncounted('does not count doubled slashes', (_, path) => path.startsWith('//')),
  uncounted('does not count percent-encoded paths', (_, path) => path.includes('%')),
  uncounted('does not count methods that are not allowed', ({ method }) => method === 'DELETE'),
  uncounted('accepts every API key', hasKey),
  uncounted('treats every origin as allowed', ({ headers }) => headers.has('origin')),
  onRequest('rejects every API key', hasKey, (request, send) =>
    send(changedRequest(request, { headers: { 'x-api-key': 'x' } })),
  ),
  onRequest(
    'rejects the master key',
    ({ headers }) => headers.get('x-api-key') === MASTER,
    (request, send) => send(changedRequest(request, { headers: { 'x-api-key': 'x' } })),
  ),
  onRequest(
    'treats no origin as allowed',
    ({ headers }) => headers.has('origin'),
    (request, send) => send(changedRequest(request, { headers: { origin: 'https://x.example' } })),
  ),
  onRequest(
    'returns 401 for an invalid API key',
    ({ headers }) => headers.get('x-api-key') === 'nonsense',
    async () => madeUpError(401, 'invalid_credentials'),
  ),
  onResponse(
    'shows the rate limit on uncounted responses',
    (_, response) => !response.headers.has(remaining),
    (response) =>
      changed(response, { headers: { 'x-ratelimit-limit': '25', [remaining]: '24', [reset]: '2000000000' } }),
  ),
  counts('preflights', ({ method, headers }) => method === 'OPTIONS' && headers.has('origin')),
  counts('probes', (_, path) => path === '/livez'),
  counts('requests with a personal key', (request, path) => hasKey(request) && path === '/nowhere'),
  counts('requests with the master key', ({ headers }) => headers.get('x-api-key') === MASTER),
  counts('requests of an allowed origin', ({ headers }) => headers.get('origin') === 'https://allowed.example'),
  letsOneMorePass,
  refusesEarly,
  header('x-ratelimit-limit', () => '26', 'returns a wrong limit'),
  header(remaining, (left) => String(Number(left) + 1), 'returns one remaining request too many'),
  header(reset, (at) => String(Number(at) * 1000), 'returns the reset time in milliseconds'),
  header('retry-after', () => '0', 'returns 0 as retry-after'),
  header('retry-after', (seconds) => String(Number(seconds) * 1000), 'returns retry-after in milliseconds'),
  {
    name: 'moves the end of the window with every request',
    around: (send) => {
      let count = 0
      return header(reset, (at) => String(Number(at) + count++), '').around(send)
    },
  },
  onJson(
    'does not name a contact in a refusal',
    (_, __, { status }) => status === 429,
    (body) => ({ ...body, error: 'Try again later.' }),
  ),
  onJson(
    'does not suggest a retry in a refusal',
    (_, __, { status }) => status === 429,
    (body) => ({ ...body, error: 'Contact the site owner.' }),
  ),
  {
    name: 'has a shared window for all clients',
    around: (send) => {
      let spent: Response | undefined
      return async (request) => {
        const isAnonymous = !hasKey(request) && new URL(request.url).pathname === '/status'
        if (isAnonymous && spent) return spent.clone()
        const response = await send(request)
        if (response.status === 429 && isAnonymous) spent = response.clone()
        return response
      }
    },
  },
  onResponse(
    'never limits administrators',
    (_, { status }, path) => status === 429 && path === '/admin/me',
    () => Response.json({}),
  ),
  {
    name: 'limits administrators to 100 requests',
    around: (send) => {
      let count = 0
      return async (request) => {
        if (!request.url.endsWith('/admin/me')) return send(request)
        count += 1
        return count > 100 ? madeUpError(429, 'rate_limited') : send(request)
      }
    },
  },
  {
    name: 'never limits failed credentials',
    around: (send) => async (request) => {
      const response = await send(request)
      return response.status === 429 && request.headers.has('authorization')
        ? changed(madeUpError(401, 'invalid_credentials'), { headers: { 'www-authenticate': 'Basic' } })
        : response
    },
  },
  {
    name: 'refuses all requests after a window is exhausted',
    around: (send) => {
      let isSpent = false
      return async (request) => {
        if (isSpent && !request.url.includes('/admin/users/')) return madeUpError(429, 'rate_limited')
        const response = await send(request)
        isSpent ||= response.status === 429 && request.url.includes('/demo/')
        return response
      }
    },
  },
  onResponse(
    'does not refuse variants of a path',
    ({ url }, { status }) => status === 429 && /\/v1\/|%|\/\/status|nowhere/.test(url),
    () => Response.json({}),
  ),
]
