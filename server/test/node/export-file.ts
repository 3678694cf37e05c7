import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { itemKey, type NewRecord } from '@fish-crab/server/storage'
import type { CaughtEntry } from '../../src/app/catches/payload.ts'
import { toRecord } from '../../src/app/catches/record.ts'

/** Writes an export of many items by hand, large enough that an import of it takes a while. */
export function writeExport(file: string, items: number, more: readonly object[] = []): void {
  const lines = [
    { format: 'fish-crab-export', version: 1, exportedAt: new Date(0).toISOString(), schema: 2 },
    ...more,
    ...Array.from({ length: items }, (_, at) => ({ item: itemKey('audit', `entry-${at}`), value: 'x'.repeat(200) })),
    { end: { items: items + more.length, records: 0, tokens: 0, removedOwners: 0 } },
  ]
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
}

/** What {@link caughtRecord} is made of. */
interface Caught {
  readonly id?: string
  readonly dedupeKey?: string | null
  readonly entries?: readonly CaughtEntry[]
}

/** A record as a write to the service makes it, of one fish unless said otherwise. */
export function caughtRecord({
  id = randomUUID(),
  dedupeKey = id,
  entries = [{ name: 'Cod', rarity: 'Bronze' }],
}: Caught = {}): NewRecord {
  return toRecord(entries, { id, dedupeKey, caughtAt: new Date(0).toISOString() })
}
