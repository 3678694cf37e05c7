import { type Kind, readOptionsSchema } from '@fish-crab/sdk/contract'
import { collectionAnswer } from '../catches/collection-answer.ts'
import { decodeCursor } from '../catches/cursor.ts'
import { requireGamemode } from '../catches/gamemode.ts'
import { readPage } from '../catches/page.ts'
import { jsonBytes } from '../http/answer.ts'
import { Failure } from '../http/failure.ts'
import { validateQuery } from '../http/validate.ts'
import type { Handler, Services } from '../services.ts'

const FIRST = { sequence: 0, offset: 0 }

/** `GET /get/fish` and `GET /get/crab`: a collection, whole or by pages. */
export function readHandler({ storage, users }: Services, kind: Kind): Handler {
  return async ({ query }) => {
    const name = query.get('name')
    if (!name) throw new Failure('missing_name')
    const gamemode = requireGamemode([query.get('gamemode')])
    const { detail, limit, cursor } = validateQuery(readOptionsSchema, query)
    const user = await users.require(name)
    const collection = { owner: user.id, kind, gamemode }
    const form = detail === 'full' ? 'full' : 'plain'
    if (limit === undefined && cursor === undefined) {
      return collectionAnswer(user.name, kind, storage.read(collection, form))
    }

    const start = cursor === undefined ? FIRST : decodeCursor(cursor)
    const page = await readPage(storage, collection, form, start, limit ?? Number.MAX_SAFE_INTEGER)
    const next = page.nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(page.nextCursor)}`
    const body = `{"user":${JSON.stringify(user.name)},"${kind}":[${page.entries}]${next}}`
    return jsonBytes(200, new TextEncoder().encode(body))
  }
}
