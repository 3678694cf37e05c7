import type { Gamemode, RarityLabel, RarityValue } from '@fish-crab/sdk/contract'

/** A fish in a seed. */
export interface SeedFish {
  /** 1 to 100 characters. */
  readonly name: string
  /** A number, or a label in any letter case. */
  readonly rarity: RarityValue | RarityLabel | Lowercase<RarityLabel>
  /** ISO 8601. @default {@link SEEDED_AT} */
  readonly caughtAt?: string
}

/** A crab in a seed. */
export interface SeedCrab {
  /** @default 'crab' */
  readonly name?: string
  /** ISO 8601. @default {@link SEEDED_AT} */
  readonly caughtAt?: string
}

/** A user in a seed. Omitted secrets are derived from the name, so they are the same in every run. */
export interface SeedUser {
  /** A user name of the service: 1 to 32 characters. */
  readonly name: string
  /** @default derived from the name */
  readonly password?: string
  /** 32 bytes in base64. */
  readonly fernetKey?: string
  /** @default derived from the name */
  readonly apiKey?: string
  /** Fish by gamemode, oldest first. @default none */
  readonly fish?: { readonly [Mode in Gamemode]?: readonly SeedFish[] }
  /** Crabs by gamemode, oldest first. @default none */
  readonly crab?: { readonly [Mode in Gamemode]?: readonly SeedCrab[] }
}

/** An administrator in a seed. */
export interface SeedAdmin {
  readonly username: string
  readonly password: string
  /** @default 'superadmin' */
  readonly role?: 'admin' | 'superadmin'
}

/** The initial data of a mock, which `reset()` restores. A seed is plain data, so a seed may come from a JSON file. */
export interface Seed {
  /** @default none */
  readonly users?: readonly SeedUser[]
  /** @default none */
  readonly admins?: readonly SeedAdmin[]
}

/** A seeded user with all its secrets. */
export interface SeededUser {
  readonly name: string
  readonly password: string
  /** 32 bytes in base64. */
  readonly fernetKey: string
  readonly apiKey: string
}

/**
 * The time at which seeds are applied, in unix milliseconds: 2026-01-01. The time is fixed, because ids contain the
 * time.
 */
export const SEEDED_AT: number = Date.UTC(2026, 0, 1)
