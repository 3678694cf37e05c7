import { type User, type UserKey, userNameKey } from '@fish-crab/sdk/contract'
import type { Identity } from '../auth/credentials.ts'
import { json } from '../http/answer.ts'
import { Failure } from '../http/failure.ts'
import type { Handler, Services } from '../services.ts'
import { agreedName } from '../users/agreed-name.ts'

/** `GET /get/user/key`: a player's own key, or for administrators any. The reading is on record before the key leaves. */
export function userKeyHandler({ users, credentials, audit }: Services): Handler {
  async function subject(identity: Identity, name: string | undefined): Promise<User> {
    if ('user' in identity) {
      if (name && userNameKey(name) !== userNameKey(identity.user.name)) throw new Failure('forbidden')
      return identity.user
    }
    if (!name) throw new Failure('missing_name')
    return users.require(name)
  }

  return async (exchange) => {
    const name = agreedName(exchange.query)
    const identity = await credentials.authenticate(exchange, name)
    const user = await subject(identity, name)
    const fernetKey = await users.fernetKey(user)
    const actor = 'user' in identity ? identity.user.name : identity.admin.username
    await audit.record(exchange, actor, 'key.read', user.name)
    return json(200, { fernetKey } satisfies UserKey, { 'cache-control': 'no-store' })
  }
}
