import { TallySum } from '../core/tally.ts'
import { type Collection, type FoundTimes, REMOVED_VERSION, type RecordTally } from '../core/types.ts'
import type { DatabaseSync } from './sqlite.ts'

const DAY_MS = 86_400_000

/** Number of days from 1970-01-01 to a day such as `2026-01-31`. */
function numberOfDay(day: string): number {
  return Date.parse(day) / DAY_MS
}

/** The day that is this number of days after 1970-01-01, such as `2026-01-31`. */
export function dayOf(number: number): string {
  return new Date(number * DAY_MS).toISOString().replace(/T.*/, '')
}

export interface NumberedCollection extends Collection {
  readonly collection: number
}

interface Count {
  readonly parts: readonly (string | number)[]
  entries: number
}

function add(counts: Map<string, Count>, parts: readonly (string | number)[], entries: number): void {
  const key = JSON.stringify(parts)
  const count = counts.get(key)
  if (count) count.entries += entries
  else counts.set(key, { parts, entries })
}

const UPSERT = 'ON CONFLICT DO UPDATE SET count = count + excluded.count'

/**
 * Prepares the changes of tallies in a transaction. Counts of added entries are collected, so that `flush` writes each row
 * once. Call `flush` before the transaction commits.
 */
export function prepareTallyWrites(db: DatabaseSync) {
  const counts = {
    collections: new Map<string, Count>(),
    owners: new Map<string, Count>(),
    tallies: new Map<string, Count>(),
  }
  /** Added entries by the number of their collection. */
  const added = new Map<number, TallySum>()
  // The SQLite of Node 22.19 cannot bind numbered parameters such as `?1`.
  const addToCollection = db.prepare(
    `UPDATE collections SET count = count + given.entries,
        version = iif(version = '${REMOVED_VERSION}', version, lower(hex(randomblob(12))))
      FROM (SELECT ? AS id, ? AS entries) AS given WHERE collection = given.id`,
  )
  const addToOwner = db.prepare(`INSERT INTO totals (owner, kind, count) VALUES (?, ?, ?) ${UPSERT}`)
  const addToTally = db.prepare(`INSERT INTO tallies (kind, gamemode, label, count) VALUES (?, ?, ?, ?) ${UPSERT}`)
  const addToSpecies = db.prepare(
    `INSERT INTO species (collection, name, label, count, first, last) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count,
        first = min(ifnull(first, excluded.first), excluded.first), last = max(ifnull(last, excluded.last), excluded.last)`,
  )
  const addToDay = db.prepare(`INSERT INTO days (collection, day, label, count) VALUES (?, ?, ?, ?) ${UPSERT}`)
  // Without a mark, the removal of other entries than the first and the last leaves the times known.
  const isUnknown = '(mark IS NOT NULL OR first >= earliest OR last <= latest)'
  const removeFromSpecies = db.prepare(
    `UPDATE species SET count = count - removed, first = iif(${isUnknown}, NULL, first),
        last = iif(${isUnknown}, NULL, last), mark = iif(${isUnknown}, lower(hex(randomblob(8))), mark)
      FROM (SELECT ? AS removed, ? AS earliest, ? AS latest) WHERE collection = ? AND name = ? AND label = ?
      RETURNING count`,
  )
  const dropSpecies = db.prepare('DELETE FROM species WHERE collection = ? AND name = ? AND label = ?')
  const removeFromDay = db.prepare(
    'UPDATE days SET count = count - ? WHERE collection = ? AND day = ? AND label = ? RETURNING count',
  )
  const dropDay = db.prepare('DELETE FROM days WHERE collection = ? AND day = ? AND label = ?')
  const setTimes = db.prepare(
    `UPDATE species SET first = min(ifnull(first, earliest), earliest),
        last = max(ifnull(last, latest), latest), mark = NULL
      FROM (SELECT ? AS earliest, ? AS latest) WHERE collection = ? AND name = ? AND label = ? AND mark = ?`,
  )

  /** Adds entries to all counts except those by species and day, or subtracts the entries if `sign` is -1. */
  function count(at: NumberedCollection, { count, labels }: Pick<RecordTally, 'count' | 'labels'>, sign: 1 | -1): void {
    const { collection, owner, kind, gamemode } = at
    add(counts.collections, [collection], sign * count)
    add(counts.owners, [owner, kind], sign * count)
    add(counts.tallies, [kind, gamemode, ''], sign * count)
    for (const [label, labelled] of Object.entries(labels)) {
      add(counts.tallies, [kind, gamemode, label], sign * labelled)
    }
  }

  function addRows(collection: number): void {
    const sum = added.get(collection)
    if (!sum) return
    added.delete(collection)
    const { species, days } = sum.rows()
    for (const { name, label, count, first, last } of species)
      addToSpecies.run(collection, name, label ?? '', count, first, last)
    for (const { day, label, count } of days) addToDay.run(collection, numberOfDay(day), label ?? '', count)
  }

  return {
    count,
    add(at: NumberedCollection, tally: RecordTally): void {
      count(at, tally, 1)
      added.set(at.collection, (added.get(at.collection) ?? new TallySum()).add(tally))
    },
    subtract(at: NumberedCollection, tally: RecordTally): void {
      const { collection } = at
      count(at, tally, -1)
      for (const { name, label, count, first, last } of tally.species) {
        const row = removeFromSpecies.get(count, first, last, collection, name, label ?? '')
        if (row && Number(row.count) <= 0) dropSpecies.run(collection, name, label ?? '')
      }
      for (const { day, label, count } of tally.days) {
        const row = removeFromDay.get(count, collection, numberOfDay(day), label ?? '')
        if (row && Number(row.count) <= 0) dropDay.run(collection, numberOfDay(day), label ?? '')
      }
    },
    setTimes(collection: number, times: readonly FoundTimes[]): void {
      for (const { name, label, mark, first, last } of times) {
        setTimes.run(first, last, collection, name, label ?? '', mark)
      }
    },
    /** Discards the species and days that were added to a collection in this transaction. */
    discard: (collection: number) => void added.delete(collection),
    flush(): void {
      for (const { parts, entries } of counts.collections.values()) addToCollection.run(...parts, entries)
      for (const { parts, entries } of counts.owners.values()) addToOwner.run(...parts, entries)
      for (const { parts, entries } of counts.tallies.values()) addToTally.run(...parts, entries)
      for (const collection of [...added.keys()]) addRows(collection)
      for (const pending of Object.values(counts)) pending.clear()
    },
    clear(): void {
      for (const pending of [...Object.values(counts), added]) pending.clear()
    },
  }
}

export type TallyWrites = ReturnType<typeof prepareTallyWrites>
