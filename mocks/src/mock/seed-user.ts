import type { Gamemode } from '@fish-crab/sdk/contract'
import type { SeedCrab, SeedFish, SeedUser } from './seed.ts'

/** A user of a seed that can be added to. It is plain data: the methods are not part of it. */
export interface SeedUserBuilder extends SeedUser {
  /** The same user with more fish. The first one stays as it is. */
  withFish(gamemode: Gamemode, ...fish: readonly SeedFish[]): SeedUserBuilder
  /** The same user with more crabs. */
  withCrabs(gamemode: Gamemode, ...crabs: readonly SeedCrab[]): SeedUserBuilder
}

/**
 * Builds a user of a seed.
 * @example
 * const seed = { users: [seedUser('Alex').withFish('earth', { name: 'Salmon', rarity: 'gold' }).withCrabs('earth', {})] }
 */
export function seedUser(name: string, rest: Omit<SeedUser, 'name'> = {}): SeedUserBuilder {
  const add = <Entry>(kind: 'fish' | 'crab', gamemode: Gamemode, entries: readonly Entry[]) =>
    seedUser(name, { ...rest, [kind]: { ...rest[kind], [gamemode]: [...(rest[kind]?.[gamemode] ?? []), ...entries] } })
  const withFish: SeedUserBuilder['withFish'] = (gamemode, ...fish) => add('fish', gamemode, fish)
  const withCrabs: SeedUserBuilder['withCrabs'] = (gamemode, ...crabs) => add('crab', gamemode, crabs)
  // Not enumerable: a seed can be compared, printed and written as JSON.
  return Object.defineProperties({ name, ...rest } as SeedUserBuilder, {
    withFish: { value: withFish },
    withCrabs: { value: withCrabs },
  })
}
