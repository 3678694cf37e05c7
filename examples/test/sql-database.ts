import { DatabaseSync } from 'node:sqlite'
import type { SqlDatabase } from '../hosts/sql-driver.ts'

/** Opens a database in memory that behaves like the database of a Durable Object. */
export function openDatabase(): SqlDatabase {
  const database = new DatabaseSync(':memory:')
  return {
    exec: (query, ...values) => database.prepare(query).all(...values) as ReturnType<SqlDatabase['exec']>,
    transaction(run) {
      database.exec('BEGIN')
      try {
        const result = run()
        database.exec('COMMIT')
        return result
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}
