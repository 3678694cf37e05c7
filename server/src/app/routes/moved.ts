import { type PAGE_ROUTES, routePath, type User, userNameKey } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { empty, type HandlerResponse } from '../http/response.ts'
import { isVisible } from '../users/users.ts'

/**
 * Returns the response with the new address of a page or picture, if one of its players was renamed.
 * @param users the players by the parameters of the path
 */
export function movedTo(
  route: keyof typeof PAGE_ROUTES,
  { params, query }: Pick<RequestContext, 'params' | 'query'>,
  users: Readonly<Record<string, User | undefined>>,
): HandlerResponse | undefined {
  const renamed = Object.entries(users).filter(
    ([param, user]) => user && isVisible(user) && userNameKey(user.name) !== userNameKey(params[param] ?? ''),
  )
  if (renamed.length === 0) return undefined
  const names = Object.fromEntries(renamed.map(([param, user]) => [param, user?.name ?? '']))
  const search = query.size > 0 ? `?${query}` : ''
  return empty(301, { location: routePath(route, { ...params, ...names }) + search })
}
