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
import { type DecryptedToken, type Fernet, FernetError } from '@fish-crab/sdk/fernet'
import { toBase64Url } from '../core/bytes.ts'
import { validate } from '../http/request.ts'

const RAW_TOKEN = 0x80
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Returns the token in a body as text. A body that begins with 0x80 is a token in binary form, because no text begins
 * with this byte. A trailing newline is ignored.
 */
export function tokenText(body: Uint8Array): string {
  return body[0] === RAW_TOKEN ? toBase64Url(body) : decoder.decode(body).replace(/\r?\n$/, '')
}

/** @returns `undefined` for an invalid token or a token that was encrypted with another key */
export async function decryptToken(fernet: Fernet, text: string): Promise<DecryptedToken | undefined> {
  try {
    return await fernet.decrypt(text)
  } catch (error) {
    if (error instanceof FernetError) return undefined
    throw error
  }
}

export interface CaughtEntry {
  readonly name: string
  readonly rarity?: RarityLabel
  /** ISO 8601. @default the time of the token */
  readonly caughtAt?: string
}

interface Payload {
  readonly user: string | undefined
  readonly gamemode: string | undefined
  readonly entries: readonly CaughtEntry[]
}

/**
 * Parses a payload in the short form (one catch) or the batch form. Throws `invalid_payload` with a list of all
 * mistakes.
 */
export const parsePayload: Readonly<Record<Kind, (value: unknown) => Payload>> = {
  fish(value) {
    if (isShortFormat(value)) {
      const { user, gamemode, fish, rarity } = validate(oneFishPayloadSchema, value, 'invalid_payload')
      return { user, gamemode, entries: [{ name: fish, rarity: rarityLabel(rarity) }] }
    }
    const { user, gamemode, fish } = validate(fishBatchPayloadSchema, value, 'invalid_payload')
    return { user, gamemode, entries: fishEntries(fish) }
  },
  crab(value) {
    if (isShortFormat(value)) {
      const { user, gamemode, fish } = validate(oneCrabPayloadSchema, value, 'invalid_payload')
      return { user, gamemode, entries: [{ name: fish }] }
    }
    const { user, gamemode, crab } = validate(crabBatchPayloadSchema, value, 'invalid_payload')
    return { user, gamemode, entries: crabEntries(crab) }
  },
}

export function fishEntries(fish: readonly FishEntry[]): CaughtEntry[] {
  return fish.map(({ name, rarity, caughtAt }) => ({ name, rarity: rarityLabel(rarity), ...time(caughtAt) }))
}

export function crabEntries(crabs: readonly CrabEntry[]): CaughtEntry[] {
  return crabs.map(({ name, caughtAt }) => ({ name, ...time(caughtAt) }))
}

function isShortFormat(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'fish' in value && !Array.isArray(value.fish)
}

function time(caughtAt: string | undefined): { caughtAt?: string } {
  return caughtAt === undefined ? {} : { caughtAt: new Date(caughtAt).toISOString() }
}
