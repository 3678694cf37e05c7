import { type Access, MONTH_PATTERN, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
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

/** The parameters that match only some texts. A path with another text has no route. */
const PATTERNS: Readonly<Record<string, string>> = { ':month': `(${MONTH_PATTERN.source.slice(1, -1)})` }

/** Throws `not_found` for a path without a route. */
export const notFound: Handler = () => {
  throw new HttpError('not_found')
}

export function mountRoutes(
  h3: H3,
  handlers: Partial<Record<RouteName, Handler>>,
  { extra = [], fallback = notFound }: MountOptions = {},
): void {
  const mounts = (Object.entries(handlers) as [RouteName, Handler][]).map(([name, handler]) => ({
    name,
    path: ROUTES[name].path,
    handler,
  }))
  const all = [...mounts, ...extra]
  for (const path of new Set(all.map((mount) => mount.path))) {
    const pattern = path.replaceAll(/:\w+/g, (param) => param + (PATTERNS[param] ?? ''))
    const allow: string[] = []
    let access: Access = 'public'
    for (const { name, path: other, handler } of all) {
      const params = other === path ? {} : paramsOf(other, path)
      if (!params) continue
      const { method } = ROUTES[name]
      access = ROUTES[name].access
      for (const each of method === 'GET' ? (['GET', 'HEAD'] as const) : [method]) {
        if (allow.includes(each)) continue
        allow.push(each)
        h3.on(each, pattern, (event) => handler(event.context.request as RequestContext), {
          meta: { route: name, path: other, access, params },
        })
      }
    }
    const refuse = () => {
      throw new HttpError('method_not_allowed', { headers: { allow: allow.join(', ') } })
    }
    h3.all(pattern, refuse, { meta: { path, access } })
  }
  h3.all('/**', (event) => fallback(event.context.request as RequestContext))
}

/**
 * Returns the parameters with which a fixed path also matches a pattern: `/admin/users/bulk` is also the path of a user
 * named "bulk". The router would try only the handlers of the fixed path.
 */
function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  if (path.includes(':') || !pattern.includes(':')) return undefined
  return new RegExp(`^${pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`).exec(path)?.groups
}

/**
 * Returns the route of a request. Unknown paths count as public, so that the rate limit also applies to guessed paths.
 */
export function matchOf({ context: { matchedRoute, params = {} } }: H3Event): MatchedRoute {
  const { path, route, access = 'public', params: fixed } = (matchedRoute?.meta ?? {}) as Partial<MatchedRoute>
  return { path, route, access, params: path?.includes(':') ? decodeParams({ ...fixed, ...params }) : NO_PARAMS }
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
