import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { whileLocked } from '../config/change-lock.ts'
import { lockFile } from '../config/file-lock.ts'
import type { Io } from '../core/io.ts'
import { importRefused } from './import-place.ts'

/**
 * Keeps an import for this process until it is given back. It is a lock of the system's, on a file of its own: it ends
 * with its process, however that ends, so a killed run is in nobody's way, also after a restart of the machine or when
 * its process id is another's. The files that killed runs left go with the next import, whatever it brings.
 *
 * @param path The file of the outbox; that of the lock is beside it while it is held.
 * @param name Names the import.
 * @throws CliError `import_running` when another process has it; `file_not_locked`, `config_busy`
 */
export async function lockImport(io: Pick<Io, 'env'>, path: string, name: string): Promise<AsyncDisposable> {
  const file = lockOf(path, name)
  // A file that is removed while another opens it would give each a lock of its own, so both happen one by one.
  const lock = await whileLocked(io, () => {
    const own = lockFile(file, 0)
    if (!own) throw importRefused('running')
    removeFree(path, file)
    return own
  })
  return {
    async [Symbol.asyncDispose]() {
      try {
        await whileLocked(io, () => {
          lock.close()
          rmSync(file, { force: true })
        })
      } catch {
        // An empty file is left, which the next import takes away.
        lock.close()
      }
    },
  }
}

/** Fails where {@link lockImport} would since another process has the import; makes nothing. */
export function refuseRunning(path: string, name: string): void {
  const file = lockOf(path, name)
  if (!existsSync(file)) return
  const lock = lockFile(file, 0)
  if (!lock) throw importRefused('running')
  lock.close()
}

function lockOf(path: string, name: string): string {
  return `${path}-${name.replace(/[^a-z\d]+/gi, '-').slice(0, LONGEST_NAME)}${ENDING}`
}

const LONGEST_NAME = 40
const ENDING = '.lock'

/** Removes the files of locks that nobody holds, but for one's own. */
function removeFree(path: string, own: string): void {
  const beginning = `${basename(path)}-`
  // What cannot be removed is in nobody's way; a later import tries again.
  tryTo(() => {
    const names = readdirSync(dirname(path)).filter((name) => name.startsWith(beginning) && name.endsWith(ENDING))
    for (const name of names.filter((name) => name !== basename(own)))
      tryTo(() => removeIfFree(join(dirname(path), name)))
  })
}

function removeIfFree(file: string): void {
  const lock = lockFile(file, 0)
  if (!lock) return
  lock.close()
  rmSync(file, { force: true })
}

function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    // Whoever calls it says why that is well.
  }
}
