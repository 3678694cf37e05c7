import { EVENT_STREAM, HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import type { RequestContext } from './context.ts'

const EXPOSED_HEADERS = [
  HEADERS.rateLimit,
  HEADERS.rateRemaining,
  HEADERS.rateReset,
  HEADERS.retryAfter,
  HEADERS.requestId,
  HEADERS.replayed,
  'etag',
].join(', ')

const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'if-none-match',
  HEADERS.apiKey,
  HEADERS.gamemode,
  HEADERS.requestId,
  EVENT_STREAM.lastEventId,
].join(', ')

/** Whether a value is a web origin (RFC 6454, section 6): http or https with one host and no path. */
export function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string' || value.includes('*') || !URL.canParse(value)) return false
  const { origin, protocol } = new URL(value)
  return origin === value && /^https?:$/.test(protocol)
}

/**
 * Adds CORS headers to the response. Every origin may read public endpoints other than the user key, and configured
 * origins may use all public endpoints. No origin may use an endpoint that is not public, or send credentials of the
 * browser.
 * @returns whether the request is a preflight (Fetch standard, "CORS-preflight request"), which needs no response
 * beyond these headers
 */
export function applyCors(context: RequestContext, allowedOrigins: readonly string[]): boolean {
  const { request, path, access, responseHeaders } = context
  const origin = request.headers.get('origin')
  const requestedMethod = request.headers.get('access-control-request-method')
  const isPreflight = request.method === 'OPTIONS' && origin !== null && requestedMethod !== null
  if (access !== 'public') return isPreflight

  const method = isPreflight ? requestedMethod : request.method
  const isOpenToAll = (method === 'GET' || method === 'HEAD') && path !== ROUTES.getUserKey.path
  const isConfigured = origin !== null && allowedOrigins.includes(origin)
  if (allowedOrigins.length > 0) responseHeaders.vary = 'Origin'
  if (!isConfigured && !isOpenToAll) return isPreflight

  responseHeaders['access-control-allow-origin'] = isConfigured ? origin : '*'
  responseHeaders['access-control-expose-headers'] = EXPOSED_HEADERS
  if (isPreflight) {
    responseHeaders['access-control-allow-methods'] = isConfigured ? 'GET, HEAD, POST, PATCH, DELETE' : 'GET, HEAD'
    responseHeaders['access-control-allow-headers'] = ALLOWED_HEADERS
    responseHeaders['access-control-max-age'] = '7200'
  }
  return isPreflight
}
