import { type Access, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import type { H3, H3Event } from 'h3'
import type { MatchedRoute, RequestContext } from './context.ts'
import { HttpError } from './http-error.ts'
import type { HandlerResponse } from './response.ts'

/** Handles a request. Throws an {@link HttpError} for an error response. */
export type Handler = (context: RequestContext) => Promise<HandlerResponse> | HandlerResponse

interface Mount {
  readonly name: RouteName
  readonly path: string
  readonly handler: Handler
}

interface MountOptions {
  /** Additional handlers on paths below the path of a route. @default none */
  readonly extra?: readonly Mount[]
  /** Handles all paths without a route. @default responds with 404 */
  readonly fallback?: Handler
}

/** Throws `not_found` for a path without a route. */
export const notFound: Handler = () => {
  throw new HttpError('not_found')
}

export function mountRoutes(
  h3: H3,
  handlers: Partial<Record<RouteName, Handler>>,
  { extra = [], fallback = notFound }: MountOptions = {},
): void {
  const paths = new Map<string, { readonly access: Access; readonly allow: readonly string[] }>()
  const mounts = (Object.entries(handlers) as [RouteName, Handler][]).map(([name, handler]) => ({
    name,
    path: ROUTES[name].path,
    handler,
  }))
  for (const { name, path, handler } of [...mounts, ...extra]) {
    const { method, access } = ROUTES[name]
    const methods = method === 'GET' ? (['GET', 'HEAD'] as const) : [method]
    for (const each of methods) {
      h3.on(each, path, (event) => handler(event.context.request as RequestContext), {
        meta: { route: name, path, access },
      })
    }
    const { allow } = paths.get(path) ?? { allow: [] }
    paths.set(path, { access, allow: [...allow, ...methods] })
  }
  for (const [path, { access, allow }] of paths) {
    const refuse = () => {
      throw new HttpError('method_not_allowed', { headers: { allow: allow.join(', ') } })
    }
    h3.all(path, refuse, { meta: { path, access } })
  }
  h3.all('/**', (event) => fallback(event.context.request as RequestContext))
}

/**
 * Returns the route of a request. Unknown paths count as public, so that the rate limit also applies to guessed paths.
 */
export function matchOf({ context: { matchedRoute, params = {} } }: H3Event): MatchedRoute {
  const { path, route, access = 'public' } = (matchedRoute?.meta ?? {}) as Partial<MatchedRoute>
  return { path, route, access, params: path?.includes(':') ? decodeParams(params) : NO_PARAMS }
}

const NO_PARAMS = {}

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
