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
import { validate } from '../http/request.ts'

const RAW_TOKEN = 0x80

/** A body as the text of a token. Raw tokens begin with 0x80, which no text does; a trailing newline is accepted. */
export function tokenText(body: Uint8Array): string {
  if (body[0] !== RAW_TOKEN) return new TextDecoder('latin1').decode(body).replace(/\r?\n$/, '')
  let binary = ''
  for (const byte of body) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_')
}

/** Decrypts a token. @returns `undefined` when it is not a token of this key */
export async function decryptToken(fernet: Fernet, text: string): Promise<DecryptedToken | undefined> {
  try {
    return await fernet.decrypt(text)
  } catch (error) {
    if (error instanceof FernetError) return undefined
    throw error
  }
}

/** One caught fish or crab, ready to be stored. `caughtAt` is the payload's own, when it has one. */
export interface CaughtEntry {
  readonly name: string
  readonly rarity?: RarityLabel
  readonly caughtAt?: string
}

/** What a decrypted payload says. */
interface Payload {
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
