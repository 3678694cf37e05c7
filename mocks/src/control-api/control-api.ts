import { HEADERS } from '@fish-crab/sdk/contract'
import { errorBody, HttpError, requestIdOf } from '@fish-crab/server/internal'
import { CONTROL_PATH, type ControlledMock, createHistoryView, ENDPOINTS, type Endpoint } from './endpoints.ts'

/** Responds to requests under {@link CONTROL_PATH}; `undefined` for all others. Never rejects. */
export type ControlApi = (request: Request) => Promise<Response | undefined>

/**
 * Creates the HTTP endpoints that control a mock from outside, in any language. Their requests are not counted by the
 * rate limit, not affected by faults and not part of the history. `GET /__mock/` lists them.
 * @example
 * const control = createControlApi(controlled)
 * await control(new Request('http://mock/__mock/clock', { method: 'POST', body: '{"advanceMs":300000}' }))
 */
export function createControlApi(mock: ControlledMock): ControlApi {
  const context = { mock, history: createHistoryView(mock) }
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname !== CONTROL_PATH && !pathname.startsWith(`${CONTROL_PATH}/`)) return undefined
    const requestId = requestIdOf(request.headers.get(HEADERS.requestId))
    try {
      const endpoints = ENDPOINTS.filter(({ path }) => path === pathname.replace(/\/$/, ''))
      if (endpoints.length === 0) throw new HttpError('not_found')
      const methods = methodsOf(endpoints)
      if (request.method === 'OPTIONS') return preflightResponse(methods)
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const endpoint = endpoints.find((one) => one.method === method)
      if (!endpoint) throw new HttpError('method_not_allowed', { headers: { allow: methods.join(', ') } })
      return jsonResponse(endpoint.status ?? 200, await endpoint.run(context, request), requestId)
    } catch (error) {
      const httpError = error instanceof HttpError ? error : internalError(error)
      return jsonResponse(httpError.status, errorBody(httpError, requestId), requestId, httpError.headers)
    }
  }
}

function methodsOf(endpoints: readonly Endpoint[]): string[] {
  const methods = endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...methods, 'OPTIONS']
}

/** An unexpected error with its message: a mock has no secrets that the message could reveal. */
function internalError(error: unknown): HttpError {
  const message = error instanceof Error ? error.message : String(error)
  return new HttpError('internal_error', { details: [{ path: '', message }] })
}

/** Pages of any origin may control a mock: it has no real data. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': HEADERS.requestId,
} as const

function jsonResponse(
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

/** Fetch standard, "CORS-preflight request". */
function preflightResponse(methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': `content-type, ${HEADERS.requestId}`,
    },
  })
}
