import { speciesQuerySchema } from '@fish-crab/sdk/contract'
import { createSpeciesReader } from '../catches/read-species.ts'
import { queryReader } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { isVisible } from '../users/users.ts'
import type { Services } from './services.ts'

const readQuery = queryReader(speciesQuerySchema)

export function speciesHandler(services: Services): Handler {
  const readSpecies = createSpeciesReader({
    ...services,
    policy: services.species,
    listUsers: services.users.list,
    isCounted: (user) => !user.suspended && isVisible(user),
  })
  return async ({ request, query, site }) => {
    const { gamemode } = readQuery(query)
    services.gamemodes.check(gamemode, 'invalid_query', 'gamemode')
    return readSpecies(request, { gamemode, client: site })
  }
}
