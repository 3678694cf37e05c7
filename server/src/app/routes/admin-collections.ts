import { type Kind, plainCrabSchema, plainFishSchema, type Saved } from '@fish-crab/sdk/contract'
import type { AdminHandler } from '../auth/admin-access.ts'
import { requireGamemode } from '../catches/gamemode.ts'
import { crabEntries, fishEntries } from '../catches/payload.ts'
import { toRecord } from '../catches/record.ts'
import { savedMessage } from '../catches/saved-message.ts'
import { empty, json } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'
import { validate } from '../http/validate.ts'
import type { Services } from '../services.ts'

const parseEntries = {
  fish: (value: unknown) => fishEntries(validate(plainFishSchema, value, 'invalid_payload').fish),
  crab: (value: unknown) => crabEntries(validate(plainCrabSchema, value, 'invalid_payload').crab),
}

/** `GET /admin/users/:name/fish` and `/crab`: a collection in full. */
export function listUserCatchesHandler(services: Services, kind: Kind): AdminHandler {
  return async (exchange) => {
    const { user, collection } = await target(services, exchange, kind)
    return services.answerCollection(exchange.request, { user, collection, form: 'full', client: exchange.client })
  }
}

/** `POST /admin/users/:name/fish` and `/crab`: catches in plain JSON. */
export function addUserCatchesHandler(services: Services, kind: Kind): AdminHandler {
  const { storage, audit, createId, clock } = services
  return async (exchange, admin) => {
    const { user, collection } = await target(services, exchange, kind)
    const entries = parseEntries[kind](await readJson(exchange.request))
    await audit.record(exchange, admin.username, `${kind}.add`, user.name)
    const caughtAt = new Date(clock()).toISOString()
    const result = await storage.append(collection, toRecord(entries, { id: createId(), dedupeKey: null, caughtAt }))
    if (result.outcome === 'owner_removed') throw new Failure('user_not_found')
    return json(201, { message: savedMessage(kind, entries.length, user.name), id: result.id } satisfies Saved)
  }
}

/** `DELETE /admin/users/:name/fish/:id` and `/crab/:id`: one record. */
export function deleteUserCatchesHandler(services: Services, kind: Kind): AdminHandler {
  return async (exchange, admin) => {
    const { user, collection } = await target(services, exchange, kind)
    await services.audit.record(exchange, admin.username, `${kind}.delete`, user.name)
    const removed = await services.storage.removeRecord(collection, exchange.params.id ?? '')
    if (!removed) throw new Failure('record_not_found')
    return empty(204)
  }
}

async function target({ users }: Services, { query, params }: Exchange, kind: Kind) {
  const gamemode = requireGamemode(query.getAll('gamemode'))
  const user = await users.require(params.name ?? '')
  return { user, collection: { owner: user.id, kind, gamemode } }
}
