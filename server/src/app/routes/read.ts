import {
  type CrabCollection,
  DEMO_USER,
  type FishCollection,
  type Kind,
  RARITIES,
  readOptionsSchema,
} from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'
import { queryReader } from '../http/request.ts'
import { json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { userNameOf, visibleUser } from './parameters.ts'
import type { Services } from './services.ts'

const readOptions = queryReader(readOptionsSchema)

export function readHandler(services: Services, kind: Kind): Handler {
  const { gamemodes, readCollection } = services
  return async (context) => {
    const { request, query, site } = context
    if (!userNameOf(query)) throw new HttpError('missing_name')
    const gamemode = gamemodes.require(query.getAll('gamemode'))
    context.gamemode = gamemode
    const { summary, detail, limit, cursor } = readOptions(query)
    if (summary) refuseWithSummary({ detail, limit, cursor })
    const user = await visibleUser(services, context)
    return readCollection(request, {
      user,
      collection: { owner: user.id, kind, gamemode },
      form: summary ?? detail ?? 'plain',
      limit,
      cursor,
      client: site,
    })
  }
}

/**
 * Refuses to combine a summary with the options for partial or detailed reads, because a summary always covers the
 * whole collection.
 */
function refuseWithSummary(options: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(options).filter((name) => options[name] !== undefined)
  const details = given.map((path) => ({ path, message: 'Must be left out with summary' }))
  if (details.length > 0) throw new HttpError('invalid_query', { details })
}

const FISH_NAMES = ['Boot', 'Cod', 'Salmon', 'Koi', 'Swordfish', 'Marlin', 'Leviathan'] as const

const FISH: FishCollection = {
  user: DEMO_USER,
  fish: RARITIES.map(({ label }, index) => ({ name: FISH_NAMES[index] ?? label, rarity: label })),
}
const CRABS: CrabCollection = {
  user: DEMO_USER,
  crab: [{ name: 'crab' }, { name: 'Hermit Crab' }, { name: 'King Crab' }],
}

const FISH_RESPONSE = json(200, FISH)
const CRABS_RESPONSE = json(200, CRABS)

export const demoFish: Handler = () => FISH_RESPONSE

export const demoCrab: Handler = () => CRABS_RESPONSE
