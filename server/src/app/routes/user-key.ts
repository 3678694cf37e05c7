import type { User, UserKey } from '@fish-crab/sdk/contract'
import type { Identity } from '../auth/credentials.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { userNameOf } from './parameters.ts'
import type { Services } from './services.ts'

/**
 * Sends players their own key, and administrators the key of any player. The read is recorded in the audit log before
 * the response is sent.
 */
export function userKeyHandler({ storage, users, credentials, audit }: Services): Handler {
  async function requestedUser(identity: Identity, name: string | undefined): Promise<User> {
    if ('user' in identity) {
      if (name && !(await users.isNameOf(identity.user, name))) throw new HttpError('forbidden')
      return identity.user
    }
    if (!name) throw new HttpError('missing_name')
    return users.require(name)
  }

  /**
   * Records the read in the log and for the user at the same time, so that both writes share a commit. If one of them
   * fails, the read fails, and the other one may be stored. On a full storage, the entry of a player replaces the entry
   * of the previous read. Otherwise, players who read their keys would take the space that administrators need.
   */
  async function record(context: RequestContext, identity: Identity, user: User): Promise<void> {
    const isOwn = 'user' in identity
    const actor = isOwn ? identity.user.name : identity.admin.username
    const { ownEntry } = await users.lastKeyRead(user)
    const [entry] = await Promise.all([
      audit.record(context, actor, 'key.read', { subject: user.name }),
      users.recordKeyRead(user, ownEntry),
    ])
    if (!isOwn || entry === undefined) return
    await users.recordKeyRead(user, entry)
    if (ownEntry !== undefined && storage.remainingReserve() < 1) await audit.discard(ownEntry)
  }

  return async (context) => {
    const name = userNameOf(context.query)
    const identity = await credentials.authenticate(context, name)
    const user = await requestedUser(identity, name)
    const fernetKey = await users.fernetKey(user)
    await record(context, identity, user)
    return json(200, { fernetKey } satisfies UserKey)
  }
}
