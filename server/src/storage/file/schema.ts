import { StorageError } from '../core/errors.ts'
import type { DatabaseSync } from './sqlite.ts'

/**
 * Builds SQL that selects every prefix of a key that ends with a colon: `a:` and `a:b:` for `a:b:c`. The SQL is a
 * subquery, because a trigger allows `WITH` only in subqueries.
 */
function basesOf(keys: string): string {
  return `
    SELECT base FROM (
      WITH RECURSIVE bases (base, rest) AS (
        SELECT '', ${keys}
        UNION ALL
        SELECT base || substr(rest, 1, instr(rest, ':')), substr(rest, instr(rest, ':') + 1)
        FROM bases WHERE instr(rest, ':') > 0
      )
      SELECT base FROM bases WHERE base <> ''
    )`
}

/**
 * The writer updates the tallies itself, once per transaction. Triggers would update them for each record. Items are
 * written rarely, so their counts use triggers.
 */
const MIGRATION_1 = `
-- A token contains the number of its owner, because an id takes 36 bytes. The row of a removed owner stays, so that
-- later appends are rejected and the number is not reused.
CREATE TABLE owners (
  owner INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  removed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE collections (
  collection INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  kind TEXT NOT NULL,
  gamemode TEXT NOT NULL,
  count INTEGER NOT NULL DEFAULT 0,
  -- Versions are random: with a counter, a restored backup would repeat versions.
  version TEXT NOT NULL DEFAULT '',
  UNIQUE (owner, kind, gamemode)
) STRICT;
-- AUTOINCREMENT never reuses a sequence, so positions of readers stay valid when records are removed.
CREATE TABLE records (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL,
  count INTEGER NOT NULL,
  id ANY NOT NULL,
  labels TEXT NOT NULL,
  entries TEXT NOT NULL
) STRICT;
CREATE INDEX records_of_collection ON records (collection);
CREATE INDEX records_by_id ON records (id);
-- Tokens are separate from records, so that a token stays used when its record is removed.
CREATE TABLE tokens (
  owner INTEGER NOT NULL,
  dedupe_key ANY NOT NULL,
  id ANY NOT NULL,
  PRIMARY KEY (owner, dedupe_key)
) STRICT, WITHOUT ROWID;
-- An empty label stands for all entries.
CREATE TABLE tallies (
  kind TEXT NOT NULL,
  gamemode TEXT NOT NULL,
  label TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, gamemode, label)
) STRICT, WITHOUT ROWID;
-- The species and days of a collection are in one table, because neighboring rows share a page.
CREATE TABLE species_and_days (
  collection INTEGER NOT NULL,
  -- The name of a species, or the number of a day since 1970-01-01. SQLite sorts numbers before texts.
  name ANY NOT NULL,
  -- The label is empty for entries without a label.
  label TEXT NOT NULL,
  count INTEGER NOT NULL,
  -- Times of a species. With a mark, the times are those of the entries that were added after the mark, or NULL.
  first INTEGER,
  last INTEGER,
  mark TEXT,
  PRIMARY KEY (collection, name, label)
) STRICT, WITHOUT ROWID;

CREATE TABLE items (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE item_counts (base TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER item_added AFTER INSERT ON items BEGIN
  INSERT INTO item_counts SELECT base, 1 FROM (${basesOf('NEW.key')}) WHERE true
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER item_removed AFTER DELETE ON items BEGIN
  UPDATE item_counts SET count = count - 1 WHERE base IN (${basesOf('OLD.key')});
  DELETE FROM item_counts WHERE count = 0 AND base IN (${basesOf('OLD.key')});
END;
`

/** `PRAGMA application_id` of the files of this service: "FCCS" in ASCII. */
export const APPLICATION_ID = 0x46434353

/**
 * The changes of each schema version, oldest first. `PRAGMA user_version` is the number of entries that were applied to
 * a file. Never edit a released entry: add a new entry.
 */
const MIGRATIONS: readonly string[] = [MIGRATION_1]

/** The schema version that this code writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Condition that a record belongs to a collection. The parameters are owner, kind and gamemode, in this order. */
export const IN_COLLECTION =
  'collection = (SELECT collection FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?)'

/**
 * Refuses a file of another program or of a later version, because this code could damage the file.
 * @throws {StorageError} `not_a_store`, `newer_schema`
 */
export function checkSchema(file: string, applicationId: unknown, version: number): void {
  if (applicationId !== APPLICATION_ID) {
    throw notAStore(file)
  }
  if (version <= SCHEMA_VERSION) return
  throw new StorageError(
    'newer_schema',
    `The data was written by a newer version of the service (schema ${version}, this one knows ${SCHEMA_VERSION}).`,
    { hint: 'Update the service; the data was not changed.' },
  )
}

export const MOVE_AWAY = 'Move it away, or choose another folder.'

export function notAStore(file: string): StorageError {
  return new StorageError('not_a_store', `${file} is not a file of this service and was left as it is.`, {
    hint: MOVE_AWAY,
  })
}

/** Migrates an open file to {@link SCHEMA_VERSION}, each step in a separate transaction. */
export function migrate(db: DatabaseSync): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  MIGRATIONS.slice(version).forEach((statements, index) => {
    db.exec(`BEGIN IMMEDIATE; ${statements}; PRAGMA user_version = ${version + index + 1}; COMMIT`)
  })
}
