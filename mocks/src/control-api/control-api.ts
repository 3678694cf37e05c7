import { answer, ControlFailure, failed, preflight, requestIdOf } from './answers.ts'
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
    const requestId = requestIdOf(request)
    try {
      const at = ENDPOINTS.filter(({ path }) => path === pathname.replace(/\/$/, ''))
      if (at.length === 0) throw new ControlFailure('not_found')
      const methods = methodsOf(at)
      if (request.method === 'OPTIONS') return preflight(methods)
      const wanted = request.method === 'HEAD' ? 'GET' : request.method
      const endpoint = at.find(({ method }) => method === wanted)
      if (!endpoint) throw new ControlFailure('method_not_allowed', { headers: { allow: methods.join(', ') } })
      return answer(endpoint.status ?? 200, await endpoint.run(controlled, request), requestId)
    } catch (error) {
      return failed(error instanceof ControlFailure ? error : mistake(error), requestId)
    }
  }
}

function methodsOf(endpoints: readonly Endpoint[]): string[] {
  const methods = endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...methods, 'OPTIONS']
}

/** A mistake of the mock. It is run by whoever reads this, and there is nothing in it to hide. */
function mistake(error: unknown): ControlFailure {
  const message = error instanceof Error ? error.message : String(error)
  return new ControlFailure('internal_error', { details: [{ path: '', message }] })
}
