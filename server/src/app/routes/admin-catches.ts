import { type Kind, plainCrabSchema, plainFishSchema, type Saved } from '@fish-crab/sdk/contract'
import { crabEntries, fishEntries } from '../catches/payload.ts'
import { savedMessage, toRecord } from '../catches/record.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { validate } from '../http/request.ts'
import { empty, json } from '../http/response.ts'
import { readAdminJson, requireGamemode } from './parameters.ts'
import type { AdminHandler, Services } from './services.ts'

const parseEntries = {
  fish: (value: unknown) => fishEntries(validate(plainFishSchema, value, 'invalid_payload').fish),
  crab: (value: unknown) => crabEntries(validate(plainCrabSchema, value, 'invalid_payload').crab),
}

/** `GET /admin/users/:name/fish` and `/crab`: a collection in full. */
export function listUserCatchesHandler(services: Services, kind: Kind): AdminHandler {
  return async (context) => {
    const { user, collection } = await target(services, context, kind)
    return services.readCollection(context.request, { user, collection, form: 'full', client: context.client })
  }
}

/** `POST /admin/users/:name/fish` and `/crab`: catches in plain JSON. */
export function addUserCatchesHandler(services: Services, kind: Kind): AdminHandler {
  const { storage, audit, createId, clock } = services
  return async (context, admin) => {
    const { user, collection } = await target(services, context, kind)
    const entries = parseEntries[kind](await readAdminJson(services, context))
    await audit.record(context, admin.username, `${kind}.add`, user.name)
    const caughtAt = new Date(clock()).toISOString()
    const result = await storage.append(collection, toRecord(entries, { id: createId(), dedupeKey: null, caughtAt }))
    if (result.outcome === 'owner_removed') throw new HttpError('user_not_found')
    return json(201, { message: savedMessage(kind, entries.length, user.name), id: result.id } satisfies Saved)
  }
}

/** `DELETE /admin/users/:name/fish/:id` and `/crab/:id`: one record. */
export function deleteUserCatchesHandler(services: Services, kind: Kind): AdminHandler {
  return async (context, admin) => {
    const { user, collection } = await target(services, context, kind)
    await services.audit.record(context, admin.username, `${kind}.delete`, user.name)
    const removed = await services.storage.removeRecord(collection, context.params.id ?? '')
    if (!removed) throw new HttpError('record_not_found')
    return empty(204)
  }
}

async function target({ users }: Services, { query, params }: RequestContext, kind: Kind) {
  const gamemode = requireGamemode(query.getAll('gamemode'))
  const user = await users.require(params.name ?? '')
  return { user, collection: { owner: user.id, kind, gamemode } }
}
