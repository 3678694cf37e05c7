import { wrapDriver } from '@fish-crab/server/storage'
import { describeStorage } from '@fish-crab/server/storage/conformance'
import { createSqlDriver } from '../hosts/sql-driver.ts'
import { openDatabase } from './sql-database.ts'

describeStorage('sql', async () => {
  const database = openDatabase()
  const storage = wrapDriver(createSqlDriver(database))
  const reopen = async () => {
    await storage.dispose()
    return wrapDriver(createSqlDriver(database))
  }
  return { storage, reopen }
})
