import type { Kind } from '@fish-crab/sdk/contract'
import type { NewRecord, StoredRecord } from '../../storage/core/types.ts'
import { sha256Hex } from '../core/bytes.ts'
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
  const shapes = entries.map(({ name, rarity }) => (rarity === undefined ? { name } : { name, rarity }))
  return {
    id,
    dedupeKey,
    count: entries.length,
    labels: countRarities(entries),
    entries: shapes
      .map((shape, index) => JSON.stringify({ ...shape, caughtAt: timeOf(entries[index]?.caughtAt ?? caughtAt) }))
      .join(','),
  }
}

/** Returns half of a SHA-256 hash: 128 bits are enough to distinguish the writes of one owner. */
export async function dedupeKeyOf(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 32)
}

// No name can contain these patterns, because quotes in JSON strings are escaped.
const CAUGHT_AT = ',"caughtAt":"'
const DETAILS = /,"caughtAt":"[^"]*"/g

/**
 * Returns stored entries with all details. The id of each entry is the id of its record, which is stored once per
 * record.
 */
export function withDetails({ id, entries }: Pick<StoredRecord, 'id' | 'entries'>): string {
  const details = `,"id":${JSON.stringify(id)}${CAUGHT_AT}`
  return entries.replaceAll(CAUGHT_AT, () => details)
}

/** Returns stored entries without details, which is the default form of reads. */
export function withoutDetails({ entries }: Pick<StoredRecord, 'entries'>): string {
  return entries.replaceAll(DETAILS, '')
}

/** Returns the names of the entries, each of them once. */
export function speciesOf({ entries }: Pick<StoredRecord, 'entries'>): string[] {
  const parsed = JSON.parse(`[${entries}]`) as CaughtEntry[]
  return [...new Set(parsed.map(({ name }) => name))]
}

function countRarities(entries: readonly CaughtEntry[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { rarity } of entries) if (rarity !== undefined) counts[rarity] = (counts[rarity] ?? 0) + 1
  return counts
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
