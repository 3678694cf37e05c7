import {
  ACCOUNT_LIMITS,
  type AccountVisibility,
  accountChangeSchema,
  accountDeletionSchema,
  passwordChangeSchema,
  renameSchema,
} from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'
import { readJson, validate } from '../http/request.ts'
import { empty, json } from '../http/response.ts'
import { authenticatePlayer, rename } from './accounts.ts'
import type { AdminHandlers, Services } from './services.ts'

/**
 * Creates the handlers with which players change their own account. A slow client can delay the body, so the password is
 * checked after the body. A player who was suspended or got another password meanwhile cannot change anything.
 */
export function ownAccountHandlers(services: Services): AdminHandlers {
  const { audit, users, credentials } = services
  return {
    async changeOwnPassword(context) {
      const body = await readJson(context)
      const { user, passwordHash } = await authenticatePlayer(
        services,
        context,
        'Administrators change their password with POST /admin/password.',
      )
      const { password } = validate(passwordChangeSchema, body, 'invalid_payload')
      await audit.record(context, user.name, 'user.password', { subject: user.name })
      if (!(await users.changePassword(user, passwordHash, password))) throw new HttpError('invalid_credentials')
      return empty(204)
    },

    async renameOwn(context) {
      const body = await readJson(context)
      const { user } = await authenticatePlayer(services, context, 'Administrators cannot change their names.')
      const { name } = validate(renameSchema, body, 'invalid_payload')
      // Each old name is reserved for 90 days.
      if ((await users.oldNames(user)).length >= ACCOUNT_LIMITS.oldNames) throw new HttpError('too_many_renames')
      return rename(services, context, { actor: user.name, user, name })
    },

    async updateOwn(context) {
      const body = await readJson(context)
      const { user } = await authenticatePlayer(services, context, 'Administrators have no collections.')
      const change = validate(accountChangeSchema, body, 'invalid_payload')
      await audit.record(context, user.name, change.public ? 'user.public' : 'user.private', { subject: user.name })
      await users.setFlags(user, change)
      return json(200, { name: user.name, public: change.public } satisfies AccountVisibility)
    },

    async deleteOwn(context) {
      const body = await readJson(context)
      const { user } = await authenticatePlayer(services, context, 'A superadmin deletes administrators.')
      const { password } = validate(accountDeletionSchema, body, 'invalid_payload')
      await credentials.authenticateUser({ name: user.name, password }, context)
      await audit.record(context, user.name, 'user.delete', { subject: user.name })
      await users.remove(user)
      return empty(204)
    },
  }
}
