import { createClientCounts } from './client-counts.ts'
import { type Schedule, yieldToEvents } from './schedule.ts'

export type FairQueue = ReturnType<typeof createFairQueue>

interface QueuedTask<Result> {
  readonly client: string
  readonly work: () => Promise<Result>
  /** Signal that removes the task from the queue. @default never */
  readonly signal?: AbortSignal | undefined
}

interface FairQueueOptions {
  readonly concurrency: number
  /** Maximum number of concurrent tasks of one client. @default `concurrency` */
  readonly perClient?: number
  /** @default tasks wait without a limit */
  readonly limit?: {
    /** Longest wait for a turn, in milliseconds. */
    readonly waitMs: number
    readonly schedule: Schedule
    /** Creates the error of a task that has waited too long. */
    readonly rejection: () => Error
  }
}

/**
 * Creates a queue that runs at most `concurrency` tasks at the same time. Clients take turns, so that a client with
 * many tasks does not delay other clients. Each waiting task starts in a turn of the event loop of its own. Otherwise, a
 * long queue of short tasks would block all other events.
 */
export function createFairQueue({ concurrency, perClient = concurrency, limit }: FairQueueOptions) {
  /** Waiting tasks by client, in the order of turns. When a task starts, its client moves to the end. */
  const lines = new Map<string, Set<() => void>>()
  const running = createClientCounts()
  let free = concurrency
  let waiting = 0
  /** The turn of the event loop in which the last waiting task starts. */
  let lastTurn = Promise.resolve()

  const mayRun = (client: string) => free > 0 && running.of(client) < perClient

  function take(client: string): void {
    free -= 1
    running.add(client, 1)
  }

  function release(client: string): void {
    free += 1
    running.add(client, -1)
  }

  function startNext(): void {
    for (const [client, line] of lines) {
      if (!mayRun(client)) continue
      const [start] = line
      lines.delete(client)
      lines.set(client, line)
      take(client)
      start?.()
      return
    }
  }

  async function waitForTurn(client: string, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const line = lines.get(client) ?? new Set()
      const settle = (finish: () => void) => () => {
        waiting -= 1
        line.delete(start)
        if (line.size === 0) lines.delete(client)
        cancelLimit?.()
        signal?.removeEventListener('abort', abort)
        finish()
      }
      const start = settle(resolve)
      const abort = settle(() => reject(signal?.reason))
      const cancelLimit = limit?.schedule(
        limit.waitMs,
        settle(() => reject(limit.rejection())),
      )
      waiting += 1
      lines.set(client, line.add(start))
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  return {
    get waiting(): number {
      return waiting
    },
    /** @throws the error of `limit.rejection` if the task waits too long, or the reason of an aborted signal */
    async run<Result>({ client, work, signal }: QueuedTask<Result>): Promise<Result> {
      signal?.throwIfAborted()
      const isFree = mayRun(client)
      if (isFree) take(client)
      else await waitForTurn(client, signal)
      try {
        if (!isFree) {
          lastTurn = lastTurn.then(yieldToEvents)
          await lastTurn
        }
        signal?.throwIfAborted()
        return await work()
      } finally {
        release(client)
        startNext()
      }
    },
  }
}
