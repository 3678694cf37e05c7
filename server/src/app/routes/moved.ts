import { routePath, type User, userNameKey } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { empty, type HandlerResponse } from '../http/response.ts'
import { isVisible } from '../users/users.ts'

/** Returns the response with the new address of a page or picture, if the player was renamed. */
export function movedTo(
  route: 'playerPage' | 'playerCard' | 'playerBadge',
  { params, query }: Pick<RequestContext, 'params' | 'query'>,
  user: User | undefined,
): HandlerResponse | undefined {
  if (!user || !isVisible(user) || userNameKey(user.name) === userNameKey(params.name ?? '')) return undefined
  const search = query.size > 0 ? `?${query}` : ''
  return empty(301, { location: routePath(route, { name: user.name }) + search })
}
