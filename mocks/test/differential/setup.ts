import type { MockOptions } from '@fish-crab/mocks'
import { MEDIA_TYPES } from '@fish-crab/sdk/contract'

/** The initial time of the mocks, in unix milliseconds. */
export const STARTS_AT = Date.UTC(2026, 2, 1, 12)

/** A seeded user of every mock, with fixed secrets for the requests. */
export interface KnownUser {
  readonly name: string
  readonly password: string
  readonly fernetKey: string
  readonly apiKey: string
}

const known = (name: string, filler: number): KnownUser => ({
  name,
  password: `password of ${name}`,
  fernetKey: Buffer.alloc(32, filler).toString('base64'),
  apiKey: `key-of-${name.toLowerCase().replace(/\W/g, '')}-${'k'.repeat(24)}`,
})

export const ALEX = known('Alex', 1)
export const BEA = known('Bea', 2)
export const STAR = known('*Star.-_', 3)
export const USERS: readonly KnownUser[] = [ALEX, BEA, STAR]

export const ROOT = { username: 'root', password: 'password of root' }
export const CLERK = { username: 'clerk', password: 'password of clerk', role: 'admin' } as const
export const MASTER_KEY = `master-${'m'.repeat(32)}`
export const PAGE_ORIGIN = 'https://pages.example'
export const TOKEN_TTL_SECONDS = 3600

const manyFish = (count: number, nameLength = 0) =>
  Array.from({ length: count }, (_, index) => ({
    name: `Fish number ${index}`.padEnd(nameLength, '.'),
    rarity: ([1, 2, 3, 4, 5, 6, 7] as const)[index % 7] ?? 1,
  }))

/** Enough fish for a response that the service compresses. */
const MANY_FISH = manyFish(120)
/** Enough fish for a response that the service streams. */
const VERY_MANY_FISH = manyFish(2500, 100)

/** Returns the options of the mocks for a seed. Tokens expire only if the seed is odd. */
export function optionsOf(seed: number) {
  return {
    seed: {
      users: [
        { ...ALEX, fish: { earth: MANY_FISH }, crab: { earth: [{}, { name: 'Blue crab' }] } },
        BEA,
        { ...STAR, fish: { earth: VERY_MANY_FISH } },
      ],
      admins: [ROOT, CLERK],
    },
    startAt: STARTS_AT,
    keys: { master: MASTER_KEY },
    allowedOrigins: [PAGE_ORIGIN],
    // Trust one proxy, so that requests through every transport can come from many client addresses.
    trustProxy: 1,
    limits: seed % 2 === 0 ? {} : { tokenTtlSeconds: TOKEN_TTL_SECONDS },
  } satisfies MockOptions
}

export const JSON_TYPE: readonly [string, string] = ['content-type', MEDIA_TYPES.json]
