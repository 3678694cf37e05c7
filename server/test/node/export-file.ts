import { writeFileSync } from 'node:fs'
import { itemKey } from '@fish-crab/server/storage'

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
