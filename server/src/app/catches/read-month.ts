import { KINDS, type User } from '@fish-crab/sdk/contract'
import type { Month } from '../../page-data.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createLruCache } from '../core/cache.ts'
import { yieldToEvents } from '../core/schedule.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { createSlices } from '../core/slices.ts'
import { type MonthCollection, monthOf } from './month.ts'
import type { ProfilesOptions } from './read-profile.ts'

interface MonthRequest {
  readonly user: User
  readonly month: string
  /** Key of the site of the client, for its turns in the read queue. */
  readonly client: string
}

/** A month that is read on demand. */
interface VersionedMonth {
  /** Text that changes whenever the content changes. */
  readonly version: string
  /** Reads the month once for concurrent calls. */
  read(signal: AbortSignal): Promise<Month>
}

export type Months = (options: MonthRequest) => Promise<VersionedMonth>

/** Maximum number of cached months, of a few kilobytes each. */
const CACHED = 64

export function createMonths({ storage, queue, gamemodes }: Omit<ProfilesOptions, 'clock' | 'known'>): Months {
  const cache = createLruCache<string, Month>(CACHED)
  const share = createSharedWork<string, Month>()

  return async ({ user, month, client }: MonthRequest) => {
    const collections = [...gamemodes.names].flatMap((gamemode) =>
      KINDS.map((kind) => ({ owner: user.id, kind, gamemode })),
    )
    // Read the versions first, so that the content may be newer than the versions, but never older.
    const versions = await Promise.all(collections.map((collection) => storage.version(collection)))
    const version = (await sha256Hex([user.id, user.name, month, ...versions].join(' '))).slice(0, 32)

    async function readMonth(signal: AbortSignal): Promise<Month> {
      const found: MonthCollection[] = []
      for (const collection of collections) {
        found.push({ ...(await storage.collectionTallies(collection)), kind: collection.kind })
        await yieldToEvents()
        signal.throwIfAborted()
      }
      return monthOf(found, { user: user.name, month, slices: createSlices(signal) })
    }

    return {
      version,
      async read(signal) {
        const cached = cache.get(version)
        if (cached) return cached
        const read = await share(version, signal, (shared) =>
          queue.run({ client, signal: shared, work: () => readMonth(shared) }),
        )
        cache.set(version, read)
        return read
      },
    }
  }
}
