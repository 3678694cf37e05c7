import { type User, userNameKey } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { readJson } from '../http/request.ts'
import type { Services } from './services.ts'

/** Throws `user_mismatch` for several users. */
export function userNameOf(query: URLSearchParams): string | undefined {
  const [first, ...others] = query.getAll('name').filter((name) => name !== '')
  if (others.some((name) => userNameKey(name) !== userNameKey(first ?? ''))) throw new HttpError('user_mismatch')
  return first
}

/** The user in the parameter `name`, else the owner of the API key. Throws `missing_name`, `user_not_found`. */
export async function requestedUser({ users }: Services, context: RequestContext): Promise<User> {
  const { query, apiKeyUser, namedUser } = context
  const name = userNameOf(query)
  if (!name && apiKeyUser) return apiKeyUser
  if (!name) throw new HttpError('missing_name')
  const user = await (namedUser ?? users.find(name))
  if (!user) throw new HttpError('user_not_found')
  context.player = user.name
  return user
}

/**
 * Reads the JSON body of an administrator's request. Its sender decides how long that takes, so the session is checked
 * again afterwards: an administrator who was deleted meanwhile changes nothing.
 */
export async function readAdminJson({ sessions }: Services, { request }: RequestContext): Promise<unknown> {
  const value = await readJson(request)
  await sessions.require(request)
  return value
}
