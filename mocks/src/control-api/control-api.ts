import { type Gamemode, HEADERS, KINDS, type Kind, MEDIA_TYPES, ROUTES } from '@fish-crab/sdk/contract'
import { errorBody, HttpError, parseJson, readBody, requestIdOf, validate } from '@fish-crab/server/internal'
import { H3 } from 'h3'
import * as z from 'zod/mini'
import type { Fault } from '../faults/fault.ts'
import type { FaultOptions, FaultRegistry } from '../faults/registry.ts'
import type { History } from '../history/history.ts'
import type { MockClock } from '../service/clock.ts'
import type { SeededUser } from '../service/seed.ts'
import type { Service } from '../service/service.ts'

interface ControlledMock {
  readonly clock: MockClock
  readonly service: Service
  readonly faults: FaultRegistry
  readonly history: History
  reset(): Promise<void>
}

interface Endpoint {
  readonly summary: string
  /** An example of the request body. @default no body */
  readonly example?: unknown
  /** @default 200 */
  readonly status?: number
  readonly run: (mock: ControlledMock, request: Request) => unknown
}

/** The service has no routes below this path. */
const CONTROL_PATH = '/__mock'

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  [`GET ${CONTROL_PATH}`]: { summary: 'lists the endpoints', run: listEndpoints },
  [`GET ${CONTROL_PATH}/health`]: { summary: 'reports that the mock is running', run: () => ({ status: 'ok' }) },
  [`GET ${CONTROL_PATH}/state`]: {
    summary: 'returns seeded users with their keys and collections, the clock and pending faults',
    run: stateOf,
  },
  [`GET ${CONTROL_PATH}/clock`]: { summary: 'returns the time of the mock', run: clockOf },
  [`POST ${CONTROL_PATH}/clock`]: {
    summary: 'advances the clock by milliseconds',
    example: { advanceMs: 300_000 },
    async run(mock, request) {
      const { advanceMs } = await readJson(request, clockSchema)
      await orInvalidPayload(() => mock.clock.advance(advanceMs))
      return clockOf(mock)
    },
  },
  [`GET ${CONTROL_PATH}/faults`]: { summary: 'returns pending faults', run: faultsOf },
  [`POST ${CONTROL_PATH}/faults`]: {
    summary: 'makes the next matching requests fail; "times": "always" until it is deleted',
    example: { fault: 'reset', times: 1, on: 'postFish', user: 'Alex', delayMs: 0 },
    status: 201,
    async run(mock, request) {
      const { fault, times: count = 1, ...options } = await readJson(request, faultSchema)
      const times = count === 'always' ? Number.POSITIVE_INFINITY : count
      orInvalidPayload(() => mock.faults.add(fault as Fault, { ...(options as FaultOptions), times }))
      return faultsOf(mock)
    },
  },
  [`DELETE ${CONTROL_PATH}/faults`]: {
    summary: 'cancels all pending faults',
    run(mock) {
      mock.faults.clear()
      return faultsOf(mock)
    },
  },
  [`GET ${CONTROL_PATH}/requests`]: { summary: 'returns all requests so far, without secrets', run: requestsOf },
  [`DELETE ${CONTROL_PATH}/requests`]: {
    summary: 'clears the history of requests',
    run(mock) {
      mock.history.clear()
      return requestsOf(mock)
    },
  },
  [`POST ${CONTROL_PATH}/reset`]: {
    summary: 'restores the seed and returns the state',
    async run(mock) {
      await mock.reset()
      return stateOf(mock)
    },
  },
}

/**
 * Responds to requests under {@link CONTROL_PATH}. Resolves to `undefined` for all other requests, and never rejects.
 */
export type ControlApi = (request: Request) => Promise<Response | undefined>

/**
 * Creates the HTTP endpoints through which programs in any language control a mock. Requests to these endpoints are not
 * counted by the rate limit, not affected by faults and not part of the history. `GET /__mock/` lists the endpoints.
 */
export function createControlApi(mock: ControlledMock): ControlApi {
  const h3 = new H3({ silent: true })
  h3.use(async ({ req, res }, next) => {
    const setHeaders = (headers: Readonly<Record<string, string>>) => {
      for (const [name, value] of Object.entries(headers)) res.headers.set(name, value)
    }
    const requestId = requestIdOf(req.headers.get(HEADERS.requestId))
    const head = { 'content-type': MEDIA_TYPES.json, 'cache-control': 'no-store', [HEADERS.requestId]: requestId }
    setHeaders(req.method === 'OPTIONS' ? CORS : { ...CORS, ...head })
    try {
      return await next()
    } catch (error) {
      // The message of an unexpected error is shown, because a mock has no secrets to reveal.
      const details = [{ path: '', message: error instanceof Error ? error.message : String(error) }]
      const httpError = error instanceof HttpError ? error : new HttpError('internal_error', { details })
      res.status = httpError.status
      setHeaders({ ...head, ...httpError.headers })
      return errorBody(httpError, requestId)
    }
  })
  const methodsByPath = new Map<string, string[]>()
  for (const [methodAndPath, { run, status = 200 }] of Object.entries(ENDPOINTS)) {
    const [method, path] = methodAndPath.split(' ') as ['GET' | 'POST' | 'DELETE', string]
    const methods = method === 'GET' ? (['GET', 'HEAD'] as const) : [method]
    for (const each of methods) {
      h3.on(each, path, ({ req, res }) => {
        res.status = status
        return run(mock, req)
      })
    }
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), ...methods])
  }
  for (const [path, methods] of methodsByPath) {
    const allow = [...methods, 'OPTIONS'].join(', ')
    const preflight = {
      'access-control-allow-methods': allow,
      'access-control-allow-headers': `content-type, ${HEADERS.requestId}`,
    }
    h3.all(path, ({ req }) => {
      // Fetch standard, "CORS-preflight request".
      if (req.method === 'OPTIONS') return new Response(null, { status: 204, headers: preflight })
      throw new HttpError('method_not_allowed', { headers: { allow } })
    })
  }
  h3.all('/**', () => {
    throw new HttpError('not_found')
  })
  return async (request) => {
    const { pathname } = new URL(request.url)
    return pathname === CONTROL_PATH || pathname.startsWith(`${CONTROL_PATH}/`) ? h3.request(request) : undefined
  }
}

/** Pages of any origin may control a mock, because a mock has no real data. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': HEADERS.requestId,
} as const

const clockSchema = z.strictObject({ advanceMs: z.int().check(z.minimum(0)) })

const faultSchema = z.strictObject({
  fault: z.union(
    [
      z.string(),
      z.strictObject({
        status: z.int(),
        code: z.optional(z.string()),
        retryAfter: z.optional(z.int()),
        body: z.optional(z.union([z.string(), z.looseObject({}), z.array(z.unknown())])),
      }),
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
  return validate(schema, parseJson(await readBody({ request })), 'invalid_payload')
}

/** Converts a TypeError of the fault registry or a RangeError of the clock to an HTTP error. */
function orInvalidPayload<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw new HttpError('invalid_payload', { details: [{ path: '', message: error.message }] })
  }
}

function listEndpoints() {
  const endpoints = Object.entries(ENDPOINTS).map(([methodAndPath, { summary, example }]) => {
    const [method, path] = methodAndPath.split(' ')
    return { method, path, summary, body: example }
  })
  return { endpoints }
}

async function stateOf(mock: ControlledMock) {
  const states = [...mock.service.users.values()].map(async (user) => ({
    ...user,
    ...(await collectionsOf(mock, user)),
  }))
  return { users: await Promise.all(states), clock: clockOf(mock), ...faultsOf(mock) }
}

function clockOf({ clock }: ControlledMock) {
  const unixMs = clock.now()
  return { now: new Date(unixMs).toISOString(), unixMs }
}

function faultsOf({ faults }: ControlledMock) {
  return {
    faults: faults.pending().map(({ fault, options: { on, user, delayMs }, remaining }) => ({
      fault,
      on,
      user,
      delayMs: delayMs || undefined,
      // JSON has no Infinity.
      remaining: Number.isFinite(remaining) ? remaining : 'always',
    })),
  }
}

function requestsOf({ history }: ControlledMock) {
  return { requests: history.entries }
}

/** Entries by gamemode. Gamemodes without entries are left out. */
type Collections = Record<Kind, Partial<Record<Gamemode, readonly unknown[]>>>

const READ: Readonly<Record<Kind, string>> = { fish: ROUTES.getFish.path, crab: ROUTES.getCrab.path }

async function collectionsOf({ service }: ControlledMock, { name, apiKey }: SeededUser): Promise<Collections> {
  const collections: Collections = { fish: {}, crab: {} }
  for (const kind of KINDS) {
    for (const gamemode of service.gamemodes) {
      const query = new URLSearchParams({ name, gamemode })
      const url = `http://mock.invalid${READ[kind]}?${query}`
      const request = new Request(url, { headers: { [HEADERS.apiKey]: apiKey } })
      // Use a unique address, so that the request uses up no client's rate limit, even if the API key was reset.
      const response = await service.app.fetch(request, { address: `control ${crypto.randomUUID()}` })
      const body = (await response.json()) as Readonly<Partial<Record<Kind, readonly unknown[]>>>
      // The body has no entries if the user was deleted.
      const entries = body[kind] ?? []
      if (entries.length > 0) collections[kind][gamemode] = entries
    }
  }
  return collections
}
