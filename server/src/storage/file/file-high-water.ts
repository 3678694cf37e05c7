import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** Name of the mark in a data folder. */
export const MARK_FILE = 'fish.mark'

/** How much was written into a store. */
export interface HighWater {
  /** Which store: only its own mark says something about it. */
  readonly lineage: string
  /** Writes since it was made. */
  readonly writes: number
}

/** The first version of the schema that counts writes. */
const COUNTED_FROM = 3

/** How much was written into an open store; `undefined` when its schema does not say. */
export function readHighWater(db: DatabaseSync): HighWater | undefined {
  if (Number(db.prepare('PRAGMA user_version').get()?.user_version) < COUNTED_FROM) return undefined
  const row = db.prepare('SELECT lineage, writes FROM high_water').get()
  return row && { lineage: String(row.lineage), writes: Number(row.writes) }
}

/** Lets a copy of a store be a store of its own. */
export function renewLineage(db: DatabaseSync): void {
  if (readHighWater(db)) db.exec('UPDATE high_water SET lineage = lower(hex(randomblob(12)))')
}

/** The mark in a data folder. One that is torn or not readable says nothing. */
export function readMark(folder: string): HighWater | undefined {
  try {
    const { lineage, writes } = JSON.parse(readFileSync(join(folder, MARK_FILE), 'utf8'))
    return typeof lineage === 'string' && Number.isSafeInteger(writes) ? { lineage, writes } : undefined
  } catch {
    return undefined
  }
}
