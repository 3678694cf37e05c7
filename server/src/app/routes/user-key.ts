import { type User, type UserKey, userNameKey } from '@fish-crab/sdk/contract'
import type { Identity } from '../auth/credentials.ts'
import { HttpError } from '../http/http-error.ts'
import { json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { userNameOf } from './parameters.ts'
import type { Services } from './services.ts'

/**
 * Sends players their own key, and administrators the key of any player. The read is recorded in the audit log before
 * the response is sent.
 */
export function userKeyHandler({ users, credentials, audit }: Services): Handler {
  async function requestedUser(identity: Identity, name: string | undefined): Promise<User> {
    if ('user' in identity) {
      if (name && userNameKey(name) !== userNameKey(identity.user.name)) throw new HttpError('forbidden')
      return identity.user
    }
    if (!name) throw new HttpError('missing_name')
    return users.require(name)
  }

  return async (context) => {
    const name = userNameOf(context.query)
    const identity = await credentials.authenticate(context, name)
    const user = await requestedUser(identity, name)
    const fernetKey = await users.fernetKey(user)
    const actor = 'user' in identity ? identity.user.name : identity.admin.username
    await Promise.all([audit.record(context, actor, 'key.read', { subject: user.name }), users.recordKeyRead(user)])
    return json(200, { fernetKey } satisfies UserKey)
  }
}
