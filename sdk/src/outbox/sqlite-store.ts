import { ValidationError } from '../errors/fish-crab-error.ts'
import { OutboxStoreError } from './errors.ts'
import type { OutboxStore } from './store.ts'

/**
 * A store in one SQLite file (`node:sqlite`). The file has mode 0600, a folder created for it 0700. Every operation
 * survives `kill -9` and power loss (write-ahead log, `synchronous=FULL`). Processes on one machine may share the file;
 * a network file system is not supported. The file contains catches in plain text and tokens, but no keys or passwords.
 * Each operation blocks the thread while the disk syncs, for some milliseconds.
 *
 * @param path The file. `openOutbox` without `path` and `store` uses the default file.
 * @throws OutboxStoreError, see its codes; ValidationError without a path. The file is never overwritten or repaired.
 * @example
 * const outbox = await openOutbox({ client, store: await sqliteStore('./outbox.db') })
 */
export async function sqliteStore(path: string): Promise<OutboxStore> {
  if (typeof path !== 'string' || path === '') {
    const message = 'Must be the path of a file. For the default file, leave store out of the options of openOutbox.'
    throw new ValidationError([{ path: 'path', message }])
  }
  const { openSqliteStore } = await loadDriver()
  return openSqliteStore(path)
}

/** The default store of a service. */
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
