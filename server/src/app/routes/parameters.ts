import { userNameKey } from '@fish-crab/sdk/contract'
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

/**
 * Reads the JSON body of an administrator's request. Its sender decides how long that takes, so the session is checked
 * again afterwards: an administrator who was deleted meanwhile changes nothing.
 */
export async function readAdminJson({ sessions }: Services, { request }: RequestContext): Promise<unknown> {
  const value = await readJson(request)
  await sessions.require(request)
  return value
}
