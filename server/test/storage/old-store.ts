import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SCHEMA_1 } from './fixtures/schema-1.ts'
import { newFolder } from './folders.ts'

/** A folder with a store of version 1. */
export function oldStore(fill: string): { folder: string; file: string } {
  const folder = newFolder()
  mkdirSync(folder)
  const file = join(folder, 'fish.db')
  // A thread whose start failed may still be closing it.
  const db = new DatabaseSync(file, { timeout: 10_000 })
  db.exec(SCHEMA_1)
  db.exec(fill)
  db.close()
  return { folder, file }
}

/** What a file holds, seen without the service. */
export function inspect(file: string) {
  // A thread whose start failed may still be closing it.
  const db = new DatabaseSync(file, { timeout: 10_000 })
  const one = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
  const found = {
    version: one('PRAGMA user_version'),
    integrity: one('PRAGMA integrity_check'),
    schema: one(
      "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1)",
    ),
    columns: one("SELECT group_concat(name) FROM pragma_table_info('records')"),
    records: one('SELECT count(*) FROM records'),
  }
  db.close()
  return found
}

/** What {@link inspect} finds in an untouched store of version 1, without its records. */
export const OF_VERSION_1 = {
  version: 1,
  integrity: 'ok',
  schema: 'collections,items,records,records_of_collection,removed_owners,tokens',
  columns: 'sequence,collection,count,id,plain,full',
}
