import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import type { Write } from './commands.ts'
import type { DatabaseSync } from './sqlite.ts'

export const MARK_FILE = 'fish.mark'

export interface HighWater {
  /** Identifies the store: a mark of another one does not apply. */
  readonly lineage: string
  /** Writes since its creation. */
  readonly writes: number
}

/** The first version of the schema that counts writes. */
const FIRST_COUNTING_VERSION = 3

export function readHighWater(db: DatabaseSync): HighWater | undefined {
  if (Number(db.prepare('PRAGMA user_version').get()?.user_version) < FIRST_COUNTING_VERSION) return undefined
  const row = db.prepare('SELECT lineage, writes FROM high_water').get()
  return row && { lineage: String(row.lineage), writes: Number(row.writes) }
}

/** Makes a copy a separate store, to which the mark of the original does not apply. */
export function assignNewLineage(db: DatabaseSync): void {
  if (readHighWater(db)) db.exec('UPDATE high_water SET lineage = lower(hex(randomblob(12)))')
}

/** A fixed size within one sector, so that the mark is overwritten in place, also on a full disk. */
const MARK_BYTES = 256

/** The mark in a data folder; `undefined` if it is missing, damaged or unreadable. */
export function readMark(folder: string): HighWater | undefined {
  try {
    const bytes = Buffer.alloc(MARK_BYTES)
    const length = withMarkFile(folder, constants.O_RDONLY, (handle) => readSync(handle, bytes))
    const { lineage, writes } = JSON.parse(bytes.toString('utf8', 0, length))
    return typeof lineage === 'string' && Number.isSafeInteger(writes) ? { lineage, writes } : undefined
  } catch {
    return undefined
  }
}

export function writeMark(folder: string, mark: HighWater): void {
  withMarkFile(folder, constants.O_RDWR | constants.O_CREAT, (handle) => {
    writeSync(handle, `${JSON.stringify(mark).padEnd(MARK_BYTES - 1)}\n`, 0)
    ftruncateSync(handle, MARK_BYTES)
    fdatasyncSync(handle)
  })
}

/** Opens the mark of a folder, but neither follows a link nor waits for the other end of a pipe. */
function withMarkFile<Result>(folder: string, flags: number, use: (handle: number) => Result): Result {
  const handle = openSync(join(folder, MARK_FILE), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600)
  try {
    if (!fstatSync(handle).isFile()) throw Object.assign(new Error('It is not a file.'), { code: 'EINVAL' })
    return use(handle)
  } finally {
    closeSync(handle)
  }
}

export type MarkWriter = ReturnType<typeof openMark>

/** How far the mark may be behind a commit, in milliseconds. */
const MAX_LAG_MS = 250

/**
 * Opens the mark of a store that is open for writing. It is written after the commits that it counts, so that it is never
 * ahead of the disk, and apart from them, so that no commit waits for it or fails with it.
 * @param onWarning called when the mark can no longer be written, once until it can be again
 */
export function openMark(db: DatabaseSync, file: string, onWarning: (message: string) => void) {
  const folder = dirname(file)
  const addWrites = db.prepare('UPDATE high_water SET writes = writes + ? RETURNING writes')
  const { lineage, writes } = readHighWater(db) ?? { lineage: '', writes: 0 }
  const before = readMark(folder)
  let [counting, committed] = [writes, writes]
  let marked = before?.lineage === lineage ? before.writes : -1
  let timer: ReturnType<typeof setTimeout> | undefined
  let isFailing = false

  /** Returns a warning if it fails. The next commit tries again. */
  function write(): string | undefined {
    clearTimeout(timer)
    timer = undefined
    try {
      if (committed > marked) {
        writeMark(folder, { lineage, writes: committed })
        // A new file needs its name on the disk as well.
        if (marked === -1) syncFolder(folder)
      }
      marked = committed
      isFailing = false
      return undefined
    } catch (error) {
      const isNew = !isFailing
      isFailing = true
      return isNew ? warningOf(folder, error) : undefined
    }
  }

  const follow = () => {
    timer ??= setTimeout(() => {
      const warning = write()
      if (warning !== undefined) onWarning(warning)
    }, MAX_LAG_MS)
  }

  // Opening waits only for the first mark of a folder: the disk may have stalled.
  const warning = marked === -1 ? write() : undefined
  if (marked < committed) follow()
  return {
    warnings: warning === undefined ? [] : [warning],
    /** Counts writes in the transaction that makes them, which its caller commits. */
    count(writes: readonly Write[]): void {
      const changes = writes.filter(({ type }) => type !== 'ping' && type !== 'probe').length
      counting = changes > 0 ? Number(addWrites.get(changes)?.writes) : committed
    },
    /** Call it when the transaction is on the disk: the mark follows. */
    committed(): void {
      if (counting === committed) return
      committed = counting
      follow()
    },
    close: () => void write(),
  }
}

function warningOf(folder: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return `Cannot write ${join(folder, MARK_FILE)} (${code}): the loss of a write-ahead log would go unnoticed. Check that it is a file, and its owner and mode.`
}
