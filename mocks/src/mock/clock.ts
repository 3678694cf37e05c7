import { nextTurns } from './next-turns.ts'

/** Someone who waits on a {@link MockClock}. */
export interface ClockSleeper {
  /** @example 'a client sleeps' */
  readonly reason: string
  /** When it is woken, by the mock's clock; `undefined`: never, as with the fault `'silence'`. */
  readonly until: Date | undefined
}

/** The time of a mock. Fits the `clock` option of the SDK's `createClient`, whose waits and timeouts then go by it. */
export interface MockClock {
  /** Unix time in milliseconds. */
  now(): number
  /**
   * Moves the clock on, from one wake-up to the next, once what is under way has come to its end or waits. Resolves
   * when all that was woken has done so too: await it.
   * @throws RangeError when `milliseconds` is not a number from 0 on, or leads beyond what a Date can hold
   * @example
   * const listing = client.fish.list() // waits for the window to end
   * await mock.clock.advance(300_000)
   * await listing
   */
  advance(milliseconds: number): Promise<void>
  /**
   * Sets the clock to a moment at once, also one in the past, and wakes whoever slept until then.
   * @throws RangeError when that is no moment
   */
  set(moment: number | Date): void
  /**
   * Resolves once so many milliseconds have passed on this clock. Rejects with the signal's reason when that aborts.
   * While the clock stands still, only `advance`, `set` and the option `autoAdvance` let time pass.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls back once, when so many milliseconds have passed on this clock. Clients of the SDK time their requests and
   * calls by it.
   * @param limit Which option of the client it is for.
   * @returns cancels it
   */
  setTimer(milliseconds: number, onEnd: () => void, limit: 'timeoutMs' | 'deadlineMs'): () => void
  /** Who waits on this clock, in the order in which they are woken. */
  readonly sleepers: readonly ClockSleeper[]
}

/** What a world's clock goes by. */
export interface ClockOptions {
  /** Where the clock stands still, in unix milliseconds. @default it goes on with `source` */
  readonly startAt?: number | Date | undefined
  /** The time that goes on. Looked up at each call, so that fake timers work. @default Date.now */
  readonly source?: (() => number) | undefined
  /** Whether it jumps to the next wake-up when everyone sleeps. @default false */
  readonly autoAdvance?: boolean | undefined
}

/** A clock that a world can turn back to its beginning. */
export interface WorldClock extends MockClock {
  /** As `sleep`, for a response that is held back. */
  hold(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Counts as under way until the work settles. */
  during<Result>(work: () => Promise<Result>): Promise<Result>
  /** Turns it back, and wakes whoever sleeps. */
  reset(): void
}

/** The furthest that a Date reaches from 1970, in milliseconds (ECMA-262, section 21.4.1.1). */
const LAST_MOMENT = 8.64e15
/** The longest that timers wait, in milliseconds: a longer one would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1
/** How long nothing may happen before everyone is taken to sleep: between two steps, a client waits for nothing else. */
const QUIET_TURNS = 20
/** After so many turns, about a second, a request is taken to wait for someone who is not of this mock. */
const MOST_TURNS = 200_000
/** When a test is told why it hangs: before its runner gives up, which is after 5 s by default. */
const TELL_AFTER_MS = 3000

const REASONS = {
  sleep: 'a client sleeps',
  hold: 'a response is held back by a fault',
  timeoutMs: 'a client waits for a response (timeoutMs)',
  deadlineMs: 'a call of a client is under way (deadlineMs)',
}

interface Sleeper {
  readonly kind: keyof typeof REASONS
  readonly wakeAt: number
  wake(): void
}

/** Makes a clock that stands still, or follows another one by what it was moved. */
export function createClock({ startAt, source = () => Date.now(), autoAdvance = false }: ClockOptions): WorldClock {
  const stands = startAt !== undefined
  const start = stands ? momentOf(startAt) : 0
  const sleepers = new Set<Sleeper>()
  let offset = 0
  let resets = 0
  let busy = 0
  let changes = 0
  let isJumping = false
  let moves: Promise<void> = Promise.resolve()
  let alarm: ReturnType<typeof setTimeout> | undefined
  const now = () => (stands ? start : source()) + offset

  const inOrder = () => [...sleepers].sort((one, other) => one.wakeAt - other.wakeAt)
  const count = (kind: Sleeper['kind']) => [...sleepers].filter((sleeper) => sleeper.kind === kind).length

  /** A request that was sent is in this clock by its timeout, and one that waits here by its response. */
  const isAsleep = () => busy === 0 && count('timeoutMs') <= count('hold')

  async function settled(): Promise<void> {
    let quiet = 0
    let seen = changes
    await nextTurns((turns) => {
      quiet = changes === seen && isAsleep() ? quiet + 1 : 0
      seen = changes
      return quiet < QUIET_TURNS && turns < MOST_TURNS
    })
  }

  function wakeSleepers(): void {
    const reached = now()
    for (const sleeper of inOrder()) if (sleeper.wakeAt <= reached) sleeper.wake()
  }

  /** Moves on to the next wake-up that is no further away than told. @returns how far that was */
  function moveToNext(furthest: number): number | undefined {
    const [next] = inOrder()
    if (!next || !Number.isFinite(next.wakeAt)) return undefined
    const distance = Math.max(0, next.wakeAt - now())
    if (distance > furthest) return undefined
    offset += distance
    wakeSleepers()
    return distance
  }

  /** One move after the other. A reset ends those before it. */
  function move(work: (isOver: () => boolean) => Promise<void>): Promise<void> {
    const since = resets
    const moved = moves.then(() => work(() => resets !== since))
    moves = moved.catch(() => {})
    return moved
  }

  function jump(): void {
    if (!autoAdvance || isJumping) return
    isJumping = true
    move(async (isOver) => {
      try {
        do await settled()
        while (!isOver() && moveToNext(Number.POSITIVE_INFINITY) !== undefined)
      } finally {
        // Also where what a timer calls throws.
        isJumping = false
      }
      // Who came to sleep after the last look of a move that a reset ended.
      if (isOver() && sleepers.size > 0) jump()
    })
  }

  function tellLater(): void {
    if (!stands || autoAdvance || alarm !== undefined) return
    const seen = changes
    alarm = setTimeout(() => {
      // biome-ignore lint/suspicious/noConsole: a test that hangs has no other way to learn why
      if (changes === seen) return console.warn(describeSleepers(now(), inOrder()))
      alarm = undefined
      tellLater()
    }, TELL_AFTER_MS)
    // A number in browsers, which have no process to keep alive.
    ;(alarm as Partial<NodeJS.Timeout>).unref?.()
  }

  function add(kind: Sleeper['kind'], milliseconds: number, onEnd: () => void): () => void {
    const leave = () => {
      clearTimeout(timer)
      sleepers.delete(sleeper)
      changes += 1
      if (sleepers.size > 0) return
      clearTimeout(alarm)
      alarm = undefined
    }
    const sleeper: Sleeper = {
      kind,
      wakeAt: now() + milliseconds,
      wake() {
        leave()
        onEnd()
      },
    }
    const isTimed = !stands && Number.isFinite(milliseconds)
    const timer = isTimed ? setTimeout(sleeper.wake, Math.min(milliseconds, LONGEST_TIMER)) : undefined
    sleepers.add(sleeper)
    changes += 1
    tellLater()
    jump()
    return leave
  }

  const sleepAs =
    (kind: 'sleep' | 'hold') =>
    (milliseconds: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (milliseconds <= 0) return resolve()
        const leave = add(kind, milliseconds, () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        })
        const onAbort = () => {
          leave()
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
      })

  return {
    now,

    advance(milliseconds) {
      if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
        throw new RangeError('advance() takes milliseconds, 0 or more. To go back in time, use set().')
      }
      momentOf(now() + milliseconds)
      return move(async (isOver) => {
        let left = milliseconds
        await settled()
        while (!isOver()) {
          const moved = moveToNext(left)
          if (moved === undefined) {
            offset += left
            return
          }
          left -= moved
          await settled()
        }
      })
    },

    set(moment) {
      offset += momentOf(moment) - now()
      wakeSleepers()
    },

    reset() {
      offset = 0
      resets += 1
      // Their moments may never come again. Who is never woken stays so.
      for (const sleeper of [...sleepers]) if (Number.isFinite(sleeper.wakeAt)) sleeper.wake()
    },

    sleep: sleepAs('sleep'),
    hold: sleepAs('hold'),
    setTimer: (milliseconds, onEnd, limit) => add(limit, milliseconds, onEnd),

    get sleepers() {
      return inOrder().map(sleeperView)
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

function sleeperView({ kind, wakeAt }: Sleeper): ClockSleeper {
  return { reason: REASONS[kind], until: Number.isFinite(wakeAt) ? new Date(wakeAt) : undefined }
}

function describeSleepers(now: number, sleepers: readonly Sleeper[]): string {
  const lines = sleepers.map(({ kind, wakeAt }) =>
    Number.isFinite(wakeAt)
      ? `\n- ${REASONS[kind]}, until ${new Date(wakeAt).toISOString()}, ${Math.ceil(wakeAt - now)} ms from now`
      : `\n- ${REASONS[kind]}, without an end`,
  )
  return (
    `The clock of a mock stands still at ${new Date(now).toISOString()}, and these wait on it:${lines.join('')}\n` +
    'Move it with mock.clock.advance(milliseconds), or let it jump by itself: createMock({ autoAdvance: true }).'
  )
}

/** @throws RangeError when a Date cannot hold it */
export function momentOf(moment: number | Date, what = 'A moment'): number {
  const milliseconds = Number(moment)
  if (Math.abs(milliseconds) <= LAST_MOMENT) return milliseconds
  throw new RangeError(`${what} must be a valid Date, or unix time in milliseconds.`)
}
