import {
  type AccountVisibility,
  accountChangeSchema,
  accountDeletionSchema,
  passwordChangeSchema,
  renameSchema,
  type User,
} from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { HttpError, storageFullError } from '../http/http-error.ts'
import { readJson, validate } from '../http/request.ts'
import { empty, type HandlerResponse, json } from '../http/response.ts'
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

/**
 * Creates the handlers with which players change their own account. A slow client can delay the body, so the password is
 * checked after the body. A player who was suspended or got another password meanwhile cannot change anything.
 */
export function ownAccountHandlers(services: Services): AdminHandlers {
  const { audit, users, credentials } = services
  return {
    async changeOwnPassword(context) {
      const body = await readJson(context)
      const user = await authenticatePlayer(
        services,
        context,
        'Administrators change their password with POST /admin/password.',
      )
      const before = await users.passwordHash(user)
      const { password } = validate(passwordChangeSchema, body, 'invalid_payload')
      await audit.record(context, user.name, 'user.password', { subject: user.name })
      if (before === undefined || !(await users.changePassword(user, before, password))) {
        throw new HttpError('invalid_credentials')
      }
      return empty(204)
    },

    async renameOwn(context) {
      const body = await readJson(context)
      const user = await authenticatePlayer(services, context, 'Administrators cannot change their names.')
      const { name } = validate(renameSchema, body, 'invalid_payload')
      return rename(services, context, { actor: user.name, user, name })
    },

    async updateOwn(context) {
      const body = await readJson(context)
      const user = await authenticatePlayer(services, context, 'Administrators have no collections.')
      const change = validate(accountChangeSchema, body, 'invalid_payload')
      await audit.record(context, user.name, change.public ? 'user.public' : 'user.private', { subject: user.name })
      await users.setFlags(user, change)
      return json(200, { name: user.name, public: change.public } satisfies AccountVisibility)
    },

    async deleteOwn(context) {
      const body = await readJson(context)
      const user = await authenticatePlayer(services, context, 'A superadmin deletes administrators.')
      const { password } = validate(accountDeletionSchema, body, 'invalid_payload')
      await credentials.authenticateUser({ name: user.name, password }, context)
      await audit.record(context, user.name, 'user.delete', { subject: user.name })
      await users.remove(user)
      return empty(204)
    },
  }
}

interface Rename {
  readonly actor: string
  readonly user: User
  readonly name: string
}

/** Renames a player. Players and administrators use the same function. */
export async function rename(
  { audit, users }: Pick<Services, 'audit' | 'users'>,
  context: RequestContext,
  { actor, user, name }: Rename,
): Promise<HandlerResponse> {
  await audit.record(context, actor, 'user.rename', { subject: user.name, newName: name })
  const renamed = await users.rename(user, name)
  return json(200, { name: renamed.name } satisfies { name: string })
}
