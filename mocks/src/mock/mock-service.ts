import { HEADERS } from '@fish-crab/sdk/contract'
import { applyFault, responseOfFault } from '../faults/apply.ts'
import { createFaultRegistry, type MatchedFault } from '../faults/registry.ts'
import { createHistory } from '../history/history.ts'
import type { RequestRecorder } from '../history/recorder.ts'
import type { ResettableClock } from '../service/clock.ts'
import type { Outcome, Transport } from '../service/outcome.ts'
import { openService, type Service, type ServiceOptions } from '../service/service.ts'

export type MockService = Awaited<ReturnType<typeof createMockService>>

export type MockServiceOptions = Omit<ServiceOptions, 'now' | 'schedule'>

const SDK_AGENT = /^fish-crab-sdk\//

/** Creates the service of a mock. A request in flight during a reset completes in the state before the reset. */
export async function createMockService(options: MockServiceOptions, clock: ResettableClock) {
  /** Creates the state that `reset()` replaces. */
  async function open() {
    const service = await openService({ ...options, now: clock.now, schedule: clock.schedule })
    const history = createHistory(service, secretsOf(service, options), clock.now)
    return { service, faults: createFaultRegistry(service.userNames), history }
  }
  let current = await open()

  async function handle(request: Request, transport: Transport): Promise<Outcome> {
    const state = current
    const { service, faults, history } = state
    const receivedAt = clock.now()
    const seen: { recorder?: RequestRecorder; match?: MatchedFault | undefined } = {}
    const response = await service.fetch(request, (routed) => {
      seen.recorder = history.record(routed, transport)
      seen.match = faults.match(seen.recorder.target)
      if (!seen.match) return undefined
      seen.recorder.recordFault(seen.match.fault)
      return responseOfFault(service, routed, seen.match.fault, receivedAt)
    })
    const outcome = await applyFault(request, response, seen.match)
    const { headers } = outcome.response
    if (headers.get(HEADERS.rateRemaining) === '0' && SDK_AGENT.test(request.headers.get('user-agent') ?? '')) {
      const call = `${request.method} ${seen.recorder?.target.path}`
      clock.recordExhausted(call, Number(headers.get(HEADERS.rateReset)) * 1000)
    }
    const payload = seen.recorder?.recordResponse(outcome.response)
    if (payload) await payload
    if (outcome.delayMs === 0) return outcome
    // The delay begins when the request arrives, so time that passes on the clock while the request is processed
    // shortens the delay. A reset ends the delay.
    const elapsed = current === state ? Math.max(0, clock.now() - receivedAt) : outcome.delayMs
    return { ...outcome, delayMs: Math.max(0, outcome.delayMs - elapsed) }
  }

  return {
    clock,
    /** The origins at which `serve()` serves the mock. */
    served: new Set<string>(),
    handle: (request: Request, transport: Transport) => clock.during(() => handle(request, transport)),
    get service() {
      return current.service
    },
    get faults() {
      return current.faults
    },
    get history() {
      return current.history
    },
    async reset() {
      clock.reset()
      current.faults.clear()
      current.service.app.closeStreams()
      current = await open()
    },
  }
}

function secretsOf({ users }: Service, { seed, masterApiKey = '' }: MockServiceOptions): string[] {
  const ofUsers = [...users.values()].flatMap(({ password, fernetKey, apiKey }) => [password, fernetKey, apiKey])
  return [masterApiKey, ...ofUsers, ...(seed.admins ?? []).map(({ password }) => password)]
}
