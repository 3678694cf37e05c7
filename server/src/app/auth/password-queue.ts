import { HEADERS } from '@fish-crab/sdk/contract'
import { Failure } from '../http/failure.ts'

/** What waits for its turn. */
interface PasswordTask<Result> {
  /** Whose turn it is to be. Clients take turns, so that one with many attempts does not keep the others waiting. */
  readonly client: string
  /** Unix milliseconds since when somebody waits for it. @default now */
  readonly since?: number
  /** Leaves the queue when this aborts. @default never */
  readonly signal?: AbortSignal
  work(): Promise<Result>
}

/**
 * Runs what derives keys from passwords: slow and hungry for memory on purpose, so only a few at once.
 * @throws Failure `unavailable` for what cannot be done within 10 s; the reason of the signal that aborted
 */
export type PasswordQueue = <Result>(task: PasswordTask<Result>) => Promise<Result>

/** Two at scrypt's usual cost take 256 MiB, and leave half of Node's thread pool to others. */
const AT_ONCE = 2
const PATIENCE_MS = 10_000
/** How many may wait while it is not yet known, or next to nothing, how long one takes. */
const MOST_WAITING = 512
/** What one duration weighs in their moving average. */
const WEIGHT = 0.25

interface Waiter {
  readonly since: number
  start(): void
  refuse(): void
}

/**
 * Makes the queue.
 * @param clock unix time in milliseconds
 */
export function createPasswordQueue(clock: () => number): PasswordQueue {
  // In the order of their turns.
  const lines = new Map<string, Waiter[]>()
  let free = AT_ONCE
  let waiting = 0
  let averageMs: number | undefined

  function leave(client: string, waiter: Waiter): void {
    const others = (lines.get(client) ?? []).filter((one) => one !== waiter)
    if (others.length > 0) lines.set(client, others)
    else lines.delete(client)
  }

  /** Who waits, in the order in which they come to their turns if nobody else joins. */
  function inOrder(): [client: string, waiter: Waiter][] {
    const all: [string, Waiter][] = []
    const longest = Math.max(0, ...[...lines.values()].map(({ length }) => length))
    for (let round = 0; round < longest; round += 1) {
      for (const [client, line] of lines) {
        const waiter = line[round]
        if (waiter) all.push([client, waiter])
      }
    }
    return all
  }

  /** Sends away at once whoever would wait in vain. */
  function refuseLate(): void {
    let turnsBefore = 0
    for (const [client, waiter] of inOrder()) {
      const rounds = Math.floor(turnsBefore / AT_ONCE) + 2
      if (clock() - waiter.since + rounds * (averageMs ?? 0) <= PATIENCE_MS) turnsBefore += 1
      else {
        leave(client, waiter)
        waiter.refuse()
      }
    }
  }

  function passOn(): void {
    refuseLate()
    const [next] = lines
    if (!next) {
      free += 1
      return
    }
    const [client, [waiter, ...others]] = next
    lines.delete(client)
    if (others.length > 0) lines.set(client, others)
    waiter?.start()
  }

  async function turnOf({ client, since = clock(), signal }: PasswordTask<unknown>): Promise<void> {
    signal?.throwIfAborted()
    if (clock() - since > PATIENCE_MS) throw busy()
    if (free > 0) {
      free -= 1
      return
    }
    if (waiting >= MOST_WAITING) throw busy()
    await new Promise<void>((resolve, reject) => {
      const settle = (finish: () => void) => () => {
        waiting -= 1
        signal?.removeEventListener('abort', abort)
        finish()
      }
      const waiter: Waiter = {
        since,
        start: settle(resolve),
        refuse: settle(() => reject(busy())),
      }
      const abort = settle(() => {
        leave(client, waiter)
        reject(signal?.reason)
      })
      waiting += 1
      signal?.addEventListener('abort', abort, { once: true })
      lines.set(client, [...(lines.get(client) ?? []), waiter])
      refuseLate()
    })
  }

  return async (task) => {
    await turnOf(task)
    try {
      const startedAt = clock()
      const result = await task.work()
      const tookMs = Math.max(0, clock() - startedAt)
      averageMs = averageMs === undefined ? tookMs : averageMs + WEIGHT * (tookMs - averageMs)
      return result
    } finally {
      passOn()
    }
  }
}

function busy(): Failure {
  return new Failure('unavailable', {
    message: 'Too many logins at once. Please try again in a while.',
    headers: { [HEADERS.retryAfter]: String(PATIENCE_MS / 1000) },
  })
}
