import { HEADERS } from '@fish-crab/sdk/contract'
import { HttpError, requestIdOf } from '@fish-crab/server/internal'
import { errorResponse, jsonResponse, preflightResponse } from './answers.ts'
import type { Controlled, Endpoint } from './endpoint.ts'
import { ENDPOINTS } from './endpoints.ts'
import { createJournalView } from './journal-view.ts'
import { CONTROL_PATH } from './paths.ts'

/** What {@link createControlApi} takes. */
export type ControlOptions = Pick<Controlled, 'world' | 'clock'>

/** Answers requests under {@link CONTROL_PATH}; `undefined` for all others. Never rejects. */
export type ControlApi = (request: Request) => Promise<Response | undefined>

/**
 * Makes the endpoints that steer a world from outside, in any language. They stand outside of it: nothing they answer
 * is counted, faulted or written in the journal. `GET /__mock/` tells what there is.
 * @example
 * const control = createControlApi({ world, clock })
 * await control(new Request('http://mock/__mock/clock', { method: 'POST', body: '{"advanceMs":300000}' }))
 */
export function createControlApi({ world, clock }: ControlOptions): ControlApi {
  const controlled: Controlled = { world, clock, journal: createJournalView(world) }
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname !== CONTROL_PATH && !pathname.startsWith(`${CONTROL_PATH}/`)) return undefined
    const requestId = requestIdOf(request.headers.get(HEADERS.requestId))
    try {
      const at = ENDPOINTS.filter(({ path }) => path === pathname.replace(/\/$/, ''))
      if (at.length === 0) throw new HttpError('not_found')
      const methods = methodsOf(at)
      if (request.method === 'OPTIONS') return preflightResponse(methods)
      const wanted = request.method === 'HEAD' ? 'GET' : request.method
      const endpoint = at.find(({ method }) => method === wanted)
      if (!endpoint) throw new HttpError('method_not_allowed', { headers: { allow: methods.join(', ') } })
      return jsonResponse(endpoint.status ?? 200, await endpoint.run(controlled, request), requestId)
    } catch (error) {
      return errorResponse(error instanceof HttpError ? error : mistake(error), requestId)
    }
  }
}

function methodsOf(endpoints: readonly Endpoint[]): string[] {
  const methods = endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...methods, 'OPTIONS']
}

/** An unexpected error with its message: a mock holds no secrets that the message could reveal. */
function mistake(error: unknown): HttpError {
  const message = error instanceof Error ? error.message : String(error)
  return new HttpError('internal_error', { details: [{ path: '', message }] })
}
