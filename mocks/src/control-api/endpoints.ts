import { HttpError, parseJson, readBody, validate } from '@fish-crab/server/internal'
import type { Fault } from '../faults/fault.ts'
import type { FaultOn } from '../faults/fault-book.ts'
import type { Endpoint } from './endpoint.ts'
import { CONTROL_PATH } from './paths.ts'
import { clockMoveSchema, faultOrderSchema } from './schemas.ts'
import { clockView, faultsView, journalView, stateView } from './views.ts'

/** Every control endpoint. The methods of one path stand beside each other. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: CONTROL_PATH,
    summary: 'what there is to steer',
    run: () => ({
      endpoints: ENDPOINTS.map(({ method, path, summary, example }) => ({ method, path, summary, body: example })),
    }),
  },
  { method: 'GET', path: at('health'), summary: 'whether the mock answers', run: () => ({ status: 'ok' }) },
  {
    method: 'GET',
    path: at('state'),
    summary: 'seeded users with their keys, what they hold, the clock and pending faults',
    run: stateView,
  },
  { method: 'GET', path: at('clock'), summary: 'the time of the mock', run: clockView },
  {
    method: 'POST',
    path: at('clock'),
    summary: 'moves the clock on by milliseconds, or sets it to a moment',
    example: { advanceMs: 300_000 },
    async run(controlled, request) {
      const move = validate(clockMoveSchema, await readJson(request), 'invalid_payload')
      await refusing(() =>
        'advanceMs' in move ? controlled.clock.advance(move.advanceMs) : controlled.clock.set(Date.parse(move.set)),
      )
      return clockView(controlled)
    },
  },
  { method: 'GET', path: at('faults'), summary: 'faults that still wait for requests', run: faultsView },
  {
    method: 'POST',
    path: at('faults'),
    summary: 'lets the next matching requests fail; "times": "always" until it is deleted',
    example: { fault: 'reset', times: 1, on: 'postFish', user: 'Alex', delayMs: 0 },
    status: 201,
    async run(controlled, request) {
      const {
        fault,
        times = 1,
        on,
        user,
        delayMs = 0,
      } = validate(faultOrderSchema, await readJson(request), 'invalid_payload')
      const scope = { times: times === 'always' ? Number.POSITIVE_INFINITY : times, delayMs }
      refusing(() =>
        controlled.world.faults.order(fault as Fault, {
          ...scope,
          ...(on === undefined ? {} : { on: on as FaultOn | FaultOn[] }),
          ...(user === undefined ? {} : { user }),
        }),
      )
      return faultsView(controlled)
    },
  },
  {
    method: 'DELETE',
    path: at('faults'),
    summary: 'cancels all pending faults',
    run(controlled) {
      controlled.world.faults.clear()
      return faultsView(controlled)
    },
  },
  { method: 'GET', path: at('journal'), summary: 'every request so far, without secrets', run: journalView },
  {
    method: 'DELETE',
    path: at('journal'),
    summary: 'empties the journal',
    run(controlled) {
      controlled.journal.clear()
      return journalView(controlled)
    },
  },
  {
    method: 'POST',
    path: at('reset'),
    summary: 'returns to the seed, and answers the state',
    async run(controlled) {
      await controlled.world.reset()
      return stateView(controlled)
    },
  },
]

/** The JSON body of a request of any media type. */
async function readJson(request: Request): Promise<unknown> {
  return parseJson(await readBody(request))
}

function at(name: string): string {
  return `${CONTROL_PATH}/${name}`
}

/** The book of faults says by a TypeError what it does not know, and the clock by a RangeError where it cannot go. */
function refusing<Result>(order: () => Result): Result {
  try {
    return order()
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw new HttpError('invalid_payload', { details: [{ path: '', message: error.message }] })
  }
}
