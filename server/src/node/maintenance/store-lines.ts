import type { DatabaseSync } from 'node:sqlite'
import type { ContentLine } from './export-format.ts'

/**
 * All that a store of the current schema holds, one line after the other: items, records from the oldest to the
 * newest, tokens whose record was removed, removed owners. Within a transaction it is the content as of one moment.
 */
export function* storeLines(db: DatabaseSync): Generator<ContentLine> {
  for (const { key, value } of db.prepare('SELECT key, value FROM items ORDER BY key').iterate()) {
    yield { item: String(key), value: String(value) }
  }
  for (const row of db.prepare(RECORDS).iterate()) {
    yield {
      record: {
        owner: String(row.owner),
        kind: String(row.kind),
        gamemode: String(row.gamemode),
        id: String(row.id),
        dedupeKey: row.dedupe_key === null ? null : String(row.dedupe_key),
        count: Number(row.count),
        plain: String(row.plain),
        full: String(row.full),
        labels: JSON.parse(String(row.labels)),
      },
    }
  }
  for (const row of db.prepare(LONE_TOKENS).iterate()) {
    yield { token: { owner: String(row.owner), dedupeKey: String(row.dedupe_key), id: String(row.id) } }
  }
  for (const { owner } of db.prepare('SELECT owner FROM removed_owners ORDER BY owner').iterate()) {
    yield { removedOwner: String(owner) }
  }
}

/** How many lines {@link storeLines} makes. */
export function countStoreLines(db: DatabaseSync): number {
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM records) + (SELECT count(*) FROM (${LONE_TOKENS})) +
        (SELECT count(*) FROM removed_owners) AS lines`,
    )
    .get()
  return Number(row?.lines)
}

// The `+` keeps SQLite from looking through all tokens of an owner for each record: it makes an index of ids instead.
const RECORDS = `
SELECT owner, kind, gamemode, records.id AS id, dedupe_key, records.count AS count, plain, full, labels
FROM records CROSS JOIN collections USING (collection)
LEFT JOIN (SELECT owner AS token_owner, dedupe_key, id AS token_id FROM tokens)
  ON token_id = records.id AND +token_owner = owner
ORDER BY sequence`

const LONE_TOKENS = `
SELECT owner, dedupe_key, id FROM tokens
WHERE NOT EXISTS (
  SELECT 1 FROM records JOIN collections USING (collection)
  WHERE records.id = tokens.id AND collections.owner = tokens.owner
)
ORDER BY owner, dedupe_key`
