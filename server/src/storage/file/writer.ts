import { setImmediate } from 'node:timers'
import { Worker } from 'node:worker_threads'
import { withDeadline } from '../core/deadline.ts'
import { closedError, StorageError, type StorageErrorCode } from '../core/errors.ts'
import type { Write, WriteArgs, WriteResult, WriteType } from './commands.ts'

/** A message from the main thread to the worker. */
export type Request = { readonly type: 'write'; readonly writes: readonly Write[] } | { readonly type: 'close' }

/** The parts of a `StorageError` that are sent from the worker to the main thread. */
export interface ErrorReport {
  readonly code: StorageErrorCode
  readonly problem: string
  readonly hint: string | undefined
  readonly cause: unknown
}

/** A message from the worker to the main thread. `committed` and `failed` apply to the oldest pending writes. */
export type Reply =
  | { readonly type: 'ready'; readonly pragmas: FilePragmas }
  | { readonly type: 'refused'; readonly error: ErrorReport }
  | {
      readonly type: 'committed'
      readonly results: readonly (WriteResult | undefined)[]
      /** The error of the writes for which the disk has no space, and whether each write is one of them. @default none */
      readonly refused?: { readonly error: ErrorReport; readonly writes: readonly boolean[] }
      /** The unused share of the reserve. @default 1 */
      readonly remainingReserve?: number
    }
  | { readonly type: 'failed'; readonly count: number; readonly error: ErrorReport }

/** The values of the pragmas `journal_mode` and `synchronous`. */
export interface FilePragmas {
  readonly journalMode: string
  /** 0 to 3: OFF, NORMAL, FULL, EXTRA. */
  readonly synchronous: number
}

interface FileDurability {
  readonly durability: string
  readonly warnings: readonly string[]
}

/** At this value of the pragma `synchronous` or above, SQLite flushes a write-ahead log at every commit. */
const FULL = 2

/**
 * Describes the durability of writes with these pragmas. A file system without shared memory does not allow a
 * write-ahead log.
 */
export function describeDurability({ journalMode, synchronous }: FilePragmas): FileDurability {
  if (journalMode === 'wal' && synchronous >= FULL) {
    return {
      durability: 'Every acknowledged write is on disk: it survives a killed process and a power loss.',
      warnings: [],
    }
  }
  const loss = 'A killed process or a power loss can lose acknowledged writes or damage the store'
  const mode = `SQLite runs with synchronous = ${synchronous} and journal_mode = ${journalMode} in this folder`
  return { durability: `${loss}.`, warnings: [`${loss}: ${mode}. Put the data on another file system.`] }
}

/**
 * Time limit of a write, in milliseconds. The sum of this limit and {@link MIN_CLOSE_MS} is shorter than the grace
 * period of a stop.
 */
const WRITE_MS = 6000
/** Minimum time for a close while writes are late, in milliseconds. */
const MIN_CLOSE_MS = 1000
/** Maximum size of all pending writes, in bytes: while the disk stalls, pending writes use memory. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024
const WRITE_OVERHEAD_BYTES = 1024
const TALLY_BYTES = 256

interface PendingWrite {
  readonly write: Write
  readonly resolve: (result: never) => void
  readonly reject: (error: StorageError) => void
  /** The time at which the write was requested, from `performance.now()`. */
  readonly since: number
  readonly bytes: number
}

/** Starts the worker. Resolves when the worker has locked the folder, and has opened the checked or new database. */
export async function startWriter(folder: string): Promise<Writer> {
  // From sources, Node runs the TypeScript file directly. The build writes the worker next to its other chunks.
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './file-worker.js'
  const worker = new Worker(new URL(file, import.meta.url), { workerData: folder, name: 'fish-storage' })
  const report = await new Promise<FileDurability>((resolve, reject) => {
    const ended = (cause?: unknown) =>
      reject(new StorageError('unavailable', 'The writer thread could not start.', { cause }))
    worker.once('error', ended)
    worker.once('exit', () => ended())
    worker.once('message', (reply: Reply) => {
      worker.off('error', ended)
      if (reply.type === 'refused') reject(fromReport(reply.error))
      else if (reply.type === 'ready') resolve(describeDurability(reply.pragmas))
    })
  })
  return new Writer(worker, report)
}

/** The main thread's side of the worker that writes. */
export class Writer {
  readonly report: FileDurability
  readonly #worker: Worker
  readonly #exited: Promise<void>
  /** The pending writes, oldest first. The worker replies in this order. */
  #pending: PendingWrite[] = []
  #pendingBytes = 0
  #deadline: ReturnType<typeof setTimeout> | undefined
  #unsent: Write[] = []
  /** The reason why no more writes are accepted. */
  #refusal: StorageError | undefined
  #onSettled: (write: Write) => void = () => {}
  /** The unused share of the reserve, from 0 to 1. */
  remainingReserve = 1

  constructor(worker: Worker, report: FileDurability) {
    this.report = report
    this.#worker = worker
    worker.on('message', (reply: Reply) => this.#receive(reply))
    worker.on('error', (cause) => this.#fail(cause))
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#fail(undefined)
        resolve()
      })
    })
    // An idle storage does not keep the process alive. A pending write keeps the process alive.
    worker.unref()
  }

  /**
   * @param listener called with each write that is stored or has failed, before its promise settles, even after the time
   * limit
   */
  onSettled(listener: (write: Write) => void): void {
    this.#onSettled = listener
  }

  /**
   * Resolves when the write is on disk. Rejects when the write is not stored, or when the disk has not responded in
   * time.
   */
  write<Type extends WriteType>(type: Type, ...args: WriteArgs<Type>): Promise<WriteResult<Type>> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    const write = { type, args } as Write
    const bytes = bytesOf(write)
    if (this.#pendingBytes + bytes > MAX_PENDING_BYTES) {
      const problem = `The disk is too slow: ${this.#pending.length} writes wait for it.`
      return Promise.reject(new StorageError('unavailable', problem, { hint: 'Try again later.' }))
    }
    if (this.#pending.length === 0) this.#worker.ref()
    const written = new Promise<WriteResult<Type>>((resolve, reject) => {
      this.#pending.push({ write, resolve, reject, since: performance.now(), bytes })
    })
    this.#pendingBytes += bytes
    // Wait for the other writes of this turn of the event loop: each message to an idle worker becomes a separate
    // transaction.
    if (this.#unsent.push(write) === 1) setImmediate(() => this.#flush())
    if (!this.#deadline) this.#startDeadline(WRITE_MS)
    return written
  }

  #startDeadline(ms: number): void {
    this.#deadline = setTimeout(() => this.#rejectLate(), ms).unref()
  }

  /** One timer serves all writes, because a timer for each write takes longer than the rest of {@link write}. */
  #rejectLate(): void {
    const now = performance.now()
    this.#deadline = undefined
    for (const { since, reject } of this.#pending) {
      const remaining = since + WRITE_MS - now
      if (remaining > 0) {
        this.#startDeadline(remaining)
        return
      }
      reject(writeTimeoutError(WRITE_MS))
    }
  }

  /**
   * Finishes pending writes, then ends the worker.
   * @throws {StorageError} `unavailable` if the disk does not respond in time
   */
  async close(): Promise<void> {
    this.#refusal ??= closedError()
    this.#worker.ref()
    this.#flush()
    this.#post({ type: 'close' })
    const waited = performance.now() - (this.#pending[0]?.since ?? performance.now())
    await withDeadline(this.#exited, Math.max(MIN_CLOSE_MS, WRITE_MS - waited), () => {
      this.#worker.unref()
      return new StorageError(
        'unavailable',
        `The disk does not respond. Unfinished writes: ${this.#pending.length}. They were not acknowledged and may be lost.`,
        { hint: 'Check the disk.' },
      )
    })
  }

  #post(request: Request): void {
    this.#worker.postMessage(request)
  }

  /** Sends the writes of one turn of the event loop in one message. */
  #flush(): void {
    if (this.#unsent.length === 0) return
    const writes = this.#unsent
    this.#unsent = []
    this.#post({ type: 'write', writes })
  }

  #receive(reply: Reply): void {
    if (reply.type === 'committed') {
      const { results, refused } = reply
      this.remainingReserve = reply.remainingReserve ?? 1
      this.#settle(results.length, (index) => (refused?.writes[index] ? fromReport(refused.error) : undefined), results)
    } else if (reply.type === 'failed') {
      this.#settle(reply.count, () => fromReport(reply.error))
    }
    if (this.#pending.length === 0 && !this.#refusal) this.#worker.unref()
  }

  /** Settles the oldest pending writes. @param errorOf returns the error of a write that failed */
  #settle(
    count: number,
    errorOf: (index: number) => StorageError | undefined,
    results: readonly (WriteResult | undefined)[] = [],
  ): void {
    for (const [index, { write, bytes, resolve, reject }] of this.#pending.splice(0, count).entries()) {
      const error = errorOf(index)
      this.#pendingBytes -= bytes
      this.#onSettled(write)
      if (error) reject(error)
      else resolve(results[index] as never)
    }
  }

  #fail(cause: unknown): void {
    const error = new StorageError('unavailable', 'The writer thread has ended.', {
      hint: 'Restart the service.',
      cause,
    })
    this.#refusal ??= error
    this.#settle(this.#pending.length, () => error)
  }
}

function bytesOf({ type, args }: Write): number {
  if (type === 'setTimes') return WRITE_OVERHEAD_BYTES + TALLY_BYTES * args[1].length
  // The tally of a record contains the names of its entries again.
  if (type === 'append') return WRITE_OVERHEAD_BYTES + 2 * args[1].entries.length
  if (type === 'removeEntriesIf') return WRITE_OVERHEAD_BYTES + 2 * (args[1].remaining?.entries.length ?? 0)
  return args.map(String).reduce((sum, text) => sum + text.length, WRITE_OVERHEAD_BYTES)
}

function writeTimeoutError(ms: number): StorageError {
  return new StorageError(
    'unavailable',
    `The disk has not completed a write within ${ms} ms. It may still be stored; send it again later.`,
  )
}

function fromReport({ code, problem, ...rest }: ErrorReport): StorageError {
  return new StorageError(code, problem, rest)
}
