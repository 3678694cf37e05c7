import { ERROR_CODES, ROUTES, type RouteName, userNameKey } from '@fish-crab/sdk/contract'
import { canonicalPath } from '@fish-crab/server/app'
import { assertKnownKeys, didYouMean, keysOf } from '../service/check-options.ts'
import type { RequestTarget } from '../service/request.ts'
import {
  DEFAULT_CODES,
  FAULT_NAMES,
  type Fault,
  faultLabel,
  type LatencyFault,
  PROXY_PAGES,
  type StatusFault,
} from './fault.ts'

/** A route name, or method and path, such as `'GET /get/fish'`. */
export type RouteMatcher = RouteName | `${string} /${string}`

/** Options of `mock.fail`: the requests that a fault applies to. */
export interface FaultOptions {
  /** The number of affected requests. `Infinity` affects all requests until the fault is cancelled. @default 1 */
  readonly times?: number
  /** The routes to which the fault applies. @default all routes, but no preflights */
  readonly on?: RouteMatcher | readonly RouteMatcher[]
  /** The user to whose requests the fault applies, in any letter case. The user must exist. @default all users */
  readonly user?: string
  /** Delay before the fault, in milliseconds. @default 0 */
  readonly delayMs?: number
}

/** A fault in the registry. */
export interface FaultHandle extends Disposable {
  /** The fault, as passed to `mock.fail()`. */
  readonly fault: Fault
  /** The options, as passed to `mock.fail()`. */
  readonly options: FaultOptions
  /** The number of further requests to which the fault applies. */
  readonly remaining: number
  /** Removes the fault. */
  cancel(): void
}

export interface MatchedFault {
  readonly fault: Fault
  readonly delayMs: number
}

export type FaultRegistry = ReturnType<typeof createFaultRegistry>

/** @param userNames The names of the users that exist. */
export function createFaultRegistry(userNames: () => readonly string[]) {
  const pending = new Set<FaultHandle & { remaining: number; fired: number; matches: Matcher }>()

  return {
    /** @throws TypeError when the fault or a number is invalid, or a user or a route does not exist */
    add(fault: Fault, options: FaultOptions = {}): FaultHandle {
      const cancel = () => {
        handle.remaining = 0
        pending.delete(handle)
      }
      const handle = {
        fault: checkFault(fault),
        options,
        matches: matcherOf(options, userNames()),
        remaining: options.times ?? 1,
        fired: 0,
        cancel,
        [Symbol.dispose]: cancel,
      }
      pending.add(handle)
      return handle
    },

    /** Returns the oldest fault that matches a request, and counts the request as one use of the fault. */
    match(target: RequestTarget): MatchedFault | undefined {
      const handle = [...pending].find(({ matches }) => matches(target))
      if (!handle) return undefined
      handle.remaining -= 1
      handle.fired += 1
      if (handle.remaining === 0) pending.delete(handle)
      const { fault, options } = handle
      const latencyMs = typeof fault === 'object' && 'latencyMs' in fault ? fault.latencyMs : 0
      return { fault, delayMs: (options.delayMs ?? 0) + latencyMs }
    },

    pending: (): FaultHandle[] => [...pending],

    /** @throws Error that lists all pending faults, except faults with `times: Infinity` that fired at least once */
    assertNonePending(): void {
      const due = [...pending].filter(({ remaining, fired }) => fired === 0 || Number.isFinite(remaining))
      if (due.length === 0) return
      const lines = due.map(({ fault, options: { on, user }, remaining, fired }) => {
        const requests = `${on === undefined ? '' : ` on ${[on].flat().join(', ')}`}${user === undefined ? '' : ` for ${user}`}`
        const total = Number.isFinite(remaining) ? `${fired} of ${fired + remaining}` : fired
        return `\n- ${faultLabel(fault)}${requests} fired ${total} times`
      })
      throw new Error(`${due.length === 1 ? '1 fault is' : `${due.length} faults are`} pending:${lines.join('')}`)
    },

    clear(): void {
      for (const { cancel } of pending) cancel()
    },
  }
}

/** The maximum delay of timers, in milliseconds (24 days): a longer one fires immediately. */
const MAX_DELAY_MS = 2 ** 31 - 1
const OPTIONS = keysOf<FaultOptions>({ times: 1, on: 1, user: 1, delayMs: 1 })
const LATENCY_FIELDS = keysOf<LatencyFault>({ latencyMs: 1 })
const STATUS_FIELDS = keysOf<StatusFault>({ status: 1, code: 1, retryAfter: 1, body: 1 })
const STATUSES = [...Object.keys(DEFAULT_CODES), ...Object.keys(PROXY_PAGES)]
  .map(Number)
  .sort((one, other) => one - other)

type Matcher = (target: RequestTarget) => boolean

/** @throws TypeError when the options are invalid, or no request can match them */
function matcherOf(options: FaultOptions, users: readonly string[]): Matcher {
  assertKnownKeys('the options of mock.fail()', options, OPTIONS)
  const { times = 1, on, user, delayMs = 0 } = options
  if (times !== Number.POSITIVE_INFINITY && !(Number.isInteger(times) && times >= 1)) {
    throw new TypeError('times must be a positive integer or Infinity.')
  }
  if (!isTimerDelay(delayMs)) throw new TypeError(`delayMs must be 0 to ${MAX_DELAY_MS} milliseconds.`)
  if (on?.length === 0) throw new TypeError('on must name at least one route. Omit it to match all requests.')
  const targets = on && [on].flat().map(targetOf)
  if (user !== undefined && !users.some((one) => userNameKey(one) === userNameKey(user))) {
    const seeding = `Seed the user first: createMock({ seed: { users: [{ name: '${user}' }] } }).`
    throw new TypeError(`The mock has no user "${user}".${didYouMean(user, users)} ${seeding}`)
  }
  return ({ method, path, route, isPreflight, user: name }) => {
    if (user !== undefined && (name === undefined || userNameKey(user) !== userNameKey(name))) return false
    return targets ? targets.includes(route) || targets.includes(`${method} ${path}`) : !isPreflight
  }
}

/** Returns a route name, or method and canonical path as in the history. */
function targetOf(matcher: string): string {
  if (Object.hasOwn(ROUTES, matcher)) return matcher
  const routes = Object.values(ROUTES)
  const [, method, rawPath = ''] = /^([A-Z]+) (\/\S*)/.exec(matcher) ?? []
  if (method === undefined) {
    const names = Object.keys(ROUTES)
    const suggestion = didYouMean(matcher, names)
    throw new TypeError(`Unknown route "${matcher}".${suggestion} Use one of ${names.join(', ')}, or 'GET /path'.`)
  }
  const path = canonicalPath(rawPath)
  const isServed = routes.some(
    (route) =>
      (method === 'OPTIONS' || route.method === (method === 'HEAD' ? 'GET' : method)) &&
      new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  )
  if (isServed) return `${method} ${path}`
  const known = routes.map((route) => `${route.method} ${route.path}`)
  throw new TypeError(`No route matches "${matcher}".${didYouMean(matcher, known)}`)
}

function checkFault(fault: Fault): Fault {
  if (typeof fault !== 'object' || fault === null) {
    if (FAULT_NAMES.includes(fault)) return fault
    throw new TypeError(`Unknown fault. Use one of ${FAULT_NAMES.join(', ')}, { status } or { latencyMs }.`)
  }
  const isLatency = 'latencyMs' in fault
  assertKnownKeys('the fault', fault, isLatency ? LATENCY_FIELDS : STATUS_FIELDS)
  if (isLatency) {
    if (isTimerDelay(fault.latencyMs)) return fault
    throw new TypeError(`latencyMs must be 0 to ${MAX_DELAY_MS} milliseconds.`)
  }
  const { status, code, retryAfter = 0, body } = fault
  if (!STATUSES.includes(status)) throw new TypeError(`status must be one of ${STATUSES.join(', ')}.`)
  if (code !== undefined && ERROR_CODES[code]?.status !== status) {
    throw new TypeError(`code must be an error code with status ${status}.`)
  }
  if (!(Number.isSafeInteger(retryAfter) && retryAfter >= 0)) {
    throw new TypeError('retryAfter must be a whole number of seconds, 0 or more.')
  }
  if (body !== undefined && typeof body !== 'string' && (typeof body !== 'object' || body === null)) {
    throw new TypeError('body must be a text or an object.')
  }
  return fault
}

function isTimerDelay(milliseconds: number): boolean {
  return Number.isFinite(milliseconds) && milliseconds >= 0 && milliseconds <= MAX_DELAY_MS
}
