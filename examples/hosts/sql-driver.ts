/**
 * A storage driver for any SQLite with a synchronous API, such as the SQLite of a Durable Object or `node:sqlite`.
 * test/sql-driver.integration.test.ts runs the test suite for storage drivers, which shows that the driver is complete.
 */
import {
  type Change,
  type Collection,
  createWindows,
  type NewRecord,
  parseEntries,
  REMOVED_VERSION,
  type StorageDriver,
  StorageError,
  type StoredRecord,
  TallySum,
  tallyOf,
} from '@fish-crab/server/storage'

type Value = string | number | null
type Row = Readonly<Record<string, Value>>

/** A database. The writes of a transaction must be durable before the service sends the response. */
export interface SqlDatabase {
  exec(query: string, ...values: Value[]): readonly Row[]
  /** Undoes all writes of `run` if it throws. */
  transaction<Result>(run: () => Result): Result
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS collections (owner TEXT, kind TEXT, gamemode TEXT, version TEXT,
    PRIMARY KEY (owner, kind, gamemode))`,
  // AUTOINCREMENT never reuses the sequence of a removed record.
  `CREATE TABLE IF NOT EXISTS records (sequence INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT, kind TEXT, gamemode TEXT,
    id TEXT, count INTEGER, labels TEXT, entries TEXT)`,
  'CREATE INDEX IF NOT EXISTS records_of_collection ON records (owner, kind, gamemode, sequence)',
  // Tokens have a separate table, because a token must stay known after its record is removed.
  'CREATE TABLE IF NOT EXISTS tokens (owner TEXT, token TEXT, id TEXT, PRIMARY KEY (owner, token))',
  'CREATE TABLE IF NOT EXISTS removed_owners (owner TEXT PRIMARY KEY)',
  'CREATE TABLE IF NOT EXISTS items (key TEXT PRIMARY KEY, value TEXT)',
]
const IN_COLLECTION = 'owner = ? AND kind = ? AND gamemode = ?'
const IS_RECORD = `${IN_COLLECTION} AND id = ? AND count = ?`
const IN_RANGE = 'key >= ? AND key < ?'
const PAGE = 100
const CHUNK_CHARACTERS = 64 * 1024

export function createSqlDriver(db: SqlDatabase): StorageDriver {
  for (const table of TABLES) db.exec(table)
  const listeners = new Set<(change?: Change) => void>()
  // The windows of the rate limit are only in memory, so a restart opens new windows.
  const windows = createWindows()
  let closed = false

  const open = async <Result>(operation: () => Result): Promise<Result> => {
    if (closed) throw new StorageError('closed', 'The storage was closed. Open it again.')
    return db.transaction(operation)
  }
  const has = (query: string, ...values: Value[]) => db.exec(query, ...values).length > 0
  const text = (query: string, ...values: Value[]) => {
    const [row] = db.exec(query, ...values)
    return row && String(Object.values(row)[0])
  }
  const number = (query: string, ...values: Value[]) => Number(text(query, ...values) ?? 0)
  const isRemoved = (owner: string) => has('SELECT 1 FROM removed_owners WHERE owner = ?', owner)
  const tokenId = (owner: string, token: string) =>
    text('SELECT id FROM tokens WHERE owner = ? AND token = ?', owner, token)

  // Listeners run after the transaction, because event streams read the change as soon as a listener runs.
  const changed = (change: Change) => {
    for (const listener of listeners) queueMicrotask(() => listener(change))
  }
  const touch = (collection: Collection, removal: Pick<Change, 'removed' | 'entry'> = {}) => {
    db.exec('INSERT OR REPLACE INTO collections VALUES (?, ?, ?, ?)', ...keyOf(collection), crypto.randomUUID())
    changed({ ...collection, ...removal })
  }
  const add = (collection: Collection, { id, entries, tally }: Omit<NewRecord, 'dedupeKey'>) => {
    db.exec(
      'INSERT INTO records (owner, kind, gamemode, id, count, labels, entries) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...keyOf(collection),
      ...[id, tally.count, JSON.stringify(tally.labels), entries],
    )
    touch(collection)
  }
  const newest = (collection: Collection) =>
    number(`SELECT coalesce(max(sequence), 0) FROM records WHERE ${IN_COLLECTION}`, ...keyOf(collection))

  const toRecord = ({ sequence, id, count, entries }: Row): StoredRecord => {
    return { sequence: Number(sequence), id: String(id), count: Number(count), entries: String(entries) }
  }

  /** Reads the next records, up to about 64 KiB of text. */
  const readChunk = (collection: Collection, from: number, end: number, entries: number) => {
    const page = db.exec(
      `SELECT sequence, id, count, entries FROM records WHERE ${IN_COLLECTION} AND sequence BETWEEN ? AND ?
        ORDER BY sequence LIMIT ${PAGE}`,
      ...keyOf(collection),
      ...[from, end],
    )
    const chunk: StoredRecord[] = []
    let [characters, taken] = [0, 0]
    for (const record of page.map(toRecord)) {
      if (characters >= CHUNK_CHARACTERS || taken >= entries) break
      chunk.push(record)
      characters += record.entries.length
      taken += record.count
    }
    return chunk
  }

  return {
    name: 'sql',
    durability: 'Acknowledged catches are as durable as the database: they survive a crash.',
    ping: () => open(() => void db.exec("INSERT OR REPLACE INTO removed_owners VALUES ('')")), // No owner has this id.

    append: (collection, record) =>
      open(() => {
        if (isRemoved(collection.owner)) return { outcome: 'owner_removed' }
        if (record.dedupeKey !== null) {
          const known = tokenId(collection.owner, record.dedupeKey)
          if (known !== undefined) return { outcome: 'replayed', id: known }
          db.exec('INSERT INTO tokens VALUES (?, ?, ?)', collection.owner, record.dedupeKey, record.id)
        }
        add(collection, record)
        return { outcome: 'stored', id: record.id }
      }),
    findRecord: (owner, dedupeKey) => open(() => tokenId(owner, dedupeKey)),
    async *read(collection, { from = 0, entries = Number.POSITIVE_INFINITY } = {}) {
      // The read ends at the newest record at its start, so a slow reader does not see later records.
      const end = await open(() => newest(collection))
      let [next, missing] = [from, entries]
      while (missing > 0) {
        const chunk = await open(() => readChunk(collection, next, end, missing))
        if (chunk.length === 0) return
        yield chunk
        for (const { count } of chunk) missing -= count
        next = (chunk.at(-1)?.sequence ?? end) + 1
      }
    },
    version: (collection) =>
      open(() =>
        isRemoved(collection.owner)
          ? REMOVED_VERSION
          : (text(`SELECT version FROM collections WHERE ${IN_COLLECTION}`, ...keyOf(collection)) ?? 'empty'),
      ),
    latest: (collection, count) =>
      open(() =>
        db
          .exec(
            `SELECT sequence, id, count, entries FROM records WHERE ${IN_COLLECTION} ORDER BY sequence DESC LIMIT ?`,
            ...keyOf(collection),
            count,
          )
          .map(toRecord),
      ),
    onChange: (listener) => {
      const own = (change?: Change) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    signalChange: (owner) =>
      open(() => {
        for (const listener of listeners) queueMicrotask(() => listener({ owner }))
      }),
    findById: (collection, id) =>
      open(() => {
        const [row] = db.exec(`SELECT * FROM records WHERE ${IN_COLLECTION} AND id = ?`, ...keyOf(collection), id)
        return row && toRecord(row)
      }),
    removeEntriesIf: (collection, { record: { id, count }, remaining }) =>
      open(() => {
        const isRemoved = remaining
          ? has(
              `UPDATE records SET count = ?, labels = ?, entries = ? WHERE ${IS_RECORD} RETURNING id`,
              ...[remaining.tally.count, JSON.stringify(remaining.tally.labels), remaining.entries],
              ...[...keyOf(collection), id, count],
            )
          : has(`DELETE FROM records WHERE ${IS_RECORD} RETURNING id`, ...keyOf(collection), id, count)
        if (isRemoved) touch(collection, { removed: id, ...(remaining ? { entry: remaining.entry } : {}) })
        return isRemoved
      }),
    moveRecordIf: (collection, { record: { id, count }, tally, gamemode }) =>
      open(() => {
        const [row] = db.exec(
          `DELETE FROM records WHERE ${IS_RECORD} RETURNING entries`,
          ...keyOf(collection),
          id,
          count,
        )
        if (!row) return false
        touch(collection, { removed: id })
        add({ ...collection, gamemode }, { id, entries: String(row.entries), tally })
        return true
      }),
    useToken: (owner, { dedupeKey, id }) =>
      open(() => {
        if (!isRemoved(owner)) db.exec('INSERT OR IGNORE INTO tokens VALUES (?, ?, ?)', owner, dedupeKey, id)
      }),
    removeOwner: (owner) =>
      open(() => {
        db.exec('INSERT OR REPLACE INTO removed_owners VALUES (?)', owner)
        for (const table of ['collections', 'records', 'tokens']) db.exec(`DELETE FROM ${table} WHERE owner = ?`, owner)
        changed({ owner })
      }),
    async *dump(owner) {
      for (let from = 0; ; ) {
        const rows = await open(() =>
          db.exec(
            `SELECT records.*, token FROM records LEFT JOIN tokens USING (owner, id)
              WHERE owner = ? AND sequence >= ? ORDER BY sequence LIMIT ${PAGE}`,
            ...[owner, from],
          ),
        )
        if (rows.length === 0) break
        yield rows.map(({ kind, gamemode, id, entries, token }) => ({
          collection: { owner, kind: String(kind), gamemode: String(gamemode) },
          record: {
            ...{ id: String(id), dedupeKey: token == null ? null : String(token), entries: String(entries) },
            tally: tallyOf(parseEntries(String(entries))),
          },
        }))
        from = Number(rows.at(-1)?.sequence) + 1
      }
      const removed = await open(() =>
        db.exec(
          'SELECT token, id FROM tokens WHERE owner = ?1 AND id NOT IN (SELECT id FROM records WHERE owner = ?1)',
          owner,
        ),
      )
      yield removed.map(({ token, id }) => ({ token: { dedupeKey: String(token), id: String(id) } }))
    },

    // This query counts all records at each call. For millions of records, store the sums and update them together with
    // the records.
    tallies: () =>
      open(() =>
        db
          .exec(
            `SELECT kind, gamemode, NULL AS label, sum(count) AS count FROM records GROUP BY kind, gamemode
              UNION ALL SELECT kind, gamemode, label.key, sum(label.value) FROM records, json_each(records.labels) AS label
              GROUP BY kind, gamemode, label.key`,
          )
          .map(({ kind, gamemode, label, count }) => ({
            kind: String(kind),
            gamemode: String(gamemode),
            label: label == null ? null : String(label),
            count: Number(count),
          })),
      ),
    collectionTallies: (collection) =>
      open(() => {
        const sum = new TallySum()
        const records = db.exec(`SELECT entries FROM records WHERE ${IN_COLLECTION}`, ...keyOf(collection))
        for (const { entries } of records) sum.add(tallyOf(parseEntries(String(entries))))
        return sum.tallies()
      }),
    leaders: ({ kind, gamemode = null, limit }) =>
      open(() =>
        db
          .exec(
            `SELECT owner, sum(count) AS count FROM records WHERE kind = ?1 AND (?2 IS NULL OR gamemode = ?2)
              GROUP BY owner ORDER BY count DESC, owner LIMIT ?3`,
            ...[kind, gamemode, limit],
          )
          .map(({ owner, count }) => ({ owner: String(owner), count: Number(count) })),
      ),

    hasItem: (key) => open(() => has('SELECT 1 FROM items WHERE key = ?', key)),
    getItem: (key) => open(() => text('SELECT value FROM items WHERE key = ?', key) ?? null),
    setItem: (key, value) => open(() => void db.exec('INSERT OR REPLACE INTO items VALUES (?, ?)', key, value)),
    removeItem: (key) => open(() => void db.exec('DELETE FROM items WHERE key = ?', key)),
    getKeys: (base) =>
      open(() =>
        db.exec(`SELECT key FROM items WHERE ${IN_RANGE} ORDER BY key`, ...rangeOf(base)).map(({ key }) => String(key)),
      ),
    setItemIfAbsent: (key, value) =>
      open(() => has('INSERT OR IGNORE INTO items VALUES (?, ?) RETURNING key', key, value)),
    removeItemIf: (key, value) =>
      open(() => has('DELETE FROM items WHERE key = ? AND value = ? RETURNING key', key, value)),
    replaceItemIf: (key, expected, value) =>
      open(() => has('UPDATE items SET value = ?3 WHERE key = ?1 AND value = ?2 RETURNING key', key, expected, value)),
    listItems: ({ base, after = '', limit, contains = '' }) =>
      open(() => {
        const rows = db.exec(
          `SELECT key, value FROM items WHERE ${IN_RANGE} AND key > ? AND instr(substr(key, ?), ?) > 0
            ORDER BY key LIMIT ?`,
          ...rangeOf(base),
          ...[after, base.length + 1, contains, limit + 1],
        )
        const items = rows.slice(0, limit).map(({ key, value }) => ({ key: String(key), value: String(value) }))
        const last = items.at(-1)
        return { items, ...(rows.length > limit && last ? { next: last.key } : {}) }
      }),
    countItems: (base) => open(() => number(`SELECT count(*) FROM items WHERE ${IN_RANGE}`, ...rangeOf(base))),

    countInWindow: (key, window) => open(() => windows.count(key, window)),
    peekWindow: (key, window) => open(() => windows.peek(key, window)),
    dispose: async () => {
      closed = true
    },
  }
}

const keyOf = ({ owner, kind, gamemode }: Collection) => [owner, kind, gamemode] as const

/** A base ends with `:`. The range ends at the same text with `;`, the next character. */
const rangeOf = (base = '') => [base, base === '' ? '\u{10ffff}' : `${base.slice(0, -1)};`] as const
