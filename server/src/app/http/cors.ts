import { type Access, HEADERS, ROUTES } from '@fish-crab/sdk/contract'

/** What of a request decides about its CORS headers. */
export interface CorsRequest {
  readonly origin: string | null
  /** The method, or the one a preflight asks about. */
  readonly method: string
  readonly path: string
  readonly access: Access
}

const EXPOSED = [
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
].join(', ')

/**
 * The CORS headers of an answer: reads are open to every origin, all else of the public endpoints to the configured
 * origins, the rest to none. Never with credentials.
 */
export function corsHeaders(request: CorsRequest, allowedOrigins: readonly string[]): Record<string, string> {
  if (request.access !== 'public') return {}
  const vary: Record<string, string> = allowedOrigins.length > 0 ? { vary: 'Origin' } : {}
  const origin = allowedOrigin(request, allowedOrigins)
  return origin === undefined
    ? vary
    : { ...vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
}

/** The headers of the answer to a preflight. */
export function preflightHeaders(request: CorsRequest, allowedOrigins: readonly string[]): Record<string, string> {
  const headers = corsHeaders(request, allowedOrigins)
  if (!headers['access-control-allow-origin']) return headers
  return {
    ...headers,
    'access-control-allow-methods':
      isOpenToAll(request) && !isConfigured(request, allowedOrigins) ? 'GET, HEAD' : 'GET, HEAD, POST',
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': '7200',
  }
}

/** Whether a request is a CORS preflight (Fetch standard, "CORS-preflight request"). */
export function isPreflight(request: Request): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.has('origin') &&
    request.headers.has('access-control-request-method')
  )
}

function allowedOrigin(request: CorsRequest, allowedOrigins: readonly string[]): string | undefined {
  if (request.origin !== null && isConfigured(request, allowedOrigins)) return request.origin
  return isOpenToAll(request) ? '*' : undefined
}

function isConfigured({ origin }: CorsRequest, allowedOrigins: readonly string[]): boolean {
  return origin !== null && allowedOrigins.includes(origin)
}

function isOpenToAll({ method, path }: CorsRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && path !== ROUTES.getUserKey.path
}
