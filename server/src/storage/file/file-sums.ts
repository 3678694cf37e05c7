import type { DatabaseSync } from 'node:sqlite'
import type { Collection, NewRecord } from '../types.ts'

/** A collection by its number in the file. */
interface NumberedCollection extends Collection {
  readonly collection: number
}

interface Sum {
  readonly parts: readonly (string | number)[]
  entries: number
}

function add(sums: Map<string, Sum>, parts: readonly (string | number)[], entries: number): void {
  const key = JSON.stringify(parts)
  const sum = sums.get(key)
  if (sum) sum.entries += entries
  else sums.set(key, { parts, entries })
}

/** What the writes of one transaction change about sums, so that a row that all of them change is written once. */
export class PendingSums {
  readonly collections = new Map<string, Sum>()
  readonly totals = new Map<string, Sum>()
  readonly tallies = new Map<string, Sum>()

  /** Counts a record that was added, or with -1 one that was removed. */
  count(at: NumberedCollection, { count, labels }: Pick<NewRecord, 'count' | 'labels'>, sign: 1 | -1): void {
    const { collection, owner, kind, gamemode } = at
    add(this.collections, [collection], sign * count)
    add(this.totals, [owner, kind], sign * count)
    add(this.tallies, [kind, gamemode, ''], sign * count)
    for (const [label, carriers] of Object.entries(labels)) {
      add(this.tallies, [kind, gamemode, label], sign * carriers)
    }
  }
}

/** Prepares what writes pending sums into the file and empties them. Call it before the transaction commits. */
export function prepareFlush(db: DatabaseSync): (pending: PendingSums) => void {
  const upsert = 'ON CONFLICT DO UPDATE SET count = count + excluded.count'
  // The SQLite of Node 22.19 binds no numbered parameters.
  const addToCollection = db.prepare(
    `UPDATE collections SET count = count + given.entries, version = lower(hex(randomblob(12)))
      FROM (SELECT ? AS id, ? AS entries) AS given WHERE collection = given.id`,
  )
  const addToTotal = db.prepare(`INSERT INTO totals (owner, kind, count) VALUES (?, ?, ?) ${upsert}`)
  const addToTally = db.prepare(`INSERT INTO tallies (kind, gamemode, label, count) VALUES (?, ?, ?, ?) ${upsert}`)
  return ({ collections, totals, tallies }) => {
    const writes = [
      { sums: collections, statement: addToCollection },
      { sums: totals, statement: addToTotal },
      { sums: tallies, statement: addToTally },
    ]
    for (const { sums, statement } of writes) {
      for (const { parts, entries } of sums.values()) statement.run(...parts, entries)
      sums.clear()
    }
  }
}
