import { OutboxStoreError } from '../errors.ts'
import type { OutboxStore } from '../store.ts'

/**
 * The default store: one SQLite file through `node:sqlite`, which is loaded only here. The file is 0600 and a folder
 * made for it 0700. What an operation did survives `kill -9` and power loss (write-ahead log, `synchronous=FULL`), and
 * any number of processes may share the file on one machine; not over a network file system. Catches lie in it in plain
 * text, tokens encrypted; it holds no key and no password. Each operation blocks the thread for as long as the disk
 * takes to sync, some milliseconds.
 *
 * @param path The file. @default `$XDG_STATE_HOME/fish-crab/outbox.db` (`~/.local/state`), and the like on macOS and Windows
 * @throws OutboxStoreError, see its codes. The file is never overwritten or repaired.
 * @example
 * const outbox = await openOutbox({ client, store: await sqliteStore('./outbox.db') })
 */
export async function sqliteStore(path?: string): Promise<OutboxStore> {
  const { openSqliteStore } = await import('./sqlite-driver.ts').catch((cause: unknown) => {
    throw new OutboxStoreError('outbox_unavailable', 'This runtime has no node:sqlite.', {
      hint: 'Use Node 22.19 or later, or give openOutbox another store.',
      cause,
    })
  })
  return openSqliteStore(path)
}
