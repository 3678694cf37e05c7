import { type Gamemode, type Kind, removeOptionsSchema, type User } from '@fish-crab/sdk/contract'
import type { AuditedChange } from '../auth/audit.ts'
import { speciesOf } from '../catches/record.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { queryReader } from '../http/request.ts'
import { empty, type HandlerResponse } from '../http/response.ts'
import type { Services } from './services.ts'

interface Removal {
  readonly actor: string
  readonly user: User
  readonly kind: Kind
}

interface Move extends Removal {
  readonly to: Gamemode
}

/** All record ids are shorter than this limit, which keeps long texts out of the audit log. */
const MAX_ID_LENGTH = 64
/** Maximum number of names in an entry of the audit log, which bounds its size. */
const MAX_SPECIES = 10

const readRemoveOptions = queryReader(removeOptionsSchema)

function recordIn({ params: { id = '' } }: RequestContext): string {
  if (id.length > MAX_ID_LENGTH) throw new HttpError('record_not_found')
  return id
}

/**
 * Creates the functions that remove or move the record in the path of a request. Players and administrators use the
 * same functions.
 */
export function createCatchChanges({ storage, gamemodes, audit }: Pick<Services, 'storage' | 'gamemodes' | 'audit'>) {
  async function finish(change: AuditedChange, catches: number, species?: string[]): Promise<HandlerResponse> {
    if (catches > 0) {
      await change.complete({ catches, ...(species && { species }) })
      return empty(204)
    }
    await change.discard()
    throw new HttpError('record_not_found')
  }

  return {
    /** Removes the record, or the entry in the query. Throws `record_not_found` or `entry_not_found`. */
    async remove(context: RequestContext, { actor, user, kind }: Removal): Promise<HandlerResponse> {
      context.player = user.name
      const gamemode = gamemodes.require(context.query.getAll('gamemode'))
      context.gamemode = gamemode
      const { entry } = readRemoveOptions(context.query)
      const record = recordIn(context)
      const details = { subject: user.name, record, gamemode }
      const change = await audit.begin(context, actor, `${kind}.delete`, details)
      const collection = { owner: user.id, kind, gamemode }
      if (entry !== undefined) {
        const removal = await storage.removeEntry(collection, record, entry)
        if (removal.outcome === 'removed') return finish(change, 1, [removal.entry.name])
        await change.discard()
        throw new HttpError(removal.outcome)
      }
      const removed = await storage.removeRecord(collection, record)
      return finish(change, removed?.count ?? 0, removed && speciesOf(removed).slice(0, MAX_SPECIES))
    },

    /**
     * Moves a record to another gamemode. Throws `record_not_found`, or `invalid_payload` if the new gamemode is
     * unknown or equals the given current gamemode. A repeated move changes nothing.
     */
    async move(context: RequestContext, { actor, user, kind, to }: Move): Promise<HandlerResponse> {
      context.player = user.name
      const gamemode = gamemodes.named(context.query.getAll('gamemode'))
      context.gamemode = gamemode
      gamemodes.check(to, 'invalid_payload', 'gamemode')
      if (to === gamemode) {
        throw new HttpError('invalid_payload', {
          details: [{ path: 'gamemode', message: `Must be another gamemode than ${gamemode}` }],
        })
      }
      const record = recordIn(context)
      const change = await audit.begin(context, actor, `${kind}.move`, {
        subject: user.name,
        record,
        ...(gamemode && { gamemode }),
        movedTo: to,
      })
      let count = 0
      for (const from of gamemode ? [gamemode] : gamemodes.names.filter((one) => one !== to)) {
        count = await storage.moveRecord({ owner: user.id, kind, gamemode: from }, record, to)
        if (count > 0) break
      }
      return finish(change, count)
    },
  }
}
