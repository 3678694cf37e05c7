import { profileOptionsSchema } from '@fish-crab/sdk/contract'
import { createProfileReader } from '../catches/read-profile.ts'
import { HttpError } from '../http/http-error.ts'
import { queryReader } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { requestedUser, userNameOf } from './parameters.ts'
import type { Services } from './services.ts'

const readOptions = queryReader(profileOptionsSchema)

export function profileHandler(services: Services): Handler {
  const { storage, responses, readQueue: queue, gamemodes, clock } = services
  const readProfile = createProfileReader({ storage, responses, queue, gamemodes, clock })
  return async (context) => {
    const { request, query, client } = context
    if (!userNameOf(query)) throw new HttpError('missing_name')
    const { species } = readOptions(query)
    const user = await requestedUser(services, context)
    return readProfile(request, { user, withSpecies: species === 'true', client })
  }
}
