import { KINDS, type Profile, type User } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createLruCache } from '../core/cache.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import { HttpError } from '../http/http-error.ts'
import type { HandlerResponse } from '../http/response.ts'
import type { EncodedResponses } from './encoded-response.ts'
import type { Gamemodes } from './gamemodes.ts'
import { LATEST, type ProfiledCollection, profileOf } from './profile.ts'
import { formatSlots } from './record.ts'

interface ProfileRequest {
  readonly user: User
  /** @default false */
  readonly withSpecies?: boolean
  /** Key of the site of the client, for its turns in the read queue. */
  readonly client: string
  readonly signal: AbortSignal
}

/** A profile that is read on demand. */
interface VersionedProfile {
  /** Text that changes whenever the content changes. */
  readonly version: string
  read(): Promise<Profile>
}

export type Profiles = (options: ProfileRequest) => Promise<VersionedProfile>

interface ProfilesOptions {
  readonly storage: FishStorage
  readonly queue: FairQueue
  readonly gamemodes: Gamemodes
  readonly clock: () => number
}

type Place = Pick<ProfiledCollection, 'kind' | 'gamemode'> & { readonly owner: string }

/**
 * Maximum number of cached profiles, of a few kilobytes each. A profile with species may be large, so the profile
 * itself is not cached, but only its encoded response.
 */
const CACHED = 64

export function createProfiles({ storage, queue, gamemodes, clock }: ProfilesOptions): Profiles {
  const names = [...gamemodes.names]
  const cache = createLruCache<string, { readonly version: string; readonly profile: Profile }>(CACHED)

  async function readPlace(place: Place): Promise<ProfiledCollection> {
    const [{ species, days }, records] = await Promise.all([
      storage.collectionTallies(place),
      storage.latest(place, LATEST),
    ])
    if (!species) throw new HttpError('too_many_species')
    if (!days) throw new HttpError('too_many_days')
    const { kind, gamemode } = place
    const latest = records
      .flatMap((record) => {
        const entries = formatSlots(record, 'full').filter((text) => text !== undefined)
        return entries
          .slice(-LATEST)
          .reverse()
          .map((text) => {
            const { entry: _, ...entry } = JSON.parse(text)
            return { sequence: record.sequence, entry: { ...entry, kind, gamemode } }
          })
      })
      .slice(0, LATEST)
    return { kind, gamemode, species, days, latest }
  }

  return async ({ user, withSpecies = false, client, signal }) => {
    const places = names.flatMap((gamemode) => KINDS.map((kind): Place => ({ owner: user.id, kind, gamemode })))
    // Read the versions first, so that the content may be newer than the versions, but never older.
    const versions = await Promise.all(places.map((place) => storage.version(place)))
    const today = new Date(clock()).toISOString().slice(0, 10)
    // The version includes the day, because the current streak depends on the day.
    const version = (await sha256Hex([...versions, today].join(' '))).slice(0, 32)
    return {
      version,
      async read() {
        const cached = withSpecies ? undefined : cache.get(user.id)
        if (cached?.version === version) return cached.profile
        const collections = await queue.run({ client, signal, work: () => Promise.all(places.map(readPlace)) })
        const profile = profileOf(collections, { user: user.name, gamemodes: names, today, withSpecies })
        if (!withSpecies) cache.set(user.id, { version, profile })
        return profile
      },
    }
  }
}

export function createProfileReader(profiles: Profiles, responses: EncodedResponses) {
  return async (request: Request, options: Omit<ProfileRequest, 'signal'>): Promise<HandlerResponse> => {
    const { user, withSpecies = false, client } = options
    const { version, read } = await profiles({ ...options, signal: request.signal })
    const name = `profile ${user.id} ${withSpecies}`
    const etag = `W/"${user.id}.${version}${withSpecies ? '.species' : ''}"`
    const response = responses(request, { etag, version, name, client })
    const known = response.unchanged() ?? response.cached()
    if (known) return known
    return response.whole(new TextEncoder().encode(JSON.stringify(await read())), true)
  }
}
