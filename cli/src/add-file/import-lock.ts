import { rmSync } from 'node:fs'
import { makeFolderOf } from '../config/atomic-file.ts'
import { whileLocked } from '../config/change-lock.ts'
import { fileFailure } from '../config/file-failure.ts'
import type { Io } from '../io.ts'
import { importRunning } from './import-place.ts'

/**
 * Keeps an import for this process until it is given back. It is a lock of the system's, on a file of its own: it ends
 * with its process, however that ends, so a killed run is in nobody's way, also after a restart of the machine or when
 * its process id is another's.
 *
 * @param path The file of the outbox; that of the lock is beside it while it is held.
 * @param name Names the import.
 * @throws CliError `import_running` when another process has it; `file_not_locked`, `config_busy`
 */
export async function lockImport(io: Pick<Io, 'env'>, path: string, name: string): Promise<AsyncDisposable> {
  const { DatabaseSync } = await import('node:sqlite')
  const file = `${path}-${name.replace(/[^a-z\d]+/gi, '-').slice(0, LONGEST_NAME)}.lock`
  // A file that is removed while another opens it would give each a lock of its own, so both happen one by one.
  const lock = await whileLocked(io, () => {
    makeFolderOf(file)
    let opened: InstanceType<typeof DatabaseSync> | undefined
    try {
      opened = new DatabaseSync(file)
      opened.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
      return opened
    } catch (error) {
      opened?.close()
      const { errcode, errstr, code = errstr, name: kind, message } = error as LockError
      if (errcode === BUSY) throw importRunning('runs')
      throw fileFailure({ name: kind, message, ...(code === undefined ? {} : { code }) }, file, 'locked')
    }
  })
  return {
    async [Symbol.asyncDispose]() {
      try {
        await whileLocked(io, () => {
          lock.close()
          rmSync(file, { force: true })
        })
      } catch {
        // An empty file is left, which the next run of this import locks again.
        if (lock.isOpen) lock.close()
      }
    },
  }
}

const LONGEST_NAME = 40

// SQLite's primary result code SQLITE_BUSY (https://sqlite.org/rescode.html).
const BUSY = 5

type LockError = NodeJS.ErrnoException & { readonly errcode?: number; readonly errstr?: string }
