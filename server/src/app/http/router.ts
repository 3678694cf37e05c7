import { ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import type { H3, H3Event } from 'h3'
import type { Handler } from '../services.ts'
import type { Exchange } from './exchange.ts'
import { Failure } from './failure.ts'

/** Keeps the exchange of a request with its event. */
export function keepExchange(event: H3Event, exchange: Exchange): void {
  event.context.exchange = exchange
}

/** The exchange of a request. */
export function exchangeOf(event: H3Event): Exchange {
  return event.context.exchange as Exchange
}

/** A handler on a path below that of a route, which its requests are counted under. */
export interface SubRoute {
  readonly name: RouteName
  readonly path: string
  readonly handler: Handler
}

/**
 * Puts every handler on its route. `HEAD` works where `GET` does; another method on a known path is told which ones
 * there are, and every other path is not found.
 */
export function mountRoutes(
  h3: H3,
  handlers: Partial<Record<RouteName, Handler>>,
  below: readonly SubRoute[] = [],
): void {
  const methodsByPath = new Map<string, Set<string>>()
  const mounts = (Object.entries(handlers) as [RouteName, Handler][]).map(([name, handler]) => ({
    name,
    path: ROUTES[name].path,
    handler,
  }))
  for (const { name, path, handler } of [...mounts, ...below]) {
    const { method } = ROUTES[name]
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    for (const each of methods) {
      h3.on(each as typeof method, path, (event) => {
        const exchange = exchangeOf(event)
        exchange.route = name
        exchange.pattern = path
        if (event.context.params) exchange.params = decodeParams(event.context.params)
        return handler(exchange)
      })
    }
    methodsByPath.set(path, new Set([...(methodsByPath.get(path) ?? []), ...methods]))
  }
  for (const [path, methods] of methodsByPath) {
    h3.all(path, () => {
      throw new Failure('method_not_allowed', { headers: { allow: [...methods].join(', ') } })
    })
  }
  h3.all('/**', () => {
    throw new Failure('not_found')
  })
}

function decodeParams(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)]
      } catch {
        return [name, value]
      }
    }),
  )
}
