export type FairQueue = ReturnType<typeof createFairQueue>

interface QueuedTask<Result> {
  readonly client: string
  readonly work: () => Promise<Result>
  /** When its wait began, by the clock of the queue. @default now */
  readonly since?: number
  /** Takes the task out of the queue. @default never */
  readonly signal?: AbortSignal
}

interface FairQueueOptions {
  readonly concurrency: number
  /** Tasks of one client that run at once. @default as many as run at once */
  readonly perClient?: number
  /** @default no limits */
  readonly limits?: {
    /** Longest time from its arrival until a task should be done, in milliseconds. */
    readonly maxMs: number
    /** Bounds the queue while the average duration is unknown or close to zero. */
    readonly maxWaiting: number
    /** What a task above the limits is rejected with. */
    readonly rejection: () => Error
  }
  /** Time in milliseconds. @default performance.now */
  readonly clock?: (() => number) | undefined
}

const WEIGHT = 0.25
/** Above so many waiters, it is checked now and then, not at each change, who would wait for too long. */
const MANY = 100
const CHECK_MS = 100

interface Waiter {
  readonly since: number
  start(): void
  reject(): void
}

/** Runs tasks of many clients a few at a time. Clients take turns, so one with many tasks does not delay the others. */
export function createFairQueue({
  concurrency,
  perClient = concurrency,
  limits,
  clock = () => performance.now(),
}: FairQueueOptions) {
  /** Waiters by client, in the order of their turns: a client whose task starts moves to the end. */
  const lines = new Map<string, Waiter[]>()
  const running = new Map<string, number>()
  let free = concurrency
  let waiting = 0
  let averageMs: number | undefined
  let checkedAt = 0

  const mayRun = (client: string) => free > 0 && (running.get(client) ?? 0) < perClient

  function take(client: string): void {
    free -= 1
    running.set(client, (running.get(client) ?? 0) + 1)
  }

  function release(client: string): void {
    free += 1
    const left = (running.get(client) ?? 0) - 1
    if (left > 0) running.set(client, left)
    else running.delete(client)
  }

  function leave(client: string, waiter: Waiter): void {
    const others = (lines.get(client) ?? []).filter((other) => other !== waiter)
    if (others.length > 0) lines.set(client, others)
    else lines.delete(client)
  }

  /** All waiters in the order of their turns, if no others join. */
  const inOrder = () =>
    [...lines]
      .flatMap(([client, line]) => line.map((waiter, round) => ({ client, waiter, round })))
      .sort((one, other) => one.round - other.round)

  function rejectLate(): void {
    // Each waiter that comes or goes would else cost as much as there are waiters.
    if (!limits || (waiting > MANY && clock() - checkedAt < CHECK_MS)) return
    checkedAt = clock()
    let turnsBefore = 0
    for (const { client, waiter } of inOrder()) {
      const rounds = Math.floor(turnsBefore / concurrency) + 2
      if (clock() - waiter.since + rounds * (averageMs ?? 0) <= limits.maxMs) turnsBefore += 1
      else {
        leave(client, waiter)
        waiter.reject()
      }
    }
  }

  function startNext(): void {
    rejectLate()
    for (const [client, line] of lines) {
      if (!mayRun(client)) continue
      const [waiter, ...others] = line
      lines.delete(client)
      if (others.length > 0) lines.set(client, others)
      take(client)
      waiter?.start()
      return
    }
  }

  /** Rejects the latest waiter of the client with the most waiters, or this client if it would be that one. */
  function makeRoomFor(client: string, rejection: () => Error): void {
    const [busiest, waiters] = [...lines].reduce((one, other) => (other[1].length > one[1].length ? other : one))
    const latest = waiters.at(-1)
    if (!latest || waiters.length <= (lines.get(client)?.length ?? 0) + 1) throw rejection()
    leave(busiest, latest)
    latest.reject()
  }

  async function waitForTurn({ client, since = clock(), signal }: QueuedTask<unknown>): Promise<void> {
    signal?.throwIfAborted()
    if (limits && clock() - since > limits.maxMs) throw limits.rejection()
    if (mayRun(client)) {
      take(client)
      return
    }
    if (limits && waiting >= limits.maxWaiting) makeRoomFor(client, limits.rejection)
    await new Promise<void>((resolve, reject) => {
      const settle = (finish: () => void) => () => {
        waiting -= 1
        signal?.removeEventListener('abort', abort)
        finish()
      }
      const waiter: Waiter = {
        since,
        start: settle(resolve),
        reject: settle(() => reject(limits?.rejection())),
      }
      const abort = settle(() => {
        leave(client, waiter)
        reject(signal?.reason)
      })
      waiting += 1
      signal?.addEventListener('abort', abort, { once: true })
      lines.set(client, [...(lines.get(client) ?? []), waiter])
      rejectLate()
    })
  }

  return {
    get waiting(): number {
      return waiting
    },
    now: clock,
    /** @throws the rejection of the queue for a task that would end too late; the reason of an aborted signal */
    async run<Result>(task: QueuedTask<Result>): Promise<Result> {
      await waitForTurn(task)
      try {
        const startedAt = clock()
        const result = await task.work()
        const durationMs = Math.max(0, clock() - startedAt)
        averageMs = averageMs === undefined ? durationMs : averageMs + WEIGHT * (durationMs - averageMs)
        return result
      } finally {
        release(task.client)
        startNext()
      }
    },
  }
}
