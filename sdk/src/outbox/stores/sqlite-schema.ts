import type { DatabaseSync } from 'node:sqlite'
import { OutboxStoreError } from '../errors.ts'

/** `PRAGMA application_id` of the files of outboxes: "FCOB" in ASCII. */
const APPLICATION_ID = 0x46434f42

/**
 * What each version of the schema changed, oldest first; `PRAGMA user_version` counts how many a file has had. An entry
 * that was released is never edited: a change is a new entry.
 *
 * A catch without a batch is queued. A batch with a token is frozen, one with a code is set aside.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE collections (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, user TEXT NOT NULL, gamemode TEXT NOT NULL,
    owner TEXT, leased_at INTEGER, leased_until INTEGER
  ) STRICT;
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL REFERENCES collections (id),
    token TEXT, code TEXT, message TEXT, set_aside_at INTEGER,
    CHECK ((token IS NULL) <> (code IS NULL))
  ) STRICT;
  CREATE TABLE catches (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL REFERENCES collections (id),
    entry TEXT NOT NULL, added_at INTEGER NOT NULL, key TEXT,
    batch INTEGER REFERENCES batches (id), batch_limit INTEGER
  ) STRICT;
  CREATE INDEX catches_by_collection ON catches (collection, batch, seq);
  CREATE INDEX catches_by_batch ON catches (batch, seq) WHERE batch IS NOT NULL;
  CREATE INDEX catches_by_key ON catches (key) WHERE key IS NOT NULL;
  CREATE TABLE keys (n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, added_at INTEGER NOT NULL) STRICT;
  CREATE INDEX keys_by_age ON keys (added_at);
  CREATE TABLE bookmarks (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `,
  'CREATE TABLE service (address TEXT NOT NULL) STRICT;',
]

const KNOWN_VERSION = MIGRATIONS.length

/** Brings an open file to the schema of this code, in one transaction; processes that do so at once wait in line. */
export function migrate(db: DatabaseSync): void {
  if (versionOf(db) === KNOWN_VERSION) return
  db.exec('BEGIN IMMEDIATE')
  try {
    // Read again: another process may have been faster.
    MIGRATIONS.slice(versionOf(db)).forEach((statements) => {
      db.exec(statements)
    })
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${KNOWN_VERSION}; COMMIT`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** The schema version of a file, 0 for an empty one. @throws OutboxStoreError `outbox_newer`, `outbox_damaged` */
function versionOf(db: DatabaseSync): number {
  const id = Number(db.prepare('PRAGMA application_id').get()?.application_id)
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  const isEmpty = id === 0 && version === 0 && db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  if (isEmpty) return 0
  if (id !== APPLICATION_ID) {
    throw new OutboxStoreError('outbox_damaged', 'The file is a database of something else, and no outbox.', {
      hint: 'Choose another path.',
    })
  }
  if (version > KNOWN_VERSION) {
    throw new OutboxStoreError(
      'outbox_newer',
      `A newer version of @fish-crab/sdk wrote this outbox (schema ${version}, this one knows ${KNOWN_VERSION}).`,
      { hint: 'Update the package; the outbox was not changed.' },
    )
  }
  return version
}
