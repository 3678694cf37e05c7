import { Worker } from 'node:worker_threads'
import { withDeadline } from '../deadline.ts'
import { closedError, StorageError, type StorageErrorCode } from '../errors.ts'
import type { AppendResult, Collection, NewRecord } from '../types.ts'

/** One write, as it goes to the worker. */
export type Write =
  | { readonly type: 'append'; readonly collection: Collection; readonly record: NewRecord }
  | { readonly type: 'removeRecord'; readonly collection: Collection; readonly id: string }
  | { readonly type: 'removeOwner'; readonly owner: string }
  | { readonly type: 'setItem'; readonly key: string; readonly value: string }
  | { readonly type: 'setItemIfAbsent'; readonly key: string; readonly value: string }
  | { readonly type: 'removeItem'; readonly key: string }
  | { readonly type: 'removeItemIf'; readonly key: string; readonly value: string }
  | { readonly type: 'replaceItemIf'; readonly key: string; readonly expected: string; readonly value: string }
  | { readonly type: 'clearItems'; readonly base: string }
  /** Changes nothing: its answer says that the worker works. */
  | { readonly type: 'ping' }
  /** Writes to the disk without changing anything: its answer says that the disk takes writes. */
  | { readonly type: 'probe' }

/** What each kind of write answers. */
interface WriteResults {
  readonly append: AppendResult
  readonly removeRecord: boolean
  readonly removeOwner: undefined
  readonly setItem: undefined
  readonly setItemIfAbsent: boolean
  readonly removeItem: undefined
  readonly removeItemIf: boolean
  readonly replaceItemIf: boolean
  readonly clearItems: undefined
  readonly ping: undefined
  readonly probe: undefined
}

/** The answer to any write. */
export type WriteResult = WriteResults[keyof WriteResults]

/** Main thread to worker: writes in order, or the wish to end. */
export type Request = { readonly type: 'write'; readonly writes: readonly Write[] } | { readonly type: 'close' }

/** An error on its way between threads. */
export interface ErrorReport {
  readonly code: StorageErrorCode
  readonly message: string
  readonly cause: unknown
}

/** Worker to main thread. `committed` and `failed` answer the oldest writes that are not answered yet. */
export type Reply =
  | { readonly type: 'ready'; readonly pragmas: FilePragmas; readonly warnings: readonly string[] }
  | { readonly type: 'refused'; readonly error: ErrorReport }
  | { readonly type: 'committed'; readonly results: readonly WriteResult[] }
  | { readonly type: 'failed'; readonly count: number; readonly error: ErrorReport }

/** What the worker is started with. */
export interface WorkerSettings {
  /** The database file. */
  readonly file: string
  /** Device and inode of that file: writes are refused once another file, or none, stands at its place. */
  readonly fileId: string
}

/** What SQLite does with what it is told, as it answers the pragmas `journal_mode` and `synchronous`. */
export interface FilePragmas {
  readonly journalMode: string
  /** 0 to 3: OFF, NORMAL, FULL, EXTRA. */
  readonly synchronous: number
}

/** What an acknowledgement means, and what the operator should know. */
interface FileDurability {
  readonly durability: string
  readonly warnings: readonly string[]
}

const NORMAL = 1
/**
 * The journals that survive a killed process, and from which `synchronous` on they survive a power loss
 * (https://sqlite.org/pragma.html#pragma_synchronous).
 */
const FLUSHED_FROM: Readonly<Record<string, number>> = { wal: 2, delete: 3, truncate: 3, persist: 2 }

/**
 * Says in words what a database keeps.
 *
 * @example
 * describeDurability({ journalMode: 'wal', synchronous: 2 }).warnings // []
 */
export function describeDurability({ journalMode, synchronous }: FilePragmas): FileDurability {
  const flushedFrom = FLUSHED_FROM[journalMode]
  if (flushedFrom !== undefined && synchronous >= flushedFrom) {
    return {
      durability: 'Every acknowledged write is on disk: it survives a killed process and a power loss.',
      warnings: [],
    }
  }
  const loss =
    flushedFrom === undefined
      ? 'a killed process can damage the store'
      : synchronous < NORMAL
        ? 'a power loss can damage the store'
        : 'a power loss can take the last acknowledged writes'
  const found = `SQLite runs with synchronous = ${synchronous} and journal_mode = ${journalMode} in this folder`
  return {
    durability:
      flushedFrom === undefined
        ? 'Acknowledged writes are in the file, but a killed process can damage the store.'
        : `An acknowledged write survives a killed process, but ${loss}.`,
    warnings: [`Beware, ${loss}: ${found}. Put the data on another file system.`],
  }
}

/** The main thread's end of the worker that writes. */
export interface Writer {
  /** What its acknowledgement means, as the database was found to run. */
  readonly report: FileDurability
  /** Settles when the write is on disk. Rejects when it is not stored, or when the disk has not responded in time. */
  write<W extends Write>(write: W): Promise<WriteResults[W['type']]>
  /**
   * Finishes what was handed over, then ends the worker.
   *
   * @throws {StorageError} `unavailable` when the disk has not responded in time: the worker waits for it still
   */
  close(): Promise<void>
}

/** How long a write may take, in milliseconds; together with {@link LEAST_CLOSE_MS} less than the grace of a stop. */
const WRITE_MS = 6000
/** The same for all that a player has: some 30 µs a record, whatever the disk does. */
const REMOVAL_MS = 60_000
/** How long a close may take at least, in milliseconds, behind writes that are late already. */
const LEAST_CLOSE_MS = 1000
/** Most bytes of writes under way: what a stalled disk can pile up in memory. */
const MOST_PENDING_BYTES = 64 * 1024 * 1024
/** What a write takes beside its text. */
const WRITE_OVERHEAD_BYTES = 1024

interface Pending {
  readonly resolve: (result: never) => void
  readonly reject: (error: StorageError) => void
  /** By the clock of `performance`. */
  readonly since: number
  readonly bytes: number
}

function bytesOf(write: Write): number {
  if (write.type === 'append') return WRITE_OVERHEAD_BYTES + write.record.plain.length + write.record.full.length
  return WRITE_OVERHEAD_BYTES + ('value' in write ? write.value.length : 0)
}

function lateWrite(ms: number): StorageError {
  return new StorageError(
    'unavailable',
    `The disk has not taken a write within ${ms} ms. It may still be stored; send it again later.`,
  )
}

function fromReport({ code, message, cause }: ErrorReport): StorageError {
  return new StorageError(code, message, { cause })
}

function startWorker(settings: WorkerSettings): Worker {
  // From source Node runs the TypeScript file itself; built, the worker lies beside every other chunk.
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './file-worker.js'
  return new Worker(new URL(file, import.meta.url), { workerData: settings, name: 'fish-storage' })
}

class WorkerWriter implements Writer {
  readonly report: FileDurability
  readonly #worker: Worker
  readonly #gone: Promise<void>
  /** Writes without an answer, oldest first; the worker answers in order. */
  #pending: Pending[] = []
  #pendingBytes = 0
  #unsent: Write[] = []
  /** Why no more writes are taken. */
  #refusal: StorageError | undefined

  constructor(worker: Worker, report: FileDurability) {
    this.report = report
    this.#worker = worker
    worker.on('message', (reply: Reply) => this.#settle(reply))
    worker.on('error', (cause) => this.#fail(cause))
    this.#gone = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#fail(undefined)
        resolve()
      })
    })
    // An idle storage does not keep the process alive, a write under way does.
    worker.unref()
  }

  write<W extends Write>(write: W): Promise<WriteResults[W['type']]> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    const bytes = bytesOf(write)
    if (this.#pendingBytes + bytes > MOST_PENDING_BYTES) {
      return Promise.reject(
        new StorageError(
          'unavailable',
          `The disk is too slow: ${this.#pending.length} writes wait for it. Try again later.`,
        ),
      )
    }
    if (this.#pending.length === 0) this.#worker.ref()
    const written = new Promise<WriteResults[W['type']]>((resolve, reject) => {
      this.#pending.push({ resolve, reject, since: performance.now(), bytes })
    })
    this.#pendingBytes += bytes
    if (this.#unsent.push(write) === 1) queueMicrotask(() => this.#flush())
    const ms = write.type === 'removeOwner' ? REMOVAL_MS : WRITE_MS
    return withDeadline(written, ms, () => lateWrite(ms))
  }

  close(): Promise<void> {
    this.#refusal ??= closedError()
    this.#worker.ref()
    this.#flush()
    this.#post({ type: 'close' })
    const waited = performance.now() - (this.#pending[0]?.since ?? performance.now())
    return withDeadline(this.#gone, Math.max(LEAST_CLOSE_MS, WRITE_MS - waited), () => {
      this.#worker.unref()
      return new StorageError(
        'unavailable',
        `The disk does not respond. Unfinished writes: ${this.#pending.length}. Check the disk.`,
      )
    })
  }

  #post(request: Request): void {
    this.#worker.postMessage(request)
  }

  /** What was written in one turn of the event loop crosses to the worker as one message. */
  #flush(): void {
    if (this.#unsent.length === 0) return
    const writes = this.#unsent
    this.#unsent = []
    this.#post({ type: 'write', writes })
  }

  #settle(reply: Reply): void {
    if (reply.type === 'committed') {
      this.#take(reply.results.length).forEach((one, index) => {
        one.resolve(reply.results[index] as never)
      })
    } else if (reply.type === 'failed') {
      for (const one of this.#take(reply.count)) one.reject(fromReport(reply.error))
    }
    if (this.#pending.length === 0 && !this.#refusal) this.#worker.unref()
  }

  /** The oldest writes, which have their answer. */
  #take(count: number): Pending[] {
    const taken = this.#pending.splice(0, count)
    for (const { bytes } of taken) this.#pendingBytes -= bytes
    return taken
  }

  #fail(cause: unknown): void {
    const error = new StorageError('unavailable', 'The thread that writes has ended. Restart the service.', { cause })
    this.#refusal ??= error
    for (const one of this.#take(this.#pending.length)) one.reject(error)
  }
}

/**
 * Starts the worker; settles when it has the database open.
 *
 * @throws {StorageError} what kept the worker from opening it
 */
export async function startWriter(settings: WorkerSettings): Promise<Writer> {
  const worker = startWorker(settings)
  const report = await new Promise<FileDurability>((resolve, reject) => {
    const ended = (cause?: unknown) =>
      reject(new StorageError('unavailable', 'The thread that writes could not start.', { cause }))
    worker.once('error', ended)
    worker.once('exit', () => ended())
    worker.once('message', (reply: Reply) => {
      worker.off('error', ended)
      if (reply.type === 'refused') reject(fromReport(reply.error))
      else if (reply.type === 'ready') {
        const { durability, warnings } = describeDurability(reply.pragmas)
        resolve({ durability, warnings: [...warnings, ...reply.warnings] })
      }
    })
  })
  return new WorkerWriter(worker, report)
}
