import { KINDS, type Profile, type User } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import { HttpError } from '../http/http-error.ts'
import type { HandlerResponse } from '../http/response.ts'
import type { EncodedResponses } from './encoded-response.ts'
import type { Gamemodes } from './gamemodes.ts'
import { LATEST, type ProfiledCollection, profileOf } from './profile.ts'
import { withDetails } from './record.ts'

interface ProfileRequest {
  readonly user: User
  readonly withSpecies: boolean
  /** Key of the client, for its turns. */
  readonly client: string
}

export type ProfileReader = (request: Request, options: ProfileRequest) => Promise<HandlerResponse>

interface ProfileReaderOptions {
  readonly storage: FishStorage
  readonly responses: EncodedResponses
  readonly queue: FairQueue
  readonly gamemodes: Gamemodes
  readonly clock: () => number
}

type Place = Pick<ProfiledCollection, 'kind' | 'gamemode'> & { readonly owner: string }

export function createProfileReader({
  storage,
  responses,
  queue,
  gamemodes,
  clock,
}: ProfileReaderOptions): ProfileReader {
  const names = [...gamemodes.names]

  async function read(place: Place): Promise<ProfiledCollection> {
    const [{ species, days }, records] = await Promise.all([
      storage.collectionTallies(place),
      storage.latest(place, LATEST),
    ])
    if (!species) throw new HttpError('too_many_species')
    if (!days) throw new HttpError('too_many_days')
    const { kind, gamemode } = place
    const latest = records
      .flatMap((record) => (JSON.parse(`[${withDetails(record)}]`) as Profile['latest']).reverse())
      .slice(0, LATEST)
      .map((entry) => ({ ...entry, kind, gamemode }))
    return { kind, gamemode, species, days, latest }
  }

  return async (request, { user, withSpecies, client }) => {
    const { signal } = request
    const places = names.flatMap((gamemode) => KINDS.map((kind): Place => ({ owner: user.id, kind, gamemode })))
    // Read before the content, which may be newer than these versions, never older.
    const versions = await Promise.all(places.map((place) => storage.version(place)))
    const today = new Date(clock()).toISOString().slice(0, 10)
    // The current streak depends on the day.
    const version = (await sha256Hex([...versions, today].join(' '))).slice(0, 32)
    const name = `profile ${user.id} ${withSpecies}`
    const etag = `W/"${user.id}.${version}${withSpecies ? '.species' : ''}"`
    const response = responses(request, { etag, version, name, client })
    const known = response.unchanged() ?? response.cached()
    if (known) return known
    const collections = await queue.run({ client, signal, work: () => Promise.all(places.map(read)) })
    const profile = profileOf(collections, { user: user.name, gamemodes: names, today, withSpecies })
    return response.whole(new TextEncoder().encode(JSON.stringify(profile)), true)
  }
}
