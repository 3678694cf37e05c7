import { EVENT_STREAM, HEADERS, MEDIA_TYPES, ROUTES } from '@fish-crab/sdk/contract'
import type { RoutedRequest } from '@fish-crab/server/app'
import { errorBody, HttpError } from '@fish-crab/server/internal'
import { decodeContent, type Outcome } from '../service/outcome.ts'
import { copyAddress, copyRequest, setHeaders } from '../service/request.ts'
import type { Service } from '../service/service.ts'
import { DEFAULT_CODES, effectOf, type Fault, HTML, PROXY_PAGES, type StatusFault } from './fault.ts'
import type { MatchedFault } from './registry.ts'

/** Applies a fault to the response. */
export async function applyFault(
  request: Request,
  response: Response,
  match: MatchedFault | undefined,
): Promise<Outcome> {
  if (!match) return { response, delayMs: 0 }
  const { fault, delayMs } = match
  const { network, body, contentType } = effectOf(fault)
  const first = body || network?.kind === 'cut-body' ? await untilFirstChunk(response) : response
  return {
    response: body ? await replaceBody(request, first, body, contentType) : first,
    delayMs,
    networkFault: network,
  }
}

/** Returns the response of a fault that prevents the service from processing the request. */
export async function responseOfFault(
  service: Service,
  routed: RoutedRequest,
  fault: Fault,
  now: number,
): Promise<Response | undefined> {
  const { request } = routed
  const { isIgnored, storage } = effectOf(fault)
  if (typeof fault === 'object' && 'status' in fault) return statusResponse(service, request, fault, now)
  if (isIgnored) return errorResponse(service, request, 503, undefined, now)
  if (!storage) return undefined
  const copy = copyRequest(request)
  const app = storage === 'down' ? service.appWithoutStorage() : service.appWithReadOnlyStorage()
  const response = await app.fetch(copy)
  // The history contains a payload that the service has read.
  if (copy.bodyUsed) await routed.payload().catch(() => {})
  return response
}

async function statusResponse(
  service: Service,
  request: Request,
  { status, code, retryAfter, body }: StatusFault,
  now: number,
): Promise<Response> {
  const response =
    status in PROXY_PAGES
      ? htmlResponse(request, status as keyof typeof PROXY_PAGES)
      : await errorResponse(service, request, status as keyof typeof DEFAULT_CODES, code, now)
  const { headers } = response
  if (retryAfter !== undefined) headers.set(HEADERS.retryAfter, String(retryAfter))
  if (body === undefined) return response
  headers.set('content-type', typeof body === 'string' ? HTML : MEDIA_TYPES.json)
  return responseWithLength(request, status, headers, typeof body === 'string' ? body : JSON.stringify(body))
}

function htmlResponse(request: Request, status: keyof typeof PROXY_PAGES): Response {
  return responseWithLength(request, status, new Headers({ 'content-type': HTML }), PROXY_PAGES[status])
}

/** Truncates an event stream after its first chunk, because the rest may never arrive. */
async function untilFirstChunk(response: Response): Promise<Response> {
  if (response.headers.get('content-type') !== EVENT_STREAM.type || response.body === null) return response
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new Response(value ?? null, response)
}

/** Request headers that affect the rate limit and CORS. */
const COPIED_HEADERS = [HEADERS.apiKey, 'origin', 'x-forwarded-for']
const CODES_WITH_DETAILS: readonly string[] = ['invalid_payload', 'invalid_query']

/**
 * Creates an error response as the service sends it. The service receives a copy of the request without its content, so
 * that the request is counted. The headers of the service's response are used.
 */
async function errorResponse(
  service: Service,
  request: Request,
  status: keyof typeof DEFAULT_CODES,
  requestedCode: StatusFault['code'],
  now: number,
): Promise<Response> {
  const requestId = request.headers.get(HEADERS.requestId)
  const model = await service.app.fetch(withoutContent(request, requestId))
  const code = requestedCode ?? DEFAULT_CODES[status]
  // The copy has no credentials, so the service's response is its own 401 for the path, with the right headers.
  if (status === 401 && model.status === 401 && requestedCode === undefined) return model

  const headers = new Headers([...model.headers].filter(([name]) => /^(x-|access-control-|vary$)/.test(name)))
  headers.set('content-type', MEDIA_TYPES.json)
  if (code === 'rate_limited') setExhausted(headers, service.windowMs, now)
  const id = headers.get(HEADERS.requestId) ?? ''
  const isStatus = request.url.replace(/\?.*/s, '').includes(ROUTES.status.path)
  if (code === 'unavailable' && model.ok && isStatus) {
    const unavailable = await service.appWithoutStorage().fetch(withoutContent(request, id))
    return responseWithLength(request, status, headers, await unavailable.text())
  }
  const details = [{ path: '', message: 'Refused by a fault of the mock' }]
  const error = new HttpError(code, CODES_WITH_DETAILS.includes(code) ? { details } : {})
  return responseWithLength(request, status, headers, JSON.stringify(errorBody(error, id)))
}

function withoutContent(request: Request, requestId: string | null): Request {
  const { method, url } = request
  const headers = new Headers()
  for (const name of COPIED_HEADERS) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  if (requestId !== null) headers.set(HEADERS.requestId, requestId)
  // No route accepts this media type, so the copy stores nothing.
  if (method === 'POST') headers.set('content-type', 'text/plain')
  return copyAddress(setHeaders(new Request(url.replace(/[?#].*/s, ''), { method }), headers), request)
}

function setExhausted(headers: Headers, windowMs: number, now: number): void {
  const reset = Number(headers.get(HEADERS.rateReset) ?? Math.ceil((now + windowMs) / 1000))
  headers.set(HEADERS.rateRemaining, '0')
  headers.set(HEADERS.rateReset, String(reset))
  headers.set(HEADERS.retryAfter, String(Math.max(1, Math.ceil(reset - now / 1000))))
}

/** Changes the body of a response. A response without a body is returned unchanged. */
async function replaceBody(
  request: Request,
  response: Response,
  change: (text: string) => string,
  contentType: string | undefined,
): Promise<Response> {
  if (request.method === 'HEAD' || response.body === null) return response
  const headers = new Headers(response.headers)
  headers.delete('etag')
  headers.delete('content-encoding')
  if (contentType) headers.set('content-type', contentType)
  return responseWithLength(request, response.status, headers, change(await decodeContent(response).text()))
}

/** Creates a response with `content-length`. Without this header, a truncated body would look complete. */
function responseWithLength(request: Request, status: number, headers: Headers, text: string): Response {
  const body = new TextEncoder().encode(text)
  headers.set('content-length', String(body.byteLength))
  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
}
