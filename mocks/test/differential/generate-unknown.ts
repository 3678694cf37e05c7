import { HEADERS, KINDS, ROUTES } from '@fish-crab/sdk/contract'
import { origin } from './generate-reads.ts'
import { junkPiece } from './hostile.ts'
import type { PlainRequest } from './plain-request.ts'
import type { Sequence } from './sequence.ts'
import { ALEX } from './setup.ts'

type Pair = readonly [string, string]

/** Generates a preflight, or an `OPTIONS` request that resembles a preflight. */
export function preflight({ random }: Sequence): PlainRequest {
  const routes = Object.values(ROUTES)
  const headers: Pair[] = []
  if (random.chance(0.9)) headers.push(['origin', origin(random)])
  if (random.chance(0.9)) {
    headers.push(['access-control-request-method', random.pick(['GET', 'POST', 'HEAD', 'DELETE', 'get', 'NONSENSE'])])
  }
  if (random.chance(0.5)) headers.push(['access-control-request-headers', `${HEADERS.apiKey},content-type`])
  return { method: 'OPTIONS', target: random.pick(routes).path.replace(/:\w+/g, ALEX.name), headers }
}

/** Generates a request to a path that does not exist or must not be served. */
export function unknownPathRequest({ random }: Sequence): PlainRequest {
  const pieces = Array.from({ length: random.below(4) }, () =>
    random.chance(0.5)
      ? junkPiece(random)
      : random.pick(['get', 'post', 'admin', 'users', 'fish', 'v1', 'docs', 'metrics', '']),
  )
  const path = random.weighted([
    [4, `/${pieces.join('/')}`],
    [1, `${random.pick(Object.values(ROUTES)).path}/${pieces.join('/')}`],
    [1, '/'],
    [1, random.pick(['/metrics', '/docs', '/docs/index.css', '/favicon.ico', '/.env', '/v1', '/v1/', '/v1/v1/status'])],
    [1, `/get/${random.pick(KINDS)}s`],
  ])
  return { method: random.pick(['GET', 'GET', 'POST', 'DELETE', 'PUT']), target: path, headers: [] }
}
