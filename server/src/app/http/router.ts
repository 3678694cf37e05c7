import { ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import type { H3 } from 'h3'
import type { RequestContext } from './context.ts'
import { HttpError } from './http-error.ts'
import type { HandlerResponse } from './response.ts'

/** Throws an {@link HttpError} for any other response. */
export type Handler = (context: RequestContext) => Promise<HandlerResponse> | HandlerResponse

interface Mount {
  readonly name: RouteName
  readonly path: string
  readonly handler: Handler
}

/** `HEAD` works wherever `GET` does. @param extra handlers on paths below that of a route */
export function mountRoutes(h3: H3, handlers: Partial<Record<RouteName, Handler>>, extra: readonly Mount[] = []): void {
  const methodsByPath = new Map<string, Set<string>>()
  const mounts = (Object.entries(handlers) as [RouteName, Handler][]).map(([name, handler]) => ({
    name,
    path: ROUTES[name].path,
    handler,
  }))
  for (const { name, path, handler } of [...mounts, ...extra]) {
    const { method } = ROUTES[name]
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    for (const each of methods) {
      h3.on(each as typeof method, path, (event) => {
        const context = event.context.request as RequestContext
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
