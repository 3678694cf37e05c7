import { ROUTES } from '@fish-crab/sdk/contract'
import type { Logger } from '../options.ts'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { routeLabel } from './route-label.ts'

/**
 * Logs an answer in one line. Neither the query nor any header of the request is in it: API keys, passwords and
 * sessions travel there, and some clients put them where they do not belong.
 */
export function logAnswer(logger: Logger, exchange: Exchange, { status, headers }: Answer, now: number): void {
  const { request, requestId, address, receivedAt } = exchange
  const length = headers['content-length']
  const bytes = length === undefined ? {} : { bytes: Number(length) }
  const route = routeLabel(exchange)
  // A path that nobody serves is free text, and so are parameters: what was pasted there by mistake may be a key.
  const path = route === 'unmatched' ? {} : { path: exchange.pattern ?? ROUTES[route].path }
  const fields = { requestId, method: request.method, ...path, route, status, ms: now - receivedAt, ...bytes, address }
  logger.info(fields, 'request')
}
