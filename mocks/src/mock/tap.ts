import type { FishStorage } from '@fish-crab/server/app'
import { seededRandom } from './random.ts'

type Collection = Parameters<FishStorage['append']>[0]

/** A write that was stored, just as the storage was told. */
interface StoredWrite {
  readonly collection: Collection
  readonly record: Parameters<FishStorage['append']>[1]
}

/** A storage that is listened to. */
export interface Tap {
  readonly storage: FishStorage
  /** Every write that was stored, in order. Replays are not. */
  readonly stored: StoredWrite[]
}

/**
 * Listens to what a storage stores. The versions of its collections follow from what was done to them, so that a
 * world answers with the same entity tags in every run, and never with one tag for two contents.
 */
export function tapStorage(storage: FishStorage): Tap {
  const stored: StoredWrite[] = []
  const versions = new Map<string, string>()
  const versionOf = ({ owner, kind, gamemode }: Collection) => versions.get(`${owner} ${kind} ${gamemode}`) ?? '0'

  function change(collection: Collection, what: string): void {
    const { owner, kind, gamemode } = collection
    versions.set(`${owner} ${kind} ${gamemode}`, digest(`${versionOf(collection)} ${what}`))
  }

  return {
    stored,
    storage: {
      ...storage,

      async append(collection, record) {
        const result = await storage.append(collection, record)
        if (result.outcome !== 'stored') return result
        stored.push({ collection, record })
        change(collection, `${record.id} ${record.full}`)
        return result
      },

      async removeRecord(collection, id) {
        const removed = await storage.removeRecord(collection, id)
        if (removed) change(collection, `without ${id}`)
        return removed
      },

      async version(collection) {
        // For its failures: a storage that is down knows no version.
        await storage.version(collection)
        return `${collection.owner}.${versionOf(collection)}`
      },
    },
  }
}

/** 96 bits that a text decides. */
function digest(text: string): string {
  return Array.from(seededRandom(text)(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
