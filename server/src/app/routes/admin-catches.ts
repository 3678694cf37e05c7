import { type Kind, moveSchema, plainCrabSchema, plainFishSchema, type Saved } from '@fish-crab/sdk/contract'
import { crabEntries, fishEntries } from '../catches/payload.ts'
import { savedMessage, toRecord } from '../catches/record.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { validate } from '../http/request.ts'
import { json } from '../http/response.ts'
import { createCatchChanges } from './catch-changes.ts'
import { readAdminJson } from './parameters.ts'
import type { AdminHandler, AdminHandlers, Services } from './services.ts'

const parseEntries = {
  fish: (value: unknown) => fishEntries(validate(plainFishSchema, value, 'invalid_payload').fish),
  crab: (value: unknown) => crabEntries(validate(plainCrabSchema, value, 'invalid_payload').crab),
}

export function userCatchesHandlers(services: Services): AdminHandlers {
  const { storage, users, gamemodes, audit, readCollection, createId, clock } = services
  const changes = createCatchChanges(services)

  async function target({ query, params }: RequestContext, kind: Kind) {
    const gamemode = gamemodes.require(query.getAll('gamemode'))
    const user = await users.require(params.name ?? '')
    return { user, collection: { owner: user.id, kind, gamemode } }
  }

  function list(kind: Kind): AdminHandler {
    return async (context) => {
      const options = { ...(await target(context, kind)), form: 'full', client: context.site } as const
      return readCollection(context.request, options)
    }
  }

  function add(kind: Kind): AdminHandler {
    return async (context, admin) => {
      const { user, collection } = await target(context, kind)
      const entries = parseEntries[kind](await readAdminJson(services, context))
      const details = { subject: user.name, gamemode: collection.gamemode, catches: entries.length }
      await audit.record(context, admin.username, `${kind}.add`, details)
      const receivedAt = clock()
      const caughtAt = new Date(receivedAt).toISOString()
      const record = toRecord(entries, { id: createId(), dedupeKey: null, caughtAt, receivedAt })
      const result = await storage.append(collection, record)
      if (result.outcome === 'owner_removed') throw new HttpError('user_not_found')
      return json(201, { message: savedMessage(kind, entries.length, user.name), id: result.id } satisfies Saved)
    }
  }

  function remove(kind: Kind): AdminHandler {
    return async (context, admin) => {
      const user = await users.require(context.params.name ?? '')
      return changes.remove(context, { actor: admin.username, user, kind })
    }
  }

  function move(kind: Kind): AdminHandler {
    return async (context, admin) => {
      const { gamemode: to } = validate(moveSchema, await readAdminJson(services, context), 'invalid_payload')
      const user = await users.require(context.params.name ?? '')
      return changes.move(context, { actor: admin.username, user, kind, to })
    }
  }

  return {
    listUserFish: list('fish'),
    listUserCrab: list('crab'),
    addUserFish: add('fish'),
    addUserCrab: add('crab'),
    deleteUserFish: remove('fish'),
    deleteUserCrab: remove('crab'),
    moveUserFish: move('fish'),
    moveUserCrab: move('crab'),
  }
}
