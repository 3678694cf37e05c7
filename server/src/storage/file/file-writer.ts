import { Worker } from 'node:worker_threads'
import { closedError, StorageError } from '../errors.ts'
import { describeDurability, type FileDurability, type FilePragmas } from './file-durability.ts'
import type { ErrorReport, Reply, Request, WorkerSettings, Write, WriteResults } from './file-messages.ts'

/** The main thread's end of the worker that writes. */
export interface Writer {
  /** What its acknowledgement means, as the database was found to run. */
  readonly report: FileDurability
  /** Settles when the write is on disk, rejects when it is not stored. */
  write<W extends Write>(write: W): Promise<WriteResults[W['type']]>
  /** Finishes what was handed over, then ends the worker. */
  close(): Promise<void>
}

interface Pending {
  readonly resolve: (result: never) => void
  readonly reject: (error: StorageError) => void
}

function fromReport({ code, message, cause }: ErrorReport): StorageError {
  return new StorageError(code, message, { cause })
}

function startWorker(settings: WorkerSettings): Worker {
  // From source Node runs the TypeScript file itself; built, the worker lies beside every other chunk.
  const file = import.meta.url.endsWith('.ts') ? './file-worker.ts' : './file-worker.js'
  return new Worker(new URL(file, import.meta.url), { workerData: settings, name: 'fish-storage' })
}

class WorkerWriter implements Writer {
  readonly report: FileDurability
  readonly #worker: Worker
  readonly #gone: Promise<void>
  /** Writes without an answer, oldest first; the worker answers in order. */
  #pending: Pending[] = []
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
    return new Promise((resolve, reject) => {
      if (this.#refusal) {
        reject(this.#refusal)
        return
      }
      if (this.#pending.length === 0) this.#worker.ref()
      this.#pending.push({ resolve, reject })
      if (this.#unsent.push(write) === 1) queueMicrotask(() => this.#flush())
    })
  }

  close(): Promise<void> {
    this.#refusal ??= closedError()
    this.#worker.ref()
    this.#flush()
    this.#post({ type: 'close' })
    return this.#gone
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
      const answered = this.#pending.splice(0, reply.results.length)
      answered.forEach((one, index) => {
        one.resolve(reply.results[index] as never)
      })
    } else if (reply.type === 'failed') {
      for (const one of this.#pending.splice(0, reply.count)) one.reject(fromReport(reply.error))
    }
    if (this.#pending.length === 0 && !this.#refusal) this.#worker.unref()
  }

  #fail(cause: unknown): void {
    const error = new StorageError('unavailable', 'The thread that writes has ended. Restart the service.', { cause })
    this.#refusal ??= error
    for (const one of this.#pending.splice(0)) one.reject(error)
  }
}

/**
 * Starts the worker; settles when it has the database open.
 *
 * @throws {StorageError} what kept the worker from opening it
 */
export async function startWriter(settings: WorkerSettings): Promise<Writer> {
  const worker = startWorker(settings)
  const pragmas = await new Promise<FilePragmas>((resolve, reject) => {
    const ended = (cause?: unknown) =>
      reject(new StorageError('unavailable', 'The thread that writes could not start.', { cause }))
    worker.once('error', ended)
    worker.once('exit', () => ended())
    worker.once('message', (reply: Reply) => {
      worker.off('error', ended)
      if (reply.type === 'refused') reject(fromReport(reply.error))
      else if (reply.type === 'ready') resolve(reply.pragmas)
    })
  })
  return new WorkerWriter(worker, describeDurability(pragmas))
}
