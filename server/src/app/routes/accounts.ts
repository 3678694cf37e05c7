import type { User, UserName } from '@fish-crab/sdk/contract'
import type { Identity } from '../auth/credentials.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError, storageFullError } from '../http/http-error.ts'
import { type HandlerResponse, json } from '../http/response.ts'
import type { Services } from './services.ts'

/*
 * The parts that handlers for players and handlers for administrators share.
 */

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
): Promise<Extract<Identity, { readonly user: unknown }>> {
  const identity = await credentials.authenticate(context, undefined)
  if (storage.remainingReserve() < RESERVE_OF_ADMINISTRATORS) throw storageFullError()
  if ('user' in identity) return identity
  throw new HttpError('forbidden', { message: instead })
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
  const record = () => audit.record(context, actor, 'user.rename', { subject: user.name, newName: name })
  const renamed = await users.rename(user, name, record)
  return json(200, { name: renamed.name } satisfies UserName)
}
