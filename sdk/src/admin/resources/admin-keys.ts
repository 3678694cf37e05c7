import { type ApiPromise, apiPromise, type ResponseMeta } from '../../client/call.ts'
import type { CallOptions } from '../../client/call-options.ts'
import { createKeys } from '../../client/resources/keys.ts'
import type { Transport } from '../../client/transport.ts'
import type { UserKey } from '../../contract/schemas/service.ts'
import { type Credentials, requireCredentials } from '../admin-options.ts'
import { nameIssue, requireNone } from '../checks.ts'

/** The Fernet keys of players. */
export interface AdminKeysResource {
  /**
   * The Fernet key of a player, by HTTP Basic with this client's `username` and `password`. The server notes every
   * reading, and counts it within the public rate limit.
   *
   * @throws NotFoundError with code `user_not_found`; ValidationError, also when the client has a `token` alone;
   *   ApiError, ConnectionError.
   * @example
   * const { fernetKey } = await admin.keys.get('Alex')
   */
  get(name: string, options?: CallOptions): ApiPromise<UserKey & ResponseMeta>
}

/** `admin.keys`. */
export function createAdminKeys(transport: Transport, credentials: Credentials | undefined): AdminKeysResource {
  const read = async (name: string, options: CallOptions) => {
    requireNone(nameIssue(name))
    return createKeys(transport)
      .get({ ...options, ...requireCredentials(credentials), name })
      .withResponse()
  }
  return { get: (name, options = {}) => apiPromise(read(name, options)) }
}
