import {
  type CrabEntry,
  crabBatchPayloadSchema,
  type FishEntry,
  fishBatchPayloadSchema,
  type Kind,
  oneCrabPayloadSchema,
  oneFishPayloadSchema,
  type RarityLabel,
  rarityLabel,
} from '@fish-crab/sdk/contract'
import { validate } from '../http/validate.ts'

/** One caught fish or crab, ready to be stored. `caughtAt` is the payload's own, when it has one. */
export interface CaughtEntry {
  readonly name: string
  readonly rarity?: RarityLabel
  readonly caughtAt?: string
}

/** What a decrypted payload says. */
export interface Payload {
  readonly user: string | undefined
  readonly gamemode: string | undefined
  readonly entries: readonly CaughtEntry[]
}

/** Reads a payload of either form, or fails with `invalid_payload` and what is wrong with it. */
export const parsePayload: Readonly<Record<Kind, (value: unknown) => Payload>> = {
  fish(value) {
    if (isShortForm(value)) {
      const { user, gamemode, fish, rarity } = validate(oneFishPayloadSchema, value, 'invalid_payload')
      return { user, gamemode, entries: [{ name: fish, rarity: rarityLabel(rarity) }] }
    }
    const { user, gamemode, fish } = validate(fishBatchPayloadSchema, value, 'invalid_payload')
    return { user, gamemode, entries: fishEntries(fish) }
  },
  crab(value) {
    if (isShortForm(value)) {
      const { user, gamemode, fish } = validate(oneCrabPayloadSchema, value, 'invalid_payload')
      return { user, gamemode, entries: [{ name: fish }] }
    }
    const { user, gamemode, crab } = validate(crabBatchPayloadSchema, value, 'invalid_payload')
    return { user, gamemode, entries: crabEntries(crab) }
  },
}

/** Fish as they are written, ready to be stored. */
export function fishEntries(fish: readonly FishEntry[]): CaughtEntry[] {
  return fish.map(({ name, rarity, caughtAt }) => ({ name, rarity: rarityLabel(rarity), ...moment(caughtAt) }))
}

/** Crabs as they are written, ready to be stored. */
export function crabEntries(crabs: readonly CrabEntry[]): CaughtEntry[] {
  return crabs.map(({ name, caughtAt }) => ({ name, ...moment(caughtAt) }))
}

function isShortForm(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'fish' in value && !Array.isArray(value.fish)
}

function moment(caughtAt: string | undefined): { caughtAt?: string } {
  return caughtAt === undefined ? {} : { caughtAt: new Date(caughtAt).toISOString() }
}
