import { speciesQuerySchema } from '@fish-crab/sdk/contract'
import { createKnownSpecies, createSpeciesReader } from '../catches/read-species.ts'
import { queryReader } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { isVisible } from '../users/users.ts'
import type { Services } from './services.ts'

const readQuery = queryReader(speciesQuerySchema)

export function speciesHandlers(services: Services) {
  const known = createKnownSpecies({
    ...services,
    policy: services.species,
    listUsers: services.users.list,
    isCounted: (user) => !user.suspended && isVisible(user),
  })
  const readSpecies = createSpeciesReader(known, services.responses)
  const getSpecies: Handler = async ({ request, query, site }) => {
    const { gamemode } = readQuery(query)
    services.gamemodes.check(gamemode, 'invalid_query', 'gamemode')
    return readSpecies(request, { gamemode, client: site })
  }
  return { known, getSpecies }
}
