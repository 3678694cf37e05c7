import { type Kind, readOptionsSchema } from '@fish-crab/sdk/contract'
import { requireGamemode } from '../catches/gamemode.ts'
import { Failure } from '../http/failure.ts'
import { validateQuery } from '../http/validate.ts'
import type { Handler, Services } from '../services.ts'
import { agreedName } from '../users/agreed-name.ts'

/** `GET /get/fish` and `GET /get/crab`: a collection, whole or by pages. */
export function readHandler({ users, answerCollection }: Services, kind: Kind): Handler {
  return async ({ request, query, client }) => {
    const name = agreedName(query)
    if (!name) throw new Failure('missing_name')
    const gamemode = requireGamemode(query.getAll('gamemode'))
    const { detail, limit, cursor } = validateQuery(readOptionsSchema, query)
    const user = await users.require(name)
    return answerCollection(request, {
      user,
      collection: { owner: user.id, kind, gamemode },
      form: detail === 'full' ? 'full' : 'plain',
      limit,
      cursor,
      client,
    })
  }
}
