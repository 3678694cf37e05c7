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

/** The rows of the table `species_and_days`. The column of names would store a number that is not a bigint as a double. */
function rowsOf({ species, days }: Pick<RecordTally, 'species' | 'days'>) {
  return [
    ...species.map(({ name, label, ...rest }) => ({ ...rest, name, label: label ?? '' })),
    ...days.map(({ day, label, count }) => ({
      name: BigInt(numberOfDay(day)),
      label: label ?? '',
      count,
      first: null,
      last: null,
    })),
  ]
}

export interface NumberedCollection extends Collection {
  readonly collection: number
}

interface Count {
  readonly key: readonly string[]
  entries: number
}

function add(counts: Map<string, Count>, key: readonly string[], entries: number): void {
  const text = JSON.stringify(key)
  const count = counts.get(text)
  if (count) count.entries += entries
  else counts.set(text, { key, entries })
}

const UPSERT = 'ON CONFLICT DO UPDATE SET count = count + excluded.count'

/**
 * Prepares the changes of tallies in a transaction. Counts of added entries are collected, so that `flush` writes each row
 * once. Call `flush` before the transaction commits.
 */
export function prepareTallyWrites(db: DatabaseSync) {
  const tallies = new Map<string, Count>()
  /** Added or removed entries by the number of their collection. */
  const changes = new Map<number, number>()
  /** Added entries by the number of their collection. */
  const added = new Map<number, TallySum>()
  // The SQLite of Node 22.19 cannot bind numbered parameters such as `?1`.
  const addToCollection = db.prepare(
    `UPDATE collections SET count = count + given.entries,
        version = iif(version = '${REMOVED_VERSION}', version, lower(hex(randomblob(12))))
      FROM (SELECT ? AS id, ? AS entries) AS given WHERE collection = given.id`,
  )
  const addToTally = db.prepare(`INSERT INTO tallies (kind, gamemode, label, count) VALUES (?, ?, ?, ?) ${UPSERT}`)
  const addToRow = db.prepare(
    `INSERT INTO species_and_days (collection, name, label, count, first, last) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count,
        first = min(ifnull(first, excluded.first), excluded.first), last = max(ifnull(last, excluded.last), excluded.last)`,
  )
  // Without a mark, the removal of other entries than the first and the last leaves the times known.
  const isUnknown = '(mark IS NOT NULL OR first >= earliest OR last <= latest)'
  const removeFromRow = db.prepare(
    `UPDATE species_and_days SET count = count - removed, first = iif(${isUnknown}, NULL, first),
        last = iif(${isUnknown}, NULL, last), mark = iif(${isUnknown}, lower(hex(randomblob(8))), mark)
      FROM (SELECT ? AS removed, ? AS earliest, ? AS latest) WHERE collection = ? AND name = ? AND label = ?
      RETURNING count`,
  )
  const dropRow = db.prepare('DELETE FROM species_and_days WHERE collection = ? AND name = ? AND label = ?')
  const setTimes = db.prepare(
    `UPDATE species_and_days SET first = min(ifnull(first, earliest), earliest),
        last = max(ifnull(last, latest), latest), mark = NULL
      FROM (SELECT ? AS earliest, ? AS latest) WHERE collection = ? AND name = ? AND label = ? AND mark = ?`,
  )

  /** Adds entries to all counts except those by species and day, or subtracts the entries if `sign` is -1. */
  function count(at: NumberedCollection, { count, labels }: Pick<RecordTally, 'count' | 'labels'>, sign: 1 | -1): void {
    const { collection, kind, gamemode } = at
    changes.set(collection, (changes.get(collection) ?? 0) + sign * count)
    add(tallies, [kind, gamemode, ''], sign * count)
    for (const [label, labelled] of Object.entries(labels)) add(tallies, [kind, gamemode, label], sign * labelled)
  }

  function addRows(collection: number): void {
    const sum = added.get(collection)
    if (!sum) return
    added.delete(collection)
    for (const { name, label, count, first, last } of rowsOf(sum.rows())) {
      addToRow.run(collection, name, label, count, first, last)
    }
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
      for (const { name, label, count, first, last } of rowsOf(tally)) {
        const row = removeFromRow.get(count, first, last, collection, name, label)
        if (row && Number(row.count) <= 0) dropRow.run(collection, name, label)
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
      for (const [collection, entries] of changes) addToCollection.run(collection, entries)
      for (const { key, entries } of tallies.values()) addToTally.run(...key, entries)
      for (const collection of [...added.keys()]) addRows(collection)
      for (const pending of [changes, tallies]) pending.clear()
    },
    clear(): void {
      for (const pending of [changes, tallies, added]) pending.clear()
    },
  }
}

export type TallyWrites = ReturnType<typeof prepareTallyWrites>
