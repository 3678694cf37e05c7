import type { Crab, Fish } from '@fish-crab/sdk'
import { type Gamemode, RARITIES, type RarityLabel } from '@fish-crab/sdk/constants'

/** What one player has caught, in the form of the service's own counts. */
export interface CollectionCounts {
  readonly fish: {
    readonly total: number
    readonly byGamemode: Readonly<Partial<Record<Gamemode, number>>>
    readonly byRarity: Readonly<Partial<Record<RarityLabel, number>>>
  }
  readonly crab: {
    readonly total: number
    readonly byGamemode: Readonly<Partial<Record<Gamemode, number>>>
  }
}

/** Reads the collections of one player. */
export interface CollectionReader {
  readonly fish: (gamemode: Gamemode, signal: AbortSignal) => Promise<readonly Pick<Fish, 'rarity'>[]>
  readonly crab: (gamemode: Gamemode, signal: AbortSignal) => Promise<readonly Crab[]>
}

/** Counts what a player has caught in these gamemodes. @throws the first failure of the reader; it ends all reading */
export async function countCollections(
  read: CollectionReader,
  gamemodes: readonly Gamemode[],
  interrupted: AbortSignal,
): Promise<CollectionCounts> {
  const ending = new AbortController()
  const signal = AbortSignal.any([interrupted, ending.signal])
  const reading = gamemodes.map(async (gamemode) => {
    const [fish, crab] = await Promise.all([read.fish(gamemode, signal), read.crab(gamemode, signal)])
    return { gamemode, fish, crab }
  })
  // Others may wait for the rate limit, and would keep the program from ending.
  const collections = await Promise.all(reading).finally(() => ending.abort())
  const fish = collections.flatMap((each) => each.fish)
  const crab = collections.flatMap((each) => each.crab)
  const byGamemode = (kind: 'fish' | 'crab') =>
    Object.fromEntries(collections.map((each) => [each.gamemode, each[kind].length]))
  const byRarity = RARITIES.map(({ label }) => [label, fish.filter(({ rarity }) => rarity === label).length])
  return {
    fish: { total: fish.length, byGamemode: byGamemode('fish'), byRarity: Object.fromEntries(byRarity) },
    crab: { total: crab.length, byGamemode: byGamemode('crab') },
  }
}
