// The writer thread. This file may import only `node:` modules and relative files, because Node can run the file
// without a build.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { FileLock } from '../../../../sdk/src/internal/sqlite.node.ts'
import { prepareCommands, type Write } from './commands.ts'
import { lockFolder, makeFolder } from './folder.ts'
import { migrate, SCHEMA_VERSION } from './schema.ts'
import { type DatabaseSync, openDatabase, toStorageError } from './sqlite.ts'
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
  const { code, message, cause } = toStorageError(error, folder)
  return { code, message, cause: cause instanceof Error ? cause.message : undefined }
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

/** All queued writes become one transaction, so the disk is synced once for all writes. */
function prepareCommit(db: DatabaseSync, folder: string): (writes: readonly Write[]) => Reply {
  const commands = prepareCommands(db)
  return (writes) => {
    try {
      db.exec('BEGIN IMMEDIATE')
      const results = commands.run(writes)
      db.exec('COMMIT')
      return { type: 'committed', results }
    } catch (error) {
      // SQLite may have rolled back by itself, for example on a full disk.
      if (db.isTransaction) db.exec('ROLLBACK')
      commands.forget()
      return { type: 'failed', count: writes.length, error: report(error, folder) }
    }
  }
}

function serve(port: MessagePort, folder: string, lock: FileLock): void {
  const send = (reply: Reply) => port.postMessage(reply)
  const db = openForWriting(prepareStore(folder))
  const commit = prepareCommit(db, folder)
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
      lock.close()
      port.close()
    }
  })
  send({ type: 'ready', pragmas: readPragmas(db) })
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
