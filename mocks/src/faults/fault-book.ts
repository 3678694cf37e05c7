import { ROUTES, type RouteName, userNameKey } from '@fish-crab/sdk/contract'
import { canonicalPath } from '@fish-crab/server/app'
import { assertKnownKeys } from '../mock/known-keys.ts'
import type { RequestTarget } from '../mock/request-target.ts'
import { checkFault, isWait, LONGEST_WAIT } from './check-fault.ts'
import type { Fault } from './fault.ts'

/** Requests by their route's name, or by method and path, such as `'GET /get/fish'`. */
export type FaultOn = RouteName | `${string} /${string}`

/** Which requests a fault is for, and how many of them. */
export interface FaultScope {
  /** How many matching requests it is for: the next ones. `Infinity`: until it is cancelled. @default 1 */
  readonly times?: number
  /** Which requests. @default all but preflights */
  readonly on?: FaultOn | readonly FaultOn[]
  /** Whose requests: the user that they are about, in any letter case. @default everyone's */
  readonly user?: string
  /** Milliseconds before it strikes. @default 0 */
  readonly delayMs?: number
}

/** A fault that was ordered. */
export interface FaultHandle extends Disposable {
  readonly fault: Fault
  readonly scope: FaultScope
  /** For how many more requests it is. */
  readonly remaining: number
  /** Ends it. What it struck stays struck. */
  cancel(): void
}

/** A fault that strikes a request. */
export interface Strike {
  readonly fault: Fault
  readonly delayMs: number
}

/** The faults of a world. */
export interface FaultBook {
  /** @throws TypeError when there is no such fault, route or number */
  order(fault: Fault, scope?: FaultScope): FaultHandle
  /**
   * The fault that strikes this request: of those that match, the one that was ordered first. Counts it.
   * @param targetOf called where there is any fault
   */
  strike(targetOf: () => RequestTarget): Strike | undefined
  /** Those that are not over. */
  pending(): FaultHandle[]
  clear(): void
}

interface Order {
  readonly fault: Fault
  readonly scope: FaultScope
  remaining: number
}

/** Makes the book. */
export function createFaultBook(): FaultBook {
  const orders = new Set<Order>()

  function cancel(order: Order): void {
    order.remaining = 0
    orders.delete(order)
  }

  const handleOf = (order: Order): FaultHandle => ({
    fault: order.fault,
    scope: order.scope,
    get remaining() {
      return order.remaining
    },
    cancel: () => cancel(order),
    [Symbol.dispose]: () => cancel(order),
  })

  return {
    order(fault, scope = {}) {
      const order = { fault: checkFault(fault), scope: checkScope(scope), remaining: scope.times ?? 1 }
      orders.add(order)
      return handleOf(order)
    },

    strike(targetOf) {
      if (orders.size === 0) return undefined
      const target = targetOf()
      for (const order of orders) {
        if (!isFor(order.scope, target)) continue
        order.remaining -= 1
        if (order.remaining === 0) orders.delete(order)
        const { fault, scope } = order
        return { fault, delayMs: (scope.delayMs ?? 0) + latencyOf(fault) }
      }
      return undefined
    },

    pending: () => [...orders].map(handleOf),

    clear() {
      for (const order of orders) cancel(order)
    },
  }
}

function latencyOf(fault: Fault): number {
  return typeof fault === 'object' && 'latencyMs' in fault ? fault.latencyMs : 0
}

function isFor({ on, user }: FaultScope, target: RequestTarget): boolean {
  if (user !== undefined && (target.user === undefined || userNameKey(user) !== userNameKey(target.user))) return false
  if (on === undefined) return !target.isPreflight
  const wanted: readonly string[] = typeof on === 'string' ? [on] : on
  return wanted.some((one) => one === target.route || inOneSpelling(one) === `${target.method} ${target.path}`)
}

/** Method and path, the path as the journal has it: without `/v1`, a trailing slash and the like. */
function inOneSpelling(methodAndPath: string): string {
  const [method = '', path = ''] = methodAndPath.split(' ', 2)
  return `${method} ${canonicalPath(path)}`
}

function checkScope(scope: FaultScope): FaultScope {
  assertKnownKeys('the scope of mock.fail()', scope, ['times', 'on', 'user', 'delayMs'])
  const { times = 1, on, delayMs = 0 } = scope
  if (times !== Number.POSITIVE_INFINITY && !(Number.isInteger(times) && times >= 1)) {
    throw new TypeError('times is a whole number from 1 on, or Infinity.')
  }
  if (!isWait(delayMs)) throw new TypeError(`delayMs is in milliseconds, from 0 to ${LONGEST_WAIT}.`)
  if (on?.length === 0) throw new TypeError('on names one route or more. Leave it out for all requests.')
  for (const one of typeof on === 'string' ? [on] : (on ?? [])) {
    if (Object.hasOwn(ROUTES, one) || /^[A-Z]+ \//.test(one)) continue
    throw new TypeError(`There is no route "${one}". Use one of ${Object.keys(ROUTES).join(', ')}, or 'GET /path'.`)
  }
  return scope
}
