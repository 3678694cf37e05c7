import { untilAborted } from '../../../sdk/src/internal/wait.ts'

/** A pending sleep or timer of a {@link MockClock}. */
export interface ClockSleeper {
  /** @example 'a client sleeps' */
  readonly reason: string
  /**
   * The wake-up time on the mock's clock. `undefined` means that the sleeper never wakes up, as with the fault
   * `'silence'`.
   */
  readonly until: Date | undefined
}

/** The clock of a mock. As the `clock` option of the SDK's `createClient`, it also controls the client's waits and timeouts. */
export interface MockClock {
  /** Unix time in milliseconds. */
  now(): number
  /**
   * Waits until requests in flight have completed or sleep, then advances from one wake-up to the next. Resolves when
   * all woken calls have completed or sleep again, so always await the promise.
   * @throws RangeError when `milliseconds` is negative or not a number, or the result exceeds the range of a Date
   * @example
   * const listing = client.fish.list() // waits for the window to end
   * await mock.clock.advance(300_000)
   * await listing
   */
  advance(milliseconds: number): Promise<void>
  /**
   * Resolves when the time has passed on this clock. Rejects with the reason of the signal when the signal aborts.
   * While the clock is stopped, only `advance` and the option `autoAdvance` let time pass.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Pending sleeps and timers, in the order of their wake-ups. */
  readonly sleepers: readonly ClockSleeper[]
}

interface ClockOptions {
  /** Stops the clock at a time. @default the clock follows `source` */
  readonly startAt?: number | Date | undefined
  /** The time to follow. @default Date.now, looked up at each call, so that fake timers work */
  readonly source?: (() => number) | undefined
  readonly autoAdvance?: boolean | undefined
}

/** A clock with further methods for SDK clients, for the transports of a mock and for the reset of a mock. */
export interface ResettableClock extends MockClock {
  /** Starts a timer for the timeout of an SDK client. @returns a function that cancels the timer */
  setTimer(milliseconds: number, onEnd: () => void): () => void
  /** Like `sleep`, for a delayed response. */
  hold(milliseconds: number, signal?: AbortSignal): Promise<void>
  during<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Records that a call of an SDK client used up the rate limit until this time. Unless the client uses this clock,
   * `advance` warns about the call.
   */
  recordExhausted(call: string, until: number): void
  /**
   * Calls `run` once when the time has passed. The service itself uses these timers. No caller waits for these timers,
   * so `autoAdvance` does not advance to them, and `sleepers` does not list them.
   */
  schedule(milliseconds: number, run: () => void): () => void
  reset(): void
}

/** The range of a Date around 1970, in milliseconds (ECMA-262, section 21.4.1.1). */
const MAX_UNIX_MS = 8.64e15
/** The maximum delay of platform timers, in milliseconds: longer ones fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** Turns of the event loop without activity after which all clients are considered asleep. */
const QUIET_TURNS = 20
/** Number of turns (about a second) after which a request is assumed to wait for something outside of this mock. */
const MAX_TURNS = 200_000
/** Delay of the warning about a test that hangs. Test runners have a default timeout of 5 s, which must come later. */
export const WARN_AFTER_MS = 3000
/**
 * A wait of this length on a running clock, such as for the rate limit, causes the warning, because it outlasts every
 * test.
 */
const LONG_WAIT_MS = 60_000

const REASONS = {
  sleep: 'a client sleeps',
  hold: 'a response is delayed by a fault',
  timeoutMs: 'a client waits for a response (timeoutMs)',
}

interface Sleeper {
  /** No caller waits for a sleeper of the kind `service`. */
  readonly kind: keyof typeof REASONS | 'service'
  readonly wakeAt: number
  wake(): void
  /** Starts the real timer for the remaining time, if the clock runs. */
  arm(): void
}

export function createClock({
  startAt,
  source = () => Date.now(),
  autoAdvance = false,
}: ClockOptions): ResettableClock {
  const start = startAt === undefined ? undefined : toUnixMs(startAt)
  const all = new Set<Sleeper>()
  let offset = 0
  let resets = 0
  let busy = 0
  let changes = 0
  let isJumping = false
  let lastMove: Promise<void> = Promise.resolve()
  let warning: ReturnType<typeof setTimeout> | undefined
  let exhausted: { readonly call: string; readonly until: number } | undefined

  const now = () => (start ?? source()) + offset
  const inOrder = () => [...all].sort((one, other) => one.wakeAt - other.wakeAt)
  const clients = () => inOrder().filter(({ kind }) => kind !== 'service')
  const count = (kind: Sleeper['kind']) => [...all].filter((sleeper) => sleeper.kind === kind).length

  async function waitUntilIdle(): Promise<void> {
    let quiet = 0
    let seen = changes
    await flushTasks((turns) => {
      // Every request in flight has a timeout on this clock, and a request that is delayed by a fault also has a held
      // response.
      const areClientsAsleep = busy === 0 && count('timeoutMs') <= count('hold')
      quiet = changes === seen && areClientsAsleep ? quiet + 1 : 0
      seen = changes
      return quiet < QUIET_TURNS && turns < MAX_TURNS
    })
  }

  /** @returns the distance in milliseconds, or `undefined` if the next wake-up is further away than `max` */
  function advanceTo(next: Sleeper | undefined, max: number): number | undefined {
    const distance = next ? Math.max(0, next.wakeAt - now()) : Number.POSITIVE_INFINITY
    if (!Number.isFinite(distance) || distance > max) return undefined
    moveBy(distance)
    return distance
  }

  function moveBy(distance: number): void {
    offset += distance
    const reached = now()
    for (const sleeper of inOrder()) {
      if (sleeper.wakeAt <= reached) sleeper.wake()
      else sleeper.arm()
    }
  }

  /** Runs moves of the clock one after the other. */
  function enqueueMove(move: () => Promise<void>): Promise<void> {
    const moved = lastMove.then(move)
    lastMove = moved.catch(() => {})
    return moved
  }

  function jump(): void {
    if (!autoAdvance || isJumping) return
    isJumping = true
    enqueueMove(async () => {
      do await waitUntilIdle()
      while (advanceTo(clients()[0], Number.POSITIVE_INFINITY) !== undefined)
      isJumping = false
    })
  }

  /** Warns about a client with its own clock, which waits in real time. */
  function warnOfOtherClocks(): void {
    const waitMs = exhausted ? exhausted.until - now() : 0
    if (waitMs > 0) {
      // biome-ignore lint/suspicious/noConsole: a test that hangs has no other way to find the reason
      console.warn(
        `${exhausted?.call} used up the rate limit of a client that does not use the clock of the mock. Its next call waits ` +
          `${Math.ceil(waitMs / 1000)} s in real time, whatever advance() does. Pass clock: mock.clock to its createClient(), ` +
          'or raise createMock({ limits: { requests } }).',
      )
    }
    exhausted = undefined
  }

  /** Schedules a warning in case nothing changes while a client waits. */
  function onChange(): void {
    changes += 1
    clearTimeout(warning)
    const isHanging = clients().some(({ wakeAt }) => start !== undefined || wakeAt - now() >= LONG_WAIT_MS)
    if (autoAdvance || !isHanging) return
    // biome-ignore lint/suspicious/noConsole: a test that hangs has no other way to find the reason
    warning = setTimeout(() => console.warn(describeSleepers(now(), sleepers(), start !== undefined)), WARN_AFTER_MS)
    unref(warning)
  }

  function add(kind: Sleeper['kind'], milliseconds: number, onEnd: () => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined
    const remove = () => {
      clearTimeout(timer)
      all.delete(sleeper)
      if (kind !== 'service') onChange()
    }
    const sleeper: Sleeper = {
      kind,
      wakeAt: now() + milliseconds,
      wake() {
        remove()
        onEnd()
      },
      arm() {
        clearTimeout(timer)
        if (start !== undefined || !Number.isFinite(milliseconds)) return
        timer = setTimeout(sleeper.wake, Math.min(sleeper.wakeAt - now(), MAX_TIMER_MS))
        if (kind === 'service') unref(timer)
      },
    }
    all.add(sleeper)
    sleeper.arm()
    if (kind === 'service') return remove
    onChange()
    jump()
    return remove
  }

  const sleepAs =
    (kind: 'sleep' | 'hold') =>
    async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      let remove = () => {}
      const elapse = () =>
        new Promise<void>((resolve) => {
          if (milliseconds <= 0) resolve()
          else remove = add(kind, milliseconds, resolve)
        })
      await untilAborted(elapse, signal).finally(() => remove())
    }

  const sleepers = () =>
    clients().map(({ kind, wakeAt }) => ({
      reason: REASONS[kind as keyof typeof REASONS],
      until: Number.isFinite(wakeAt) ? new Date(wakeAt) : undefined,
    }))

  return {
    now,

    advance(milliseconds) {
      if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
        throw new RangeError('advance() requires 0 or more milliseconds.')
      }
      toUnixMs(now() + milliseconds)
      warnOfOtherClocks()
      const since = resets
      return enqueueMove(async () => {
        let left = milliseconds
        await waitUntilIdle()
        while (resets === since) {
          const distance = advanceTo(inOrder()[0], left)
          if (distance === undefined) {
            moveBy(left)
            return
          }
          left -= distance
          await waitUntilIdle()
        }
      })
    },

    reset() {
      offset = 0
      resets += 1
      exhausted = undefined
      // Wake all clients except those in infinite sleeps, because the clock may never reach their wake-up times again.
      for (const sleeper of clients()) if (Number.isFinite(sleeper.wakeAt)) sleeper.wake()
    },

    sleep: sleepAs('sleep'),
    hold: sleepAs('hold'),
    setTimer: (milliseconds, onEnd) => add('timeoutMs', milliseconds, onEnd),
    schedule: (milliseconds, run) => add('service', milliseconds, run),

    get sleepers() {
      return sleepers()
    },

    recordExhausted(call, until) {
      // A client on this clock has a timeout here during a request, so a client without a timeout uses another clock.
      if (count('timeoutMs') === 0) exhausted = { call, until }
    },

    async during(work) {
      busy += 1
      changes += 1
      try {
        return await work()
      } finally {
        busy -= 1
        changes += 1
      }
    },
  }
}

/** Lets the process end while the timer is pending. In browsers, a timer is a number. */
function unref(timer: ReturnType<typeof setTimeout> | undefined): void {
  ;(timer as Partial<NodeJS.Timeout> | undefined)?.unref?.()
}

function describeSleepers(now: number, sleepers: readonly ClockSleeper[], isStopped: boolean): string {
  const lines = sleepers.map(({ reason, until }) =>
    until
      ? `\n- ${reason}, until ${until.toISOString()}, ${Math.max(0, Math.ceil(until.getTime() - now))} ms from now`
      : `\n- ${reason}, forever`,
  )
  const state = isStopped ? `is stopped at ${new Date(now).toISOString()}` : 'runs'
  return (
    `The clock of a mock ${state}; these wait for it:${lines.join('')}\n` +
    'Use mock.clock.advance(ms) or createMock({ autoAdvance: true }).'
  )
}

/** @throws RangeError when the time exceeds the range of a Date */
export function toUnixMs(time: number | Date, what = 'A time'): number {
  const milliseconds = Number(time)
  if (Math.abs(milliseconds) <= MAX_UNIX_MS) return milliseconds
  throw new RangeError(`${what} must be a valid Date, or unix time in milliseconds.`)
}

/**
 * Waits for turns of the event loop, one by default. Timers are not used, because fake timers would stop the network of
 * the mock.
 */
export function flushTasks(shouldContinue: (turns: number) => boolean = () => false): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  let turns = 0
  return new Promise((resolve) => {
    port1.onmessage = () => {
      turns += 1
      if (shouldContinue(turns)) return port2.postMessage(undefined)
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
