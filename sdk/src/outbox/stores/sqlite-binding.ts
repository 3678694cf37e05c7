import type { DatabaseSync } from 'node:sqlite'
import type { OutboxStore } from '../store.ts'
import { prepareChange, prepareQuery } from './sqlite-rows.ts'

/** The address of the service that a file is bound to, if it is bound. */
export function addressIn(db: DatabaseSync): string | undefined {
  return db.prepare('SELECT address FROM service').get()?.address as string | undefined
}

/** The part of a store that binds it to a service. */
export function prepareBinding(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const isUsed = prepareQuery(db, 'SELECT 1 FROM collections UNION ALL SELECT 1 FROM bookmarks LIMIT 1')
  const add = prepareChange(db, 'INSERT INTO service (address) VALUES (?)')
  return {
    bind: (service) =>
      transaction(() => {
        const address = addressIn(db)
        if (address !== undefined) return { service: address, adopted: false }
        add(service)
        return { service, adopted: isUsed().length > 0 }
      }),
  } satisfies Partial<OutboxStore>
}
