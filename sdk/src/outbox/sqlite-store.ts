import { ValidationError } from '../errors/fish-crab-error.ts'
import { OutboxStoreError } from './errors.ts'
import type { OutboxStore } from './store.ts'

/**
 * A store in one SQLite file through `node:sqlite`, which is loaded only here. The file is 0600 and a folder
 * made for it 0700. What an operation did survives `kill -9` and power loss (write-ahead log, `synchronous=FULL`), and
 * any number of processes may share the file on one machine; not over a network file system. Catches lie in it in plain
 * text, tokens encrypted; it holds no key and no password. Each operation blocks the thread for as long as the disk
 * takes to sync, some milliseconds.
 *
 * @param path The file. `openOutbox` without `path` and `store` finds the usual one by itself.
 * @throws OutboxStoreError, see its codes. The file is never overwritten or repaired. ValidationError without a path.
 * @example
 * const outbox = await openOutbox({ client, store: await sqliteStore('./outbox.db') })
 */
export async function sqliteStore(path: string): Promise<OutboxStore> {
  if (typeof path !== 'string' || path === '') {
    const message = 'Must be the path of a file. For the usual one, leave store out of the options of openOutbox.'
    throw new ValidationError([{ path: 'path', message }])
  }
  const { openSqliteStore } = await loadDriver()
  return openSqliteStore(path)
}

/** The store of a service, in the file that is usual for it. */
export async function defaultStore(service: string): Promise<OutboxStore> {
  const { openDefaultStore } = await loadDriver()
  return openDefaultStore(service)
}

function loadDriver() {
  return import('./sqlite-driver.ts').catch((cause: unknown) => {
    throw new OutboxStoreError('outbox_unavailable', 'This runtime has no node:sqlite.', {
      hint: 'Use Node 22.19 or later, or give openOutbox another store.',
      cause,
    })
  })
}
