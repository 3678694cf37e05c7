// The writer thread. This file may import only `node:` modules and relative files, because Node can run the file
// without a build.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type FileLock, fileProblem } from '../../../../sdk/src/internal/sqlite.node.ts'
import { prepareCommands, type Write, type WriteResult, type WriteType } from './commands.ts'
import { lockFolder, makeFolder } from './folder.ts'
import { openReserve, type Reserve } from './reserve.ts'
import { migrate, SCHEMA_VERSION } from './schema.ts'
import { type DatabaseSync, fullError, openDatabase, toStorageError } from './sqlite.ts'
import { prepareStore } from './store-file.ts'
import type { ErrorReport, FilePragmas, Reply, Request } from './writer.ts'

/** Maximum size of the write-ahead log file after a checkpoint, in bytes. SQLite truncates a larger file. */
const LOG_SIZE_LIMIT = 64 * 1024 * 1024
/**
 * At this number of pages (16 MB), SQLite moves the log into the database. By then, the log contains most pages several
 * times, and SQLite writes each page to the database only once.
 */
const CHECKPOINT_PAGES = 4000
/**
 * Size of the page cache in KiB. A write changes about ten pages, which differ for each user. With SQLite's default of
 * 2 MB, most of these pages would be read again.
 */
const CACHE_KB = 16 * 1024

/**
 * A transaction accepts no more messages after this number of writes, so that the first writes do not wait for too many
 * later writes.
 */
const BATCH_WRITES = 1024

function report(error: unknown, folder: string): ErrorReport {
  const { code, problem, hint, cause } = toStorageError(error, folder)
  return { code, problem, hint, cause: cause instanceof Error ? cause.message : undefined }
}

/**
 * Reads the actual pragmas, which may differ from the requested pragmas: a file system without shared memory, for
 * example, does not allow a write-ahead log.
 */
function readPragmas(db: DatabaseSync): FilePragmas {
  return {
    journalMode: String(db.prepare('PRAGMA journal_mode').get()?.journal_mode),
    synchronous: Number(db.prepare('PRAGMA synchronous').get()?.synchronous),
  }
}

function openForWriting(file: string): DatabaseSync {
  const db = openDatabase(file)
  // fullfsync matters only on macOS, where a plain fsync does not flush the cache of the disk.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON; PRAGMA journal_size_limit = ${LOG_SIZE_LIMIT};
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${CACHE_KB}`)
  migrate(db)
  // A read-only file opens without an error. This transaction fails for a read-only file, and writes nothing to the
  // disk.
  db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${SCHEMA_VERSION}; ROLLBACK`)
  return db
}

/** Writes that need space for new data. On a full disk, they fail, while all other writes continue. */
const NEEDS_ROOM: ReadonlySet<WriteType> = new Set(['append', 'probe', 'setTimes'])

/** All queued writes become one transaction, so the disk is synced once for all writes. */
function prepareCommit(db: DatabaseSync, folder: string, reserve: Reserve): (writes: readonly Write[]) => Reply {
  const commands = prepareCommands(db)
  const freePages = db.prepare('PRAGMA freelist_count')
  const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.page_size)
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  const full = report(fullError(folder), folder)
  let isLogReusable = true

  /** Moves the log into the database, so that SQLite writes the log from its beginning again. */
  function reuseLog(): void {
    do {
      try {
        checkpoint.get()
        isLogReusable = true
        return
      } catch {
        isLogReusable = false
      }
    } while (reserve.release())
  }

  function hasRoom(): boolean {
    return isLogReusable && reserve.hasRoom(Number(freePages.get()?.freelist_count) * pageBytes)
  }

  function transact(writes: readonly Write[]): WriteResult[] {
    try {
      db.exec('BEGIN IMMEDIATE')
      const results = commands.run(writes)
      db.exec('COMMIT')
      return results
    } catch (error) {
      // SQLite may have rolled back by itself, for example on a full disk.
      if (db.isTransaction) db.exec('ROLLBACK')
      commands.forget()
      throw error
    }
  }

  /** @param mayRelease whether the writes may take space from the reserve */
  function transactInReserve(writes: readonly Write[], mayRelease: () => boolean): WriteResult[] {
    for (let isRetry = false; ; isRetry = true) {
      try {
        return transact(writes)
      } catch (error) {
        if (fileProblem(error) !== 'full') throw error
        reuseLog()
        if (isRetry && !(mayRelease() && reserve.release())) throw error
      }
    }
  }

  function commit(writes: readonly Write[]): Reply {
    const others = writes.filter(({ type }) => !NEEDS_ROOM.has(type))
    if (others.length < writes.length) {
      reserve.fill()
      try {
        if (hasRoom()) return { type: 'committed', results: transactInReserve(writes, hasRoom) }
      } catch (error) {
        if (fileProblem(error) !== 'full') throw error
      }
    }
    const results = others.length > 0 ? transactInReserve(others, () => true) : []
    if (others.length === writes.length) return { type: 'committed', results }
    let next = 0
    const refused = writes.map(({ type }) => NEEDS_ROOM.has(type))
    const all = refused.map((isRefused) => (isRefused ? undefined : results[next++]))
    return { type: 'committed', results: all, refused: { error: full, writes: refused } }
  }

  return (writes) => {
    try {
      const reply = commit(writes)
      if (!reserve.isNeeded()) return reply
      reuseLog()
      return { ...reply, remainingReserve: isLogReusable ? reserve.remaining() : 0 }
    } catch (error) {
      return { type: 'failed', count: writes.length, error: report(error, folder) }
    }
  }
}

/** Opens the store. On a full disk, the reserve provides the space that SQLite needs to open its log. */
function openInReserve(folder: string, reserve: Reserve): DatabaseSync {
  for (;;) {
    try {
      return openForWriting(prepareStore(folder))
    } catch (error) {
      if (toStorageError(error, folder).code !== 'full' || !reserve.release()) throw error
    }
  }
}

function serve(port: MessagePort, folder: string, lock: FileLock): void {
  const send = (reply: Reply) => port.postMessage(reply)
  const reserve = openReserve(folder)
  const db = openInReserve(folder, reserve)
  const commit = prepareCommit(db, folder, reserve)
  port.on('message', (first: Request) => {
    const writes: Write[] = []
    let request: Request | undefined = first
    while (request?.type === 'write') {
      writes.push(...request.writes)
      request = writes.length < BATCH_WRITES ? receiveMessageOnPort(port)?.message : undefined
    }
    if (writes.length > 0) send(commit(writes))
    if (request?.type === 'close') {
      // This is the last connection, so closing it also moves the write-ahead log into the database and deletes the log.
      db.close()
      reserve.fill()
      lock.close()
      port.close()
    }
  })
  send({ type: 'ready', pragmas: readPragmas(db) })
  reserve.fill()
}

/**
 * Opens the store in this thread, so that a stalled disk or the check of a large store does not block the main thread.
 */
async function start(port: MessagePort, folder: string): Promise<void> {
  let lock: FileLock | undefined
  try {
    await makeFolder(folder)
    lock = lockFolder(folder)
    serve(port, folder, lock)
  } catch (error) {
    lock?.close()
    port.postMessage({ type: 'refused', error: report(error, folder) } satisfies Reply)
    port.close()
  }
}

if (parentPort) await start(parentPort, workerData)
