import { StorageError } from './errors.ts'
import { parseEntries, tallyOf, withoutEntry } from './tally.ts'
import type { Collection, FishStorage, StorageDriver } from './types.ts'

type Driver = Pick<StorageDriver, 'findById' | 'removeEntriesIf' | 'moveRecordIf'>

/**
 * Removes and moves records for all drivers. Only the entries of a record show its tally, so each change reads the record
 * first, and a driver applies the change only to this content. If another change came first, the change starts again.
 */
export function createRecordChanges(driver: Driver): Pick<FishStorage, 'removeRecord' | 'removeEntry' | 'moveRecord'> {
  return {
    async removeRecord(collection, id) {
      for (;;) {
        const record = await driver.findById(collection, id)
        if (!record) return undefined
        const removal = { record, tally: tallyOf(parseEntries(record.entries)) }
        if (await driver.removeEntriesIf(collection, removal)) return record
      }
    },

    async removeEntry(collection, id, index) {
      for (;;) {
        const record = await driver.findById(collection, id)
        if (!record) return { outcome: 'record_not_found' }
        const entry = parseEntries(record.entries)[index]
        if (!entry) return { outcome: 'entry_not_found' }
        const entries = withoutEntry(record.entries, index)
        const remaining = { entry: index, entries, tally: tallyOf(parseEntries(entries)) }
        const removal = { record, tally: tallyOf([entry]), ...(record.count > 1 ? { remaining } : {}) }
        if (await driver.removeEntriesIf(collection, removal)) return { outcome: 'removed', entry }
      }
    },

    async moveRecord(collection, id, gamemode) {
      if (gamemode === collection.gamemode) {
        throw new StorageError('invalid_value', 'A record moves to another gamemode than its own.')
      }
      for (;;) {
        const record = await driver.findById(collection, id)
        if (!record) return (await driver.findById({ ...collection, gamemode } satisfies Collection, id))?.count ?? 0
        const tally = tallyOf(parseEntries(record.entries))
        if (await driver.moveRecordIf(collection, { record, tally, gamemode })) return record.count
      }
    },
  }
}
