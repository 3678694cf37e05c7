import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'
import { MIGRATION_1 } from './file-migration-1.ts'
import { MIGRATION_2 } from './file-migration-2.ts'
import { MIGRATION_3 } from './file-migration-3.ts'

/** `PRAGMA application_id` of the files of this service: "FISH" in ASCII. */
export const APPLICATION_ID = 0x46495348

/**
 * What each version of the schema changed, oldest first; `PRAGMA user_version` counts how many a file has had.
 * An entry that was released is never edited: a change is a new entry, in a file of its own.
 */
const MIGRATIONS: readonly string[] = [MIGRATION_1, MIGRATION_2, MIGRATION_3]

/** The schema version that this code writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Condition on a record: it lies in the collection of an owner, kind and gamemode, in this order. */
export const IN_COLLECTION =
  'collection = (SELECT collection FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?)'

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
