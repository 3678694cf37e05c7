import { type Kind, moveSchema } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { HttpError, storageFullError } from '../http/http-error.ts'
import { readJson, validate } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { createCatchChanges } from './catch-changes.ts'
import type { Services } from './services.ts'

/**
 * The share of the reserve of a full storage that players leave to administrators. Each change of a player adds an entry
 * to the audit log.
 */
const RESERVE_OF_ADMINISTRATORS = 1 / 2

/** Creates the handlers that let players change their own catches. Players authenticate with their password. */
export function ownCatchesHandlers(services: Services) {
  const changes = createCatchChanges(services)

  async function authenticate(context: RequestContext, kind: Kind) {
    const identity = await services.credentials.authenticate(context, undefined)
    if (services.storage.remainingReserve() < RESERVE_OF_ADMINISTRATORS) throw storageFullError()
    if ('user' in identity) return { actor: identity.user.name, user: identity.user, kind }
    throw new HttpError('forbidden', { message: 'Administrators change the catches of players under /admin/users.' })
  }

  function remove(kind: Kind): Handler {
    return async (context) => changes.remove(context, await authenticate(context, kind))
  }

  function move(kind: Kind): Handler {
    return async (context) => {
      const { gamemode: to } = validate(moveSchema, await readJson(context), 'invalid_payload')
      return changes.move(context, { ...(await authenticate(context, kind)), to })
    }
  }

  return {
    deleteOwnFish: remove('fish'),
    deleteOwnCrab: remove('crab'),
    moveOwnFish: move('fish'),
    moveOwnCrab: move('crab'),
  }
}
