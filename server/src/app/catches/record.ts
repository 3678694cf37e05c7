import type { Kind } from '@fish-crab/sdk/contract'
import { hasRemovedEntries, parseEntries, tallyOf } from '../../storage/core/tally.ts'
import type { NewRecord, StoredEntry, StoredRecord } from '../../storage/core/types.ts'
import { fromBase64, sha256Hex, toHex } from '../core/bytes.ts'
import type { CaughtEntry } from './payload.ts'

interface RecordOptions extends Pick<NewRecord, 'id' | 'dedupeKey'> {
  /** The time of entries without a time of their own, in ISO 8601. */
  readonly caughtAt: string
  /** The time of receipt in Unix milliseconds, which replaces times that are too far ahead. @default no time is replaced */
  readonly receivedAt?: number
}

/** How far the clock of a player may be ahead. A catch from a later time would stay the latest catch for too long. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000

export function toRecord(
  entries: readonly CaughtEntry[],
  { id, dedupeKey, caughtAt, receivedAt }: RecordOptions,
): NewRecord {
  const timeOf = (time: string) =>
    receivedAt !== undefined && Date.parse(time) > receivedAt + MAX_AHEAD_MS ? new Date(receivedAt).toISOString() : time
  const stored = entries.map(
    ({ name, rarity, caughtAt: own }): StoredEntry => ({
      ...(rarity === undefined ? { name } : { name, rarity }),
      caughtAt: timeOf(own ?? caughtAt),
    }),
  )
  return { id, dedupeKey, entries: stored.map((entry) => JSON.stringify(entry)).join(','), tally: tallyOf(stored) }
}

/**
 * Returns a key of 128 bits: the time of a token and 96 bits of its SHA-256 hash, which are enough to distinguish the
 * writes of one owner. Tokens of the same time have neighboring keys, so that a database stores them in the same page.
 */
export async function dedupeKeyOf(text: string): Promise<string> {
  return secondsOf(text) + (await sha256Hex(text)).slice(0, 24)
}

/**
 * Returns the lower half of the timestamp of a token, as eight hexadecimal digits. For text that is not a token, the
 * digits are arbitrary, but always the same.
 */
function secondsOf(text: string): string {
  try {
    // These characters encode the bytes 3 to 8. The timestamp ends with byte 8 (Fernet specification, "Token Format").
    const bytes = fromBase64(text.slice(4, 12).replaceAll('-', '+').replaceAll('_', '/'))
    return toHex(bytes.subarray(2, 6)).padStart(8, '0')
  } catch {
    return '00000000'
  }
}

/** `plain`: entries without details. `full`: entries with the id of their record, their index in it, and their time. */
export type Form = 'plain' | 'full'

// No name can contain these patterns, because quotes in JSON strings are escaped.
const CAUGHT_AT = ',"caughtAt":"'
const DETAILS = /,"caughtAt":"[^"]*"/g

/** Returns the entries of a record that were not removed, as JSON objects joined by commas. */
export function formatEntries(record: Pick<StoredRecord, 'id' | 'entries'>, form: Form): string {
  const { id, entries } = record
  if (hasRemovedEntries(entries)) return formatSlots(record, form).filter(Boolean).join(',')
  if (form === 'plain') return entries.replaceAll(DETAILS, '')
  const idText = `,"id":${JSON.stringify(id)},"entry":`
  let index = -1
  return entries.replaceAll(CAUGHT_AT, () => {
    index += 1
    return idText + index + CAUGHT_AT
  })
}

/** Returns the JSON of each entry in the order in which the entries were posted, and `undefined` for removed entries. */
export function formatSlots({ id, entries }: Pick<StoredRecord, 'id' | 'entries'>, form: Form): (string | undefined)[] {
  return parseEntries(entries).map((entry, index) => {
    if (!entry) return undefined
    const { caughtAt, ...plain } = entry
    return JSON.stringify(form === 'plain' ? plain : { ...plain, id, entry: index, caughtAt })
  })
}

/** Returns the names of the entries, each of them once. */
export function speciesOf({ entries }: Pick<StoredRecord, 'entries'>): string[] {
  return [...new Set(parseEntries(entries).flatMap((entry) => (entry ? [entry.name] : [])))]
}

const LAST_YEAR = Date.UTC(10_000, 0) / 1000

/**
 * Returns the timestamp of a token in ISO 8601, or `fallback` (Unix milliseconds) if the year has more than four
 * digits.
 */
export function tokenTime(timestamp: bigint, fallback: number): string {
  const seconds = Number(timestamp)
  return new Date(seconds < LAST_YEAR ? seconds * 1000 : fallback).toISOString()
}

const NOUNS: Readonly<Record<Kind, { one: string; many: string }>> = {
  fish: { one: 'Fish', many: 'fish' },
  crab: { one: 'Crab', many: 'crabs' },
}

export function savedMessage(kind: Kind, count: number, user: string): string {
  const what = count === 1 ? NOUNS[kind].one : `${count} ${NOUNS[kind].many}`
  return `${what} saved for user ${user}`
}
