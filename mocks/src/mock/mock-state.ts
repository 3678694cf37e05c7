import { carryOut } from '../faults/carry-out.ts'
import { createFaultBook, type FaultBook } from '../faults/fault-book.ts'
import { createJournal, type Journal } from '../history/history.ts'
import type { WorldClock } from './clock.ts'
import type { AnswerRequest, Outcome } from './outcome.ts'
import { openService, type Service, type ServiceOptions } from './service.ts'

/** A service with its faults and its journal: all that `reset()` renews. */
export interface World {
  readonly answer: AnswerRequest
  readonly service: Service
  readonly faults: FaultBook
  readonly journal: Journal
  reset(): Promise<void>
}

interface Generation {
  readonly service: Service
  readonly faults: FaultBook
  readonly journal: Journal
}

/** Makes a world. A request that is under way while it is reset ends in the world that it began in. */
export async function createWorld(options: Omit<ServiceOptions, 'now'>, clock: WorldClock): Promise<World> {
  const open = async (): Promise<Generation> => {
    const service = await openService({ ...options, now: clock.now })
    return {
      service,
      faults: createFaultBook(),
      journal: createJournal(service, secretsOf(service, options), clock.now),
    }
  }
  let current = await open()
  return {
    answer: (request, lane) => clock.during(() => answer(request, lane)),
    get service() {
      return current.service
    },
    get faults() {
      return current.faults
    },
    get journal() {
      return current.journal
    },
    async reset() {
      clock.reset()
      current.faults.clear()
      current = await open()
    },
  }

  async function answer(...[request, lane]: Parameters<AnswerRequest>): Promise<Outcome> {
    const generation = current
    const { service, faults, journal } = generation
    const cameAt = clock.now()
    const note = journal.begin(request, lane)
    const strike = faults.strike(() => note.target)
    if (strike) note.struckBy(strike.fault)
    const outcome = await carryOut(service, request, strike, cameAt)
    const read = note.answered(outcome, request)
    if (read) await read
    if (outcome.delayMs === 0) return outcome
    // From when it came: who moves the clock meanwhile, or resets the world, means this request too.
    const passed = current === generation ? Math.max(0, clock.now() - cameAt) : outcome.delayMs
    return { ...outcome, delayMs: Math.max(0, outcome.delayMs - passed) }
  }
}

function secretsOf({ users }: Service, { seed, masterApiKey = '' }: Omit<ServiceOptions, 'now'>): string[] {
  const ofUsers = [...users.values()].flatMap(({ password, fernetKey, apiKey }) => [password, fernetKey, apiKey])
  return [masterApiKey, ...ofUsers, ...(seed.admins ?? []).map(({ password }) => password)]
}
