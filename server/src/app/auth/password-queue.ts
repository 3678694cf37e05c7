import { HEADERS } from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'

/** A task that waits for its turn. */
interface PasswordTask<Result> {
  /** The client it runs for. Clients take turns, so that one with many attempts does not delay the others. */
  readonly client: string
  /** When the wait for it began, in Unix milliseconds. @default now */
  readonly since?: number
  /** Leaves the queue when this aborts. @default never */
  readonly signal?: AbortSignal
  work(): Promise<Result>
}

/**
 * Runs key derivations, which are slow and use much memory on purpose, a few at a time.
 * @throws Failure `unavailable` for a task that would not finish within 10 s; the reason of the signal that aborted
 */
export type PasswordQueue = <Result>(task: PasswordTask<Result>) => Promise<Result>

/** Two at scrypt's usual cost take 256 MiB, and leave half of Node's thread pool to others. */
const AT_ONCE = 2
const PATIENCE_MS = 10_000
/** Bounds the queue while the average duration is unknown or close to zero. */
const MOST_WAITING = 512
/** Weight of the latest duration in the moving average. */
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

  /** All waiters in the order of their turns, if no others join. */
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

  /** Rejects waiters whose turn would come too late. */
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

  /** Rejects the latest waiter of the client that has the most, unless that is this one. */
  function makeRoomFor(client: string): void {
    const [most, waiters] = [...lines].reduce((one, other) => (other[1].length > one[1].length ? other : one))
    const latest = waiters.at(-1)
    if (!latest || waiters.length <= (lines.get(client)?.length ?? 0) + 1) throw busy()
    leave(most, latest)
    latest.refuse()
  }

  async function turnOf({ client, since = clock(), signal }: PasswordTask<unknown>): Promise<void> {
    signal?.throwIfAborted()
    if (clock() - since > PATIENCE_MS) throw busy()
    if (free > 0) {
      free -= 1
      return
    }
    if (waiting >= MOST_WAITING) makeRoomFor(client)
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

function busy(): HttpError {
  return new HttpError('unavailable', {
    message: 'Too many logins at once. Please try again in a while.',
    headers: { [HEADERS.retryAfter]: String(PATIENCE_MS / 1000) },
  })
}
