import { HEADERS } from '@fish-crab/sdk/contract'
import { errorBody, type HttpError } from '@fish-crab/server/internal'

/** A page of any origin may control a mock: it holds no real data. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': HEADERS.requestId,
} as const

/** A JSON response that pages of any origin may read. */
export function jsonResponse(
  status: number,
  value: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(value, {
    status,
    headers: { ...CORS, 'cache-control': 'no-store', [HEADERS.requestId]: requestId, ...headers },
  })
}

/** The response to a failed request. */
export function errorResponse(error: HttpError, requestId: string): Response {
  return jsonResponse(error.status, errorBody(error, requestId), requestId, error.headers)
}

/** The response to a preflight (Fetch standard, "CORS-preflight request"). */
export function preflightResponse(methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': `content-type, ${HEADERS.requestId}`,
    },
  })
}
