import { type User, userNameKey } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { readJson } from '../http/request.ts'
import { isVisible } from '../users/users.ts'
import type { Services } from './services.ts'

/** Returns the value of the parameter `name`. Throws `user_mismatch` if the values name different users. */
export function userNameOf(query: URLSearchParams): string | undefined {
  const [first, ...others] = query.getAll('name').filter((name) => name !== '')
  if (others.some((name) => userNameKey(name) !== userNameKey(first ?? ''))) throw new HttpError('user_mismatch')
  return first
}

/**
 * Returns the user in the parameter `name`, or else the owner of the API key. Throws `missing_name` or
 * `user_not_found`.
 */
export async function requestedUser({ users }: Pick<Services, 'users'>, context: RequestContext): Promise<User> {
  const { query, apiKeyUser, namedUser } = context
  const name = userNameOf(query)
  if (!name && !apiKeyUser) throw new HttpError('missing_name')
  const user = name ? await (namedUser ?? users.find(name)) : apiKeyUser
  if (!user) throw new HttpError('user_not_found')
  context.player = user.name
  return user
}

/** Works like {@link requestedUser}, but throws `user_not_found` for a user whom this client may not read. */
export async function visibleUser(services: Pick<Services, 'users'>, context: RequestContext): Promise<User> {
  const user = await requestedUser(services, context)
  if (isVisible(user, context.keyOwner)) return user
  context.player = undefined
  throw new HttpError('user_not_found')
}

/**
 * Reads the JSON body of an administrator's request. A slow client can delay the body, so the session is checked again
 * after the body. An administrator who was deleted meanwhile cannot change anything.
 */
export async function readAdminJson({ sessions }: Services, context: RequestContext, limit?: number): Promise<unknown> {
  const value = await readJson(context, limit)
  await sessions.require(context.request)
  return value
}
