import { ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import type { H3, H3Event } from 'h3'
import type { RequestObservation } from '../core/host.ts'
import type { RequestContext } from './context.ts'
import { HttpError } from './http-error.ts'
import type { HandlerResponse } from './response.ts'

/** Responds to one request, or throws an {@link HttpError}. */
export type Handler = (context: RequestContext) => Promise<HandlerResponse> | HandlerResponse

/** Keeps the context of a request with its event. */
export function setContext(event: H3Event, context: RequestContext): void {
  event.context.request = context
}

/** The context of a request. */
export function contextOf(event: H3Event): RequestContext {
  return event.context.request as RequestContext
}

/** A handler on a path below that of a route, which its requests are counted under. */
interface SubRoute {
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
        const context = contextOf(event)
        context.route = name
        context.pattern = path
        if (event.context.params) context.params = decodeParams(event.context.params)
        return handler(context)
      })
    }
    methodsByPath.set(path, new Set([...(methodsByPath.get(path) ?? []), ...methods]))
  }
  for (const [path, methods] of methodsByPath) {
    h3.all(path, () => {
      throw new HttpError('method_not_allowed', { headers: { allow: [...methods].join(', ') } })
    })
  }
  h3.all('/**', () => {
    throw new HttpError('not_found')
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

/** The methods that the service knows. */
export const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'] as const

const BY_METHOD_AND_PATH: ReadonlyMap<string, RouteName> = new Map(
  (Object.keys(ROUTES) as RouteName[]).map((name) => [`${ROUTES[name].method} ${ROUTES[name].path}`, name]),
)

/** The route of a request for logs and metrics, also when it was refused before it was routed. */
export function routeLabel({ route, request: { method }, path }: RequestContext): RequestObservation['route'] {
  return route ?? BY_METHOD_AND_PATH.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) ?? 'unmatched'
}

/** The method of a request, or `other`: clients can make up as many as they like. */
export function methodLabel({ method }: Request): RequestObservation['method'] {
  return METHODS.find((known) => known === method) ?? 'other'
}
