import { GAMEMODES, type Gamemode, HEADERS, KINDS, type Kind, ROUTES } from '@fish-crab/sdk/contract'
import { HttpError, parseJson, readBody, validate } from '@fish-crab/server/internal'
import * as z from 'zod/mini'
import type { Fault } from '../faults/fault.ts'
import type { FaultOn, FaultRegistry } from '../faults/registry.ts'
import type { HistoryEntry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import type { MockClock } from '../service/clock.ts'
import type { Transport } from '../service/outcome.ts'
import { setAddress } from '../service/request.ts'
import type { SeededUser } from '../service/seed.ts'
import type { Service } from '../service/service.ts'

/** The parts of a mock that the control API reads and changes. */
export interface ControlledMock {
  readonly clock: MockClock
  readonly service: Service
  readonly faults: FaultRegistry
  readonly history: History
  reset(): Promise<void>
}

interface ControlContext {
  readonly mock: ControlledMock
  readonly history: HistoryView
}

/** An endpoint of the control API. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly summary: string
  /** An example of the request body. @default no body */
  readonly example?: unknown
  /** @default 200 */
  readonly status?: number
  /** Returns the response body. */
  readonly run: (context: ControlContext, request: Request) => unknown
}

/** The service has no routes below this path. */
export const CONTROL_PATH = '/__mock'

/** Endpoints with the same path are grouped. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: CONTROL_PATH,
    summary: 'lists the endpoints',
    run: () => ({
      endpoints: ENDPOINTS.map(({ method, path, summary, example }) => ({ method, path, summary, body: example })),
    }),
  },
  { method: 'GET', path: at('health'), summary: 'reports that the mock is running', run: () => ({ status: 'ok' }) },
  {
    method: 'GET',
    path: at('state'),
    summary: 'returns seeded users with their keys and collections, the clock and pending faults',
    run: stateOf,
  },
  { method: 'GET', path: at('clock'), summary: 'returns the time of the mock', run: clockOf },
  {
    method: 'POST',
    path: at('clock'),
    summary: 'advances the clock by milliseconds, or sets it',
    example: { advanceMs: 300_000 },
    async run(context, request) {
      const { clock } = context.mock
      const change = await readJson(request, clockSchema)
      await orInvalidPayload(() =>
        'advanceMs' in change ? clock.advance(change.advanceMs) : clock.set(Date.parse(change.set)),
      )
      return clockOf(context)
    },
  },
  { method: 'GET', path: at('faults'), summary: 'returns pending faults', run: faultsOf },
  {
    method: 'POST',
    path: at('faults'),
    summary: 'makes the next matching requests fail; "times": "always" until it is deleted',
    example: { fault: 'reset', times: 1, on: 'postFish', user: 'Alex', delayMs: 0 },
    status: 201,
    async run(context, request) {
      const { fault, times = 1, on, user, delayMs = 0 } = await readJson(request, faultSchema)
      orInvalidPayload(() =>
        context.mock.faults.add(fault as Fault, {
          times: times === 'always' ? Number.POSITIVE_INFINITY : times,
          delayMs,
          ...(on === undefined ? {} : { on: on as FaultOn | FaultOn[] }),
          ...(user === undefined ? {} : { user }),
        }),
      )
      return faultsOf(context)
    },
  },
  {
    method: 'DELETE',
    path: at('faults'),
    summary: 'cancels all pending faults',
    run(context) {
      context.mock.faults.clear()
      return faultsOf(context)
    },
  },
  { method: 'GET', path: at('journal'), summary: 'returns all requests so far, without secrets', run: historyOf },
  {
    method: 'DELETE',
    path: at('journal'),
    summary: 'clears the history of requests',
    run(context) {
      context.history.clear()
      return historyOf(context)
    },
  },
  {
    method: 'POST',
    path: at('reset'),
    summary: 'restores the seed and returns the state',
    async run(context) {
      await context.mock.reset()
      return stateOf(context)
    },
  },
]

function at(name: string): string {
  return `${CONTROL_PATH}/${name}`
}

const clockSchema = z.union(
  [
    z.strictObject({ advanceMs: z.int().check(z.minimum(0)) }),
    z.strictObject({ set: z.iso.datetime({ offset: true }) }),
  ],
  { error: 'Must be { "advanceMs": 300000 } or { "set": "2026-01-01T00:05:00Z" }' },
)

/** The shape of a fault. The registry checks names and routes. */
const faultSchema = z.strictObject({
  fault: z.union(
    [
      z.string(),
      z.strictObject({ status: z.int(), code: z.optional(z.string()) }),
      z.strictObject({ latencyMs: z.number() }),
    ],
    { error: 'Must be the name of a fault, { "status": 503 } or { "latencyMs": 100 }' },
  ),
  times: z.optional(z.union([z.int(), z.literal('always')], { error: 'Must be a positive integer or "always"' })),
  on: z.optional(z.union([z.string(), z.array(z.string())])),
  user: z.optional(z.string()),
  delayMs: z.optional(z.number()),
})

/** Reads a JSON body, whatever its media type. */
async function readJson<Schema extends z.ZodMiniType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
  return validate(schema, parseJson(await readBody(request)), 'invalid_payload')
}

/** Converts a TypeError of the fault registry and a RangeError of the clock to an HTTP error. */
function orInvalidPayload<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw new HttpError('invalid_payload', { details: [{ path: '', message: error.message }] })
  }
}

async function stateOf(context: ControlContext) {
  const { users } = context.mock.service
  const states = [...users.values()].map(async ({ id: _, ...user }) => ({
    ...user,
    ...(await collectionsOf(context.mock, user)),
  }))
  return { users: await Promise.all(states), clock: clockOf(context), ...faultsOf(context) }
}

function clockOf({ mock }: ControlContext) {
  const unixMs = mock.clock.now()
  return { now: new Date(unixMs).toISOString(), unixMs }
}

function faultsOf({ mock }: ControlContext) {
  return {
    faults: mock.faults.pending().map(({ fault, scope: { on, user, delayMs }, remaining }) => ({
      fault,
      ...(on === undefined ? {} : { on }),
      ...(user === undefined ? {} : { user }),
      ...(delayMs ? { delayMs } : {}),
      // JSON has no Infinity.
      remaining: Number.isFinite(remaining) ? remaining : 'always',
    })),
  }
}

/** The names of the transports in this API. */
const LANES: Readonly<Record<Transport, string>> = {
  direct: 'direct',
  msw: 'handlers',
  worker: 'worker',
  intercept: 'intercepted',
  http: 'standalone',
}

function historyOf({ history }: ControlContext) {
  return { requests: history.entries().map(({ transport, ...rest }) => ({ lane: LANES[transport], ...rest })) }
}

/** Entries by gamemode. Gamemodes without entries are left out. */
type Collections = Record<Kind, Partial<Record<Gamemode, readonly unknown[]>>>
type UserWithKey = Pick<SeededUser, 'name' | 'apiKey'>

const READ: Readonly<Record<Kind, string>> = { fish: ROUTES.getFish.path, crab: ROUTES.getCrab.path }

async function collectionsOf(mock: ControlledMock, user: UserWithKey): Promise<Collections> {
  const collections: Collections = { fish: {}, crab: {} }
  for (const kind of KINDS) {
    for (const gamemode of GAMEMODES) {
      const entries = await readCollection(mock, kind, gamemode, user)
      if (entries.length > 0) collections[kind][gamemode] = entries
    }
  }
  return collections
}

async function readCollection(
  { service }: ControlledMock,
  kind: Kind,
  gamemode: Gamemode,
  { name, apiKey }: UserWithKey,
): Promise<readonly unknown[]> {
  const query = new URLSearchParams({ name, gamemode })
  const request = new Request(`http://mock.invalid${READ[kind]}?${query}`, { headers: { [HEADERS.apiKey]: apiKey } })
  // A unique address, since the API key may have been reset: the request must not count for any client.
  const response = await service.app.fetch(setAddress(request, `control ${crypto.randomUUID()}`))
  // The user may have been deleted.
  if (!response.ok) return []
  const body = (await response.json()) as Readonly<Partial<Record<Kind, readonly unknown[]>>>
  return body[kind] ?? []
}

/** The history as the control API shows it. */
interface HistoryView {
  /** The requests since the mock was created or {@link clear} was called, oldest first. */
  entries(): readonly HistoryEntry[]
  /** Hides the current entries. `mock.requests` still has them. */
  clear(): void
}

export function createHistoryView(mock: Pick<ControlledMock, 'history'>): HistoryView {
  let lastHidden: HistoryEntry | undefined
  return {
    entries() {
      const { entries } = mock.history
      return lastHidden === undefined ? entries : entries.slice(entries.indexOf(lastHidden) + 1)
    },
    clear() {
      lastHidden = mock.history.entries.at(-1)
    },
  }
}
