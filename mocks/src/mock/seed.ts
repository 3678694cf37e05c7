import type { Gamemode, RarityLabel, RarityValue } from '@fish-crab/sdk/contract'

/** A fish that a collection starts with. */
export interface SeedFish {
  readonly name: string
  /** As a number, or as a label in any letter case. */
  readonly rarity: RarityValue | RarityLabel | Lowercase<RarityLabel>
  /** When it was caught, as ISO 8601. @default when the seed was planted, {@link SEEDED_AT} */
  readonly caughtAt?: string
}

/** A crab that a collection starts with. */
export interface SeedCrab {
  /** @default 'crab' */
  readonly name?: string
  /** When it was caught, as ISO 8601. @default when the seed was planted, {@link SEEDED_AT} */
  readonly caughtAt?: string
}

/** A user that a world starts with. Every secret that is not given follows from the name: it is always the same. */
export interface SeedUser {
  readonly name: string
  readonly password?: string
  /** 32 bytes in base64. */
  readonly fernetKey?: string
  readonly apiKey?: string
  /** Fish by gamemode, oldest first. @default none */
  readonly fish?: { readonly [Mode in Gamemode]?: readonly SeedFish[] }
  /** Crabs by gamemode, oldest first. @default none */
  readonly crab?: { readonly [Mode in Gamemode]?: readonly SeedCrab[] }
}

/** An administrator that a world starts with. */
export interface SeedAdmin {
  readonly username: string
  readonly password: string
  /** @default 'superadmin' */
  readonly role?: 'admin' | 'superadmin'
}

/** What a world starts with, and what `reset()` returns to. Plain data: it may come from a JSON file. */
export interface Seed {
  readonly users?: readonly SeedUser[]
  readonly admins?: readonly SeedAdmin[]
}

/** A seeded user with all its secrets. */
export interface SeededUser {
  readonly name: string
  readonly password: string
  readonly fernetKey: string
  readonly apiKey: string
}

/** When every seed is planted, in unix milliseconds: 2026-01-01. Fixed, so that ids that hold the time stay the same. */
export const SEEDED_AT: number = Date.UTC(2026, 0, 1)
