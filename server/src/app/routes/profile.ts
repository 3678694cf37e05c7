import { profileOptionsSchema } from '@fish-crab/sdk/contract'
import { firstViewOf } from '../catches/first-view.ts'
import { createProfileReader, createProfiles } from '../catches/read-profile.ts'
import { createSlices } from '../core/slices.ts'
import { HttpError } from '../http/http-error.ts'
import { queryReader } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { isVisible } from '../users/users.ts'
import { userNameOf, visibleUser } from './parameters.ts'
import { type ProfileLookup, pictureHandlers } from './pictures.ts'
import type { Services } from './services.ts'

const readOptions = queryReader(profileOptionsSchema)

export function profileHandlers(services: Services) {
  const { storage, responses, readQueue: queue, gamemodes, clock } = services
  const profiles = createProfiles({ storage, queue, gamemodes, clock })
  const readProfile = createProfileReader(profiles, responses)

  const getProfile: Handler = async (context) => {
    const { request, query, site } = context
    if (!userNameOf(query)) throw new HttpError('missing_name')
    const { species } = readOptions(query)
    const user = await visibleUser(services, context)
    return readProfile(request, { user, withSpecies: species === 'true', client: site })
  }

  const lookUp: ProfileLookup = async (context, lookup, wanted) => {
    const user = await lookup
    if (!user || !isVisible(user)) throw new HttpError('user_not_found')
    context.player = user.name
    const { signal } = context.request
    const { read } = await profiles({ user, withSpecies: wanted !== undefined, client: context.site })
    const profile = await read(signal)
    return wanted ? (await firstViewOf(profile, createSlices(signal), wanted)).profile : profile
  }

  return { getProfile, profiles, ...pictureHandlers(services, lookUp) }
}
