import { HEADERS, MEDIA_TYPES, ROUTES } from '@fish-crab/sdk/contract'
import { errorBody, HttpError } from '@fish-crab/server/internal'
import { withAddress, withHeaders } from '../mock/address.ts'
import type { Service } from '../mock/service.ts'
import { DEFAULT_CODES, type StatusFault } from './fault.ts'
import { render } from './render.ts'

/** Headers of a request that decide how it is counted, and who may read its answer. */
const KEPT = [HEADERS.apiKey, 'origin', 'x-forwarded-for']
const WITH_DETAILS: readonly string[] = ['invalid_payload', 'invalid_query']

/**
 * Refuses a request as the service would: counted, and with all the headers of its own answers. They are those of its
 * answer to a request by the same client to the same address, with nothing in it that could be acted upon.
 */
export async function refuse(service: Service, request: Request, fault: StatusFault, now: number): Promise<Response> {
  const requestId = request.headers.get(HEADERS.requestId)
  const model = await service.app.fetch(emptied(request, requestId))
  const { status, code = DEFAULT_CODES[status] } = fault
  // That request came without credentials: the service refuses it itself, in the words it has for this address.
  if (status === 401 && model.status === 401 && fault.code === undefined) return model

  const headers = new Headers([...model.headers].filter(([name]) => /^(x-|access-control-|vary$)/.test(name)))
  headers.set('content-type', MEDIA_TYPES.json)
  if (code === 'rate_limited') exhaust(headers, service.windowMs, now)
  const id = headers.get(HEADERS.requestId) ?? ''
  if (code === 'unavailable' && model.ok && isStatus(request)) {
    const unavailable = await service.appWithoutStorage().fetch(emptied(request, id))
    return render(request, status, headers, await unavailable.text())
  }
  const details = [{ path: '', message: 'Refused by a fault of the mock' }]
  const error = new HttpError(code, WITH_DETAILS.includes(code) ? { details } : {})
  return render(request, status, headers, JSON.stringify(errorBody(error, id)))
}

function emptied(request: Request, requestId: string | null): Request {
  const { method, url, headers: given } = request
  const headers = new Headers()
  for (const name of KEPT) {
    const value = given.get(name)
    if (value !== null) headers.set(name, value)
  }
  if (requestId !== null) headers.set(HEADERS.requestId, requestId)
  // A type that no address takes.
  if (method === 'POST') headers.set('content-type', 'text/plain')
  return withAddress(withHeaders(new Request(url.replace(/[?#].*$/s, ''), { method }), headers), request)
}

function isStatus({ url }: Request): boolean {
  return url.replace(/\?.*$/s, '').includes(ROUTES.status.path)
}

/** Says that nothing is left until the window ends, and when that is. */
function exhaust(headers: Headers, windowMs: number, now: number): void {
  const reset = Number(headers.get(HEADERS.rateReset) ?? Math.ceil((now + windowMs) / 1000))
  headers.set(HEADERS.rateRemaining, '0')
  headers.set(HEADERS.rateReset, String(reset))
  headers.set(HEADERS.retryAfter, String(Math.max(1, Math.ceil(reset - now / 1000))))
}
