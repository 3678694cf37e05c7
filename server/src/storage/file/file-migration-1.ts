/** Version 1 of the schema: what a new file begins with. */
export const MIGRATION_1 = `
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
`
