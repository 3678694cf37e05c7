import { profileOptionsSchema } from '@fish-crab/sdk/contract'
import { createMonths } from '../catches/read-month.ts'
import { createProfileReader, createProfiles } from '../catches/read-profile.ts'
import type { KnownSpeciesReader } from '../catches/read-species.ts'
import { createComparisons } from '../catches/read-versus.ts'
import { HttpError } from '../http/http-error.ts'
import { queryReader } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { userNameOf, visibleUser } from './parameters.ts'
import { pictureHandlers } from './pictures.ts'
import type { Services } from './services.ts'

const readOptions = queryReader(profileOptionsSchema)

export function profileHandlers(services: Services, known: Pick<KnownSpeciesReader, 'keys'>) {
  const { storage, responses, readQueue: queue, gamemodes, clock } = services
  const profiles = createProfiles({ storage, queue, gamemodes, clock, known })
  const months = createMonths({ storage, queue, gamemodes })
  const comparisons = createComparisons(profiles)
  const readProfile = createProfileReader(profiles, responses)

  const getProfile: Handler = async (context) => {
    const { request, query, site } = context
    if (!userNameOf(query)) throw new HttpError('missing_name')
    const { species } = readOptions(query)
    const user = await visibleUser(services, context)
    return readProfile(request, { user, withSpecies: species === 'true', client: site })
  }

  return {
    getProfile,
    profiles,
    months,
    comparisons,
    ...pictureHandlers(services, { profiles, months, comparisons }),
  }
}
