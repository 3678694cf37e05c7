import type { Kind } from '@fish-crab/sdk/contract'
import type { NewRecord } from '../../storage/types.ts'
import type { CaughtEntry } from './payload.ts'

/** What {@link toRecord} needs beyond the entries. */
interface RecordSource {
  readonly id: string
  readonly dedupeKey: string | null
  /** When the entries that say nothing of it were caught, as ISO 8601. */
  readonly caughtAt: string
}

/** The record of one write: its entries as the ready JSON of both read shapes. */
export function toRecord(entries: readonly CaughtEntry[], { id, dedupeKey, caughtAt }: RecordSource): NewRecord {
  const shapes = entries.map(({ name, rarity }) => (rarity === undefined ? { name } : { name, rarity }))
  return {
    id,
    dedupeKey,
    count: entries.length,
    labels: countRarities(entries),
    plain: shapes.map((shape) => JSON.stringify(shape)).join(','),
    full: shapes
      .map((shape, index) => JSON.stringify({ ...shape, id, caughtAt: entries[index]?.caughtAt ?? caughtAt }))
      .join(','),
  }
}

function countRarities(entries: readonly CaughtEntry[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { rarity } of entries) if (rarity !== undefined) counts[rarity] = (counts[rarity] ?? 0) + 1
  return counts
}

const LAST_YEAR = Date.UTC(10_000, 0) / 1000

/** A token's timestamp as ISO 8601; `fallback` where the token names a time that no four-digit year holds. */
export function tokenTime(timestamp: bigint, fallback: number): string {
  const seconds = Number(timestamp)
  return new Date(seconds < LAST_YEAR ? seconds * 1000 : fallback).toISOString()
}

const NOUNS: Readonly<Record<Kind, { one: string; many: string }>> = {
  fish: { one: 'Fish', many: 'fish' },
  crab: { one: 'Crab', many: 'crabs' },
}

/** What a write answers. @example savedMessage('fish', 3, 'Alex') // '3 fish saved for user Alex' */
export function savedMessage(kind: Kind, count: number, user: string): string {
  const what = count === 1 ? NOUNS[kind].one : `${count} ${NOUNS[kind].many}`
  return `${what} saved for user ${user}`
}
