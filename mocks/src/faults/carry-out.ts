import type { Disturbance, Outcome } from '../mock/outcome.ts'
import type { Service } from '../mock/service.ts'
import type { Fault, FaultName } from './fault.ts'
import type { Strike } from './fault-book.ts'
import { refuse } from './refuse.ts'
import { type Tampering, tamper } from './tamper.ts'

const RESET: Disturbance = { kind: 'reset' }

const DISTURBANCES: Readonly<Partial<Record<FaultName, Disturbance>>> = {
  silence: { kind: 'silence' },
  reset: RESET,
  'lost-answer': RESET,
  'reset-after-headers': { kind: 'cut-body', share: 0 },
  'cut-body': { kind: 'cut-body', share: 0.5 },
}

const TAMPERINGS: readonly Tampering[] = ['malformed-json', 'wrong-shape', 'wrong-content-type']

/**
 * Has a request answered by the service, with the fault that strikes it.
 * @param now unix time in milliseconds
 */
export async function carryOut(
  service: Service,
  request: Request,
  strike: Strike | undefined,
  now: number,
): Promise<Outcome> {
  if (!strike) return { response: await service.app.fetch(request), delayMs: 0 }
  const { fault, delayMs } = strike
  const response = await answerWith(fault, service, request, now)
  return { response, delayMs, disturbance: typeof fault === 'string' ? DISTURBANCES[fault] : undefined }
}

async function answerWith(fault: Fault, service: Service, request: Request, now: number): Promise<Response> {
  if (typeof fault === 'object') {
    return 'status' in fault ? refuse(service, request, fault, now) : service.app.fetch(request)
  }
  if (fault === 'storage-down') return service.appWithoutStorage().fetch(request)
  if (fault === 'storage-full') return service.appThatStoresNothing().fetch(request)
  // Counted, as every request that arrives, but not carried out.
  if (fault === 'reset' || fault === 'silence') return refuse(service, request, { status: 503 }, now)
  const tampering = TAMPERINGS.find((one) => one === fault)
  const response = await service.app.fetch(request)
  return tampering ? tamper(request, response, tampering) : response
}
