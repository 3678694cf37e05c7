import { passwordChangeSchema, type User } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { HttpError, storageFullError } from '../http/http-error.ts'
import { readJson, validate } from '../http/request.ts'
import { empty } from '../http/response.ts'
import type { AdminHandlers, Services } from './services.ts'

/**
 * The share of the reserve of a full storage that players leave to administrators. Each change of a player adds an entry
 * to the audit log.
 */
const RESERVE_OF_ADMINISTRATORS = 1 / 2

/**
 * Returns the player who sends a change, by name and password. Throws `invalid_credentials`, and `forbidden` for
 * administrators.
 * @param instead tells an administrator what to do instead
 */
export async function authenticatePlayer(
  { credentials, storage }: Pick<Services, 'credentials' | 'storage'>,
  context: RequestContext,
  instead: string,
): Promise<User> {
  const identity = await credentials.authenticate(context, undefined)
  if (storage.remainingReserve() < RESERVE_OF_ADMINISTRATORS) throw storageFullError()
  if ('user' in identity) return identity.user
  throw new HttpError('forbidden', { message: instead })
}

/** Creates the handlers with which players change their own account. */
export function ownAccountHandlers(services: Services): AdminHandlers {
  const { audit, users } = services
  return {
    async changeOwnPassword(context) {
      const user = await authenticatePlayer(
        services,
        context,
        'Administrators change their password with POST /admin/password.',
      )
      // A slow client can delay the body, and the password may be replaced meanwhile.
      const before = await users.passwordHash(user)
      const { password } = validate(passwordChangeSchema, await readJson(context), 'invalid_payload')
      await audit.record(context, user.name, 'user.password', { subject: user.name })
      if (before === undefined || !(await users.changePassword(user, before, password))) {
        throw new HttpError('invalid_credentials')
      }
      return empty(204)
    },
  }
}
