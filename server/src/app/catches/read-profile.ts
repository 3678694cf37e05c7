import { KINDS, type Profile, type User } from '@fish-crab/sdk/contract'
import type { Collection, FishStorage } from '../../storage/core/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createLruCache } from '../core/cache.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import { yieldToEvents } from '../core/schedule.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { createSlices, encodeJson } from '../core/slices.ts'
import type { HandlerResponse } from '../http/response.ts'
import type { EncodedResponses } from './encoded-response.ts'
import type { Gamemodes } from './gamemodes.ts'
import { LATEST, type ProfiledCollection, profileOf } from './profile.ts'
import type { KnownSpeciesReader } from './read-species.ts'
import { formatSlots } from './record.ts'

interface ProfileRequest {
  readonly user: User
  /** @default false */
  readonly withSpecies?: boolean
  /** Key of the site of the client, for its turns in the read queue. */
  readonly client: string
}

/** A profile that is read on demand. */
interface VersionedProfile {
  /** Text that changes whenever the content changes. */
  readonly version: string
  /** Reads the profile once for concurrent calls. */
  read(signal: AbortSignal): Promise<Profile>
}

export type Profiles = (options: ProfileRequest) => Promise<VersionedProfile>

export interface ProfilesOptions {
  readonly storage: FishStorage
  readonly queue: FairQueue
  readonly gamemodes: Gamemodes
  readonly clock: () => number
  readonly known: Pick<KnownSpeciesReader, 'keys'>
}

/**
 * Maximum number of cached profiles, of a few kilobytes each. A profile with species may be large, so the profile
 * itself is not cached, but only its encoded response.
 */
const CACHED = 64

export function createProfiles({ storage, queue, gamemodes, clock, known }: ProfilesOptions): Profiles {
  const names = [...gamemodes.names]
  const cache = createLruCache<string, { readonly version: string; readonly profile: Profile }>(CACHED)
  const share = createSharedWork<string, Profile>()

  return async ({ user, withSpecies = false, client }) => {
    const { id: owner } = user
    const collections = names.map((gamemode) => KINDS.map((kind) => ({ owner, kind, gamemode })))
    // Read the versions first, so that the content may be newer than the versions, but never older.
    const versions = await Promise.all(collections.flat().map((collection) => storage.version(collection)))
    const knownSpecies = await known.keys()
    const today = new Date(clock()).toISOString().slice(0, 10)
    // The version includes the name, which a rename changes, and the day, because the current streak depends on the day.
    const state = [user.name, ...versions, today, knownSpecies?.version]
    const version = (await sha256Hex(state.join(' '))).slice(0, 32)

    async function readProfile(signal: AbortSignal): Promise<Profile> {
      const slices = createSlices(signal)
      const found: ProfiledCollection[] = []
      // Collections are read a few at a time, because all reads at once would be one long step.
      for (const some of collections) {
        found.push(...(await Promise.all(some.map((collection) => readCollection(storage, collection)))))
        await yieldToEvents()
        signal.throwIfAborted()
      }
      return profileOf(found, {
        user: user.name,
        gamemodes: names,
        today,
        withSpecies,
        known: knownSpecies?.keys,
        slices,
      })
    }

    return {
      version,
      async read(signal) {
        const cached = withSpecies ? undefined : cache.get(owner)
        if (cached?.version === version) return cached.profile
        const profile = await share(`${owner} ${version} ${withSpecies}`, signal, (shared) =>
          queue.run({ client, signal: shared, work: () => readProfile(shared) }),
        )
        if (!withSpecies) cache.set(owner, { version, profile })
        return profile
      },
    }
  }
}

async function readCollection(
  storage: FishStorage,
  collection: Collection & Pick<ProfiledCollection, 'kind' | 'gamemode'>,
): Promise<ProfiledCollection> {
  const { kind, gamemode } = collection
  const [tallies, [newest]] = await Promise.all([storage.collectionTallies(collection), storage.latest(collection, 1)])
  // Five records may have a megabyte of text, so only one record is read if it has enough entries.
  const records = newest && newest.count >= LATEST ? [newest] : await storage.latest(collection, LATEST)
  const latest: ProfiledCollection['latest'][number][] = []
  for (const record of records) {
    if (latest.length >= LATEST) break
    const entries = formatSlots(record, 'full').filter((text) => text !== undefined)
    for (const text of entries.slice(latest.length - LATEST).reverse()) {
      const { entry: _, ...entry } = JSON.parse(text)
      latest.push({ sequence: record.sequence, entry: { ...entry, kind, gamemode } })
    }
  }
  return { kind, gamemode, ...tallies, latest }
}

export function createProfileReader(profiles: Profiles, responses: EncodedResponses) {
  return async (request: Request, options: ProfileRequest): Promise<HandlerResponse> => {
    const { user, withSpecies = false, client } = options
    const { version, read } = await profiles(options)
    const name = `profile ${user.id} ${withSpecies}`
    const etag = `W/"${user.id}.${version}${withSpecies ? '.species' : ''}"`
    const response = responses(request, { etag, version, name, client })
    return (
      response.unchanged() ?? response.cached() ?? response.shared(async (signal) => encodeJson(await read(signal)))
    )
  }
}
