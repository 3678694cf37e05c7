import { closeSync, constants, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from './folder.ts'
import type { DatabaseSync } from './sqlite.ts'
import type { Write } from './writer.ts'

/** Name of the mark in a data folder. */
export const MARK_FILE = 'fish.mark'

/** How much was written into a store. */
interface HighWater {
  /** Which store: only its own mark says something about it. */
  readonly lineage: string
  /** Writes since it was made. */
  readonly writes: number
}

/** The first version of the schema that counts writes. */
const COUNTED_FROM = 3

/** How much was written into an open store; `undefined` when its schema does not say. */
export function readHighWater(db: DatabaseSync): HighWater | undefined {
  if (Number(db.prepare('PRAGMA user_version').get()?.user_version) < COUNTED_FROM) return undefined
  const row = db.prepare('SELECT lineage, writes FROM high_water').get()
  return row && { lineage: String(row.lineage), writes: Number(row.writes) }
}

/** Lets a copy of a store be a store of its own. */
export function renewLineage(db: DatabaseSync): void {
  if (readHighWater(db)) db.exec('UPDATE high_water SET lineage = lower(hex(randomblob(12)))')
}

/** The mark in a data folder. One that is torn or not readable says nothing. */
export function readMark(folder: string): HighWater | undefined {
  try {
    const { lineage, writes } = JSON.parse(readFileSync(join(folder, MARK_FILE), 'utf8'))
    return typeof lineage === 'string' && Number.isSafeInteger(writes) ? { lineage, writes } : undefined
  } catch {
    return undefined
  }
}

/** Keeps the mark of an open store. */
export interface MarkWriter {
  /** What the operator should know, each a sentence. */
  readonly warnings: readonly string[]
  /** Counts writes in the transaction that makes them, which its caller commits. */
  count(writes: readonly Write[]): void
  /** The transaction is on the disk: the mark follows. */
  committed(): void
  /** Writes the mark if it is behind. */
  close(): void
}

/** The mark follows a pause between commits, in milliseconds. */
const QUIET_MS = 100
/** How far it may be behind when there is none. */
const MOST_BEHIND_MS = 1000
/** Always the same size, within one sector, so that it is overwritten in place: also on a disk that is full. */
const MARK_BYTES = 256

function writeMark(folder: string, mark: HighWater): void {
  const handle = openSync(join(folder, MARK_FILE), constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    writeSync(handle, `${JSON.stringify(mark).padEnd(MARK_BYTES - 1)}\n`, 0)
    fdatasyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Keeps the mark of a store that is open for writing. It is written after the commits that it counts, so that it is
 * never ahead of what is on the disk, and apart from them, so that no commit waits for it.
 */
export function openMark(db: DatabaseSync, file: string): MarkWriter {
  const folder = dirname(file)
  const addWrites = db.prepare('UPDATE high_water SET writes = writes + ? RETURNING writes')
  const { lineage, writes: found } = readHighWater(db) ?? { lineage: '', writes: 0 }
  const before = readMark(folder)
  let [counting, committed] = [found, found]
  let marked = before?.lineage === lineage ? before.writes : -1
  let timer: ReturnType<typeof setTimeout> | undefined
  let behindSince = 0

  function write(): unknown {
    clearTimeout(timer)
    timer = undefined
    try {
      if (committed > marked) {
        writeMark(folder, { lineage, writes: committed })
        // The first one of this folder needs its name on the disk as well.
        if (marked === -1) syncFolder(folder)
      }
      marked = committed
      return undefined
    } catch (error) {
      // No write fails for the lack of a mark. The next commit tries again.
      return error
    }
  }

  const follow = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(write, ms)
  }

  // A store opens also on a disk that has stalled: only the first mark of a folder is waited for.
  const failed = marked === -1 ? write() : undefined
  if (marked < committed) follow(QUIET_MS)
  return {
    warnings: failed
      ? [`${join(folder, MARK_FILE)} cannot be written: a write-ahead log that is lost would not be noticed.`]
      : [],
    count(writes) {
      const changes = writes.filter(({ type }) => type !== 'ping' && type !== 'probe').length
      counting = changes > 0 ? Number(addWrites.get(changes)?.writes) : committed
    },
    committed() {
      if (counting === committed) return
      committed = counting
      const now = performance.now()
      if (timer === undefined) behindSince = now
      follow(Math.max(0, Math.min(QUIET_MS, behindSince + MOST_BEHIND_MS - now)))
    },
    close: () => void write(),
  }
}
