import { withDeadline } from '../deadline.ts'
import { closedError, StorageError } from '../errors.ts'
import { toStorageError } from './errors.ts'

/** Operations under way at once: what a frozen Redis can pile up in memory until their deadlines. */
const MOST_UNDER_WAY = 4096

/** What a {@link Gate} knows of the connection. */
export interface GateContext {
  /** How long an operation may take, in milliseconds. */
  readonly timeoutMs: number
  readonly isReady: () => boolean
  /** What the connection suffers from, if anything. */
  readonly trouble: () => unknown
  /** A command got no answer in time. */
  readonly onSilence: () => void
}

/** Where every operation passes: none waits for ever, none waits for a connection, none starts after the end. */
export interface Gate {
  /**
   * Runs an operation. Every error becomes a `StorageError`.
   *
   * @param deadlineMs @default the gate's
   */
  run<T>(operation: () => Promise<T>, deadlineMs?: number): Promise<T>
  /** Refuses new operations and settles when those under way have. */
  close(): Promise<void>
}

function silence(ms: number): StorageError {
  return new StorageError('unavailable', `Redis did not answer within ${ms} ms. It may be sent again.`)
}

/** Makes a {@link Gate}. */
export function createGate({ timeoutMs, isReady, trouble, onSilence }: GateContext): Gate {
  let closed = false
  let underWay = 0
  let idle = () => {}

  function check(): void {
    if (closed) throw closedError()
    if (!isReady()) throw toStorageError(new Error('there is no connection'), trouble())
    if (underWay >= MOST_UNDER_WAY) {
      throw new StorageError('unavailable', `Redis is too slow: ${underWay} operations wait for it. Try again later.`)
    }
  }

  return {
    async run(operation, deadlineMs = timeoutMs) {
      check()
      underWay += 1
      try {
        const answer = operation()
        // The client's own timeout: also when the deadline here was shorter, and its error is no longer awaited.
        answer.catch((error) => {
          if (error instanceof Error && error.message === 'Command timed out') onSilence()
        })
        return await withDeadline(answer, deadlineMs, () => silence(deadlineMs))
      } catch (error) {
        throw toStorageError(error, trouble())
      } finally {
        underWay -= 1
        if (underWay === 0) idle()
      }
    },
    close() {
      closed = true
      return new Promise((resolve) => {
        idle = resolve
        if (underWay === 0) resolve()
      })
    },
  }
}
