import type { Gamemode, Kind, RarityLabel } from '@fish-crab/sdk/contract'
import type { Service } from '../mock/service.ts'
import type { StoredCrab, StoredFish } from './entry.ts'

/** What clients stored, typed, in the order in which it was stored. What they only tried to is in the journal. */
export interface Sent {
  fish(): StoredFish[]
  crabs(): StoredCrab[]
}

interface FullEntry {
  readonly name: string
  readonly rarity: RarityLabel
  readonly id: string
  readonly caughtAt: string
}

/** @param current the service of now: a reset replaces it */
export function createSent(current: () => Pick<Service, 'stored' | 'nameOf'>): Sent {
  function entries(kind: Kind): (FullEntry & { user: string; gamemode: Gamemode })[] {
    const { stored, nameOf } = current()
    return stored
      .filter(({ collection, record }) => collection.kind === kind && record.dedupeKey !== null)
      .flatMap(({ collection, record }) =>
        (JSON.parse(`[${record.full}]`) as FullEntry[]).map((entry) => ({
          user: nameOf(collection.owner),
          gamemode: collection.gamemode as Gamemode,
          ...entry,
        })),
      )
  }
  return { fish: () => entries('fish'), crabs: () => entries('crab') }
}
