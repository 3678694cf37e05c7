import { type Kind, moveSchema } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { readJson, validate } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { authenticatePlayer } from './accounts.ts'
import { createCatchChanges } from './catch-changes.ts'
import type { Services } from './services.ts'

/** Creates the handlers that let players change their own catches. Players authenticate with their password. */
export function ownCatchesHandlers(services: Services) {
  const changes = createCatchChanges(services)

  async function authenticate(context: RequestContext, kind: Kind) {
    const { user } = await authenticatePlayer(
      services,
      context,
      'Administrators change the catches of players under /admin/users.',
    )
    return { actor: user.name, user, kind }
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
