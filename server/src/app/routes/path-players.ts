import { isUserName, type PAGE_ROUTES, type User } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import type { HandlerResponse } from '../http/response.ts'
import { isVisible } from '../users/users.ts'
import { movedTo } from './moved.ts'
import type { Services } from './services.ts'

/** The players in the path of a page or picture, or the reason why there are none. */
export interface PathPlayers {
  readonly players: readonly User[]
  /** The response with the new address of a renamed player. */
  readonly moved?: HandlerResponse
  /** The names of players who do not exist. Empty if no player can have a name of the path. */
  readonly missing?: readonly string[]
}

export function namesIn({ params }: RequestContext): readonly (readonly [key: string, name: string])[] {
  return Object.entries(params).filter(([key]) => key !== 'month')
}

/**
 * Finds the visible players in the path of a request.
 * @param count counts the request, and throws above the rate limit
 */
export async function findPathPlayers(
  { users }: Pick<Services, 'users'>,
  route: keyof typeof PAGE_ROUTES,
  context: RequestContext,
  count: (context: RequestContext) => Promise<void> = async () => {},
): Promise<PathPlayers> {
  const named = namesIn(context)
  if (!named.every(([, name]) => isUserName(name))) return { missing: [], players: [] }
  // Start the lookups before the count, so that all share a round trip to Redis.
  const lookups = named.map(([, name]) => users.find(name))
  for (const lookup of lookups) lookup.catch(() => {})
  await count(context)
  const found = await Promise.all(lookups)
  const moved = movedTo(route, context, Object.fromEntries(named.map(([key], at) => [key, found[at]])))
  if (moved) return { moved, players: [] }
  const players = found.flatMap((user) => (user && isVisible(user) ? [user] : []))
  if (players.length === found.length) return { players }
  const missing = named.flatMap(([, name], at) => (found[at] && isVisible(found[at]) ? [] : [name]))
  return { missing, players: [] }
}
