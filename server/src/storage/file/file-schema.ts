import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'

/** `PRAGMA application_id` of the files of this service: "FISH" in ASCII. */
export const APPLICATION_ID = 0x46495348

/**
 * What each version of the schema changed, oldest first; `PRAGMA user_version` counts how many a file has had.
 * An entry that was released is never edited: a change is a new entry.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE collections (
    collection INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    gamemode TEXT NOT NULL,
    UNIQUE (owner, kind, gamemode)
  ) STRICT;
  -- AUTOINCREMENT: a sequence is never given twice, so a reader's cursor stays right when records go.
  -- The longest column is last: a read of the plain form does not touch it.
  CREATE TABLE records (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    count INTEGER NOT NULL,
    id TEXT NOT NULL,
    plain TEXT NOT NULL,
    full TEXT NOT NULL
  ) STRICT;
  CREATE INDEX records_of_collection ON records (collection);
  -- Apart from the records, so that a token stays used when its record is deleted.
  CREATE TABLE tokens (
    owner TEXT NOT NULL,
    dedupe_key TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (owner, dedupe_key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE removed_owners (owner TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE items (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
]

/** The schema version that this code writes. */
const SCHEMA_VERSION = MIGRATIONS.length

/**
 * Refuses a file of a later version, whose data this code could damage.
 *
 * @throws {StorageError} `newer_schema`
 */
export function checkSchemaVersion(found: number): void {
  if (found <= SCHEMA_VERSION) return
  throw new StorageError(
    'newer_schema',
    `The data was written by a newer version of the service (schema ${found}, this one knows ${SCHEMA_VERSION}). Update the service; the data was not changed.`,
  )
}

/** Brings an open file to {@link SCHEMA_VERSION}, each step in a transaction of its own. */
export function migrate(db: DatabaseSync): void {
  const found = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  checkSchemaVersion(found)
  MIGRATIONS.slice(found).forEach((statements, index) => {
    db.exec(`BEGIN IMMEDIATE; ${statements}; PRAGMA user_version = ${found + index + 1}; COMMIT`)
  })
}
