/** The time of a world. Fits the `clock` option of the SDK's `createClient`. */
export interface MockClock {
  /** Unix time in milliseconds. */
  now(): number
  /**
   * Moves the clock on, and wakes whoever slept until then.
   * @throws RangeError when `milliseconds` is not a number from 0 on, or leads beyond what a Date can hold
   */
  advance(milliseconds: number): void
  /**
   * Sets the clock to a moment, also one in the past.
   * @throws RangeError when that is no moment
   */
  set(moment: number | Date): void
  /**
   * Resolves once so many milliseconds have passed on this clock. Rejects with the signal's reason when that aborts.
   * While the clock stands still, only `advance` and `set` let time pass.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** What a world's clock goes by. */
export interface ClockOptions {
  /** Where the clock stands still, in unix milliseconds. @default it goes on with `source` */
  readonly startAt?: number | Date | undefined
  /** The time that goes on. Looked up at each call, so that fake timers work. @default Date.now */
  readonly source?: (() => number) | undefined
}

/** A clock that a world can turn back to its beginning. */
export interface WorldClock extends MockClock {
  /** Turns it back, and wakes whoever sleeps. */
  reset(): void
}

/** The furthest that a Date reaches from 1970, in milliseconds (ECMA-262, section 21.4.1.1). */
const LAST_MOMENT = 8.64e15
/** The longest that timers wait, in milliseconds: a longer one would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1

interface Sleeper {
  readonly wakeAt: number
  wake(): void
}

/** Makes a clock that stands still, or follows another one by what it was moved. */
export function createClock({ startAt, source = () => Date.now() }: ClockOptions): WorldClock {
  const stands = startAt !== undefined
  const start = stands ? momentOf(startAt) : 0
  const sleepers = new Set<Sleeper>()
  let offset = 0
  const now = () => (stands ? start : source()) + offset

  function wakeSleepers(): void {
    if (sleepers.size === 0) return
    const reached = now()
    for (const sleeper of [...sleepers].sort((one, other) => one.wakeAt - other.wakeAt)) {
      if (sleeper.wakeAt <= reached) sleeper.wake()
    }
  }

  return {
    now,

    advance(milliseconds) {
      if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
        throw new RangeError('advance() takes milliseconds, 0 or more. To go back in time, use set().')
      }
      offset += momentOf(now() + milliseconds) - now()
      wakeSleepers()
    },

    set(moment) {
      offset += momentOf(moment) - now()
      wakeSleepers()
    },

    reset() {
      offset = 0
      // Their moments may never come again.
      for (const sleeper of [...sleepers]) sleeper.wake()
    },

    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (milliseconds <= 0) return resolve()
        const leave = () => {
          clearTimeout(timer)
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', onAbort)
        }
        const onAbort = () => {
          leave()
          reject(signal?.reason)
        }
        const sleeper: Sleeper = {
          wakeAt: now() + milliseconds,
          wake() {
            leave()
            resolve()
          },
        }
        const timer = stands ? undefined : setTimeout(sleeper.wake, Math.min(milliseconds, LONGEST_TIMER))
        sleepers.add(sleeper)
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
  }
}

function momentOf(moment: number | Date): number {
  const milliseconds = Number(moment)
  if (Math.abs(milliseconds) <= LAST_MOMENT) return milliseconds
  throw new RangeError('A moment is a Date, or unix time in milliseconds.')
}
