import { type User, userNameKey } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { readJson } from '../http/request.ts'
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

/**
 * Reads the JSON body of an administrator's request. A slow client can delay the body, so the session is checked again
 * after the body. An administrator who was deleted meanwhile cannot change anything.
 */
export async function readAdminJson({ sessions }: Services, context: RequestContext): Promise<unknown> {
  const value = await readJson(context)
  await sessions.require(context.request)
  return value
}
