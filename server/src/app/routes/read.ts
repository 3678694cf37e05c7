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
import { requireGamemode, userNameOf } from './parameters.ts'
import type { Services } from './services.ts'

const readOptions = queryReader(readOptionsSchema)

export function readHandler({ users, readCollection }: Services, kind: Kind): Handler {
  return async ({ request, query, client }) => {
    const name = userNameOf(query)
    if (!name) throw new HttpError('missing_name')
    const gamemode = requireGamemode(query.getAll('gamemode'))
    const { detail, limit, cursor } = readOptions(query)
    const user = await users.require(name)
    return readCollection(request, {
      user,
      collection: { owner: user.id, kind, gamemode },
      form: detail === 'full' ? 'full' : 'plain',
      limit,
      cursor,
      client,
    })
  }
}

const FISH_NAMES = ['Cod', 'Salmon', 'Koi', 'Swordfish', 'Boot', 'Marlin', 'Leviathan'] as const

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
