import { closeSync, constants, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { syncFolder } from './file-folder.ts'
import { type HighWater, MARK_FILE, readHighWater, readMark } from './file-high-water.ts'
import type { Write } from './file-messages.ts'

/** Keeps the mark of an open store. */
export interface MarkKeeper {
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
export function keepMark(db: DatabaseSync, file: string): MarkKeeper {
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
