import { HEADERS, KINDS, ROUTES } from '@fish-crab/sdk/contract'
import { origin } from './generate-reads.ts'
import { junkPiece } from './hostile.ts'
import type { PlainRequest } from './plain-request.ts'
import type { Sequence } from './sequence.ts'
import { ALEX } from './setup.ts'

type Pair = readonly [string, string]

/** What browsers ask before they send, and what looks like it. */
export function preflight({ dice }: Sequence): PlainRequest {
  const routes = Object.values(ROUTES)
  const headers: Pair[] = []
  if (dice.chance(0.9)) headers.push(['origin', origin(dice)])
  if (dice.chance(0.9)) {
    headers.push(['access-control-request-method', dice.pick(['GET', 'POST', 'HEAD', 'DELETE', 'get', 'NONSENSE'])])
  }
  if (dice.chance(0.5)) headers.push(['access-control-request-headers', `${HEADERS.apiKey},content-type`])
  return { method: 'OPTIONS', target: dice.pick(routes).path.replace(/:\w+/g, ALEX.name), headers }
}

/** Paths that lead nowhere, or should not. */
export function strayRequest({ dice }: Sequence): PlainRequest {
  const pieces = Array.from({ length: dice.below(4) }, () =>
    dice.chance(0.5)
      ? junkPiece(dice)
      : dice.pick(['get', 'post', 'admin', 'users', 'fish', 'v1', 'docs', 'metrics', '']),
  )
  const path = dice.weighted([
    [4, `/${pieces.join('/')}`],
    [1, `${dice.pick(Object.values(ROUTES)).path}/${pieces.join('/')}`],
    [1, '/'],
    [1, dice.pick(['/metrics', '/docs', '/docs/index.css', '/favicon.ico', '/.env', '/v1', '/v1/', '/v1/v1/status'])],
    [1, `/get/${dice.pick(KINDS)}s`],
  ])
  return { method: dice.pick(['GET', 'GET', 'POST', 'DELETE', 'PUT']), target: path, headers: [] }
}
