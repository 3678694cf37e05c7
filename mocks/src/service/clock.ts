import { untilAborted } from '../../../sdk/src/internal/wait.ts'
import { createTime, type Sleeper, type TimeOptions, toUnixMs } from './time.ts'
import { createMoves } from './waiting.ts'

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

/** A clock with further methods for SDK clients, for the transports of a mock and for the reset of a mock. */
export type ResettableClock = ReturnType<typeof createClock>

/** Delay of the warning about a test that hangs. Test runners have a default timeout of 5 s, which must come later. */
export const WARN_AFTER_MS = 3000
/** A wait of this length on a running clock causes the warning, because it outlasts every test. */
const LONG_WAIT_MS = 60_000

const REASONS: Readonly<Record<string, string>> = {
  sleep: 'a client sleeps',
  hold: 'a response is delayed by a fault',
  timeoutMs: 'a client waits for a response (timeoutMs)',
} satisfies Readonly<Record<Exclude<Sleeper['kind'], 'service'>, string>>

export function createClock(options: TimeOptions & { readonly autoAdvance?: boolean | undefined }) {
  const { autoAdvance = false } = options
  const time = createTime(options, onChange)
  const moves = createMoves(time)
  const { now, clients } = time
  let resets = 0
  let isJumping = false
  let warning: ReturnType<typeof setTimeout> | undefined
  let exhausted: { readonly call: string; readonly until: number } | undefined

  function onChange({ kind }: Sleeper, isNew: boolean): void {
    if (kind === 'service') return
    moves.recordChange()
    if (!autoAdvance) warnWhenHanging()
    if (!autoAdvance || !isNew || isJumping) return
    isJumping = true
    moves.move(Number.POSITIVE_INFINITY, () => {
      const next = clients().find(({ wakeAt }) => Number.isFinite(wakeAt))
      isJumping = next !== undefined
      return next
    })
  }

  /** Schedules a warning in case nothing changes while a client waits. */
  function warnWhenHanging(): void {
    clearTimeout(warning)
    if (!clients().some(({ wakeAt }) => time.isStopped || wakeAt - now() >= LONG_WAIT_MS)) return
    // biome-ignore lint/suspicious/noConsole: a test that hangs has no other way to find the reason
    warning = setTimeout(() => console.warn(describeSleepers(now(), sleepers(), time.isStopped)), WARN_AFTER_MS)
    // In browsers, a timer is a number.
    warning.unref?.()
  }

  /** Warns about a client with its own clock, which waits in real time. */
  function warnOfOtherClocks(): void {
    if (exhausted && exhausted.until > now()) {
      // biome-ignore lint/suspicious/noConsole: a test that hangs has no other way to find the reason
      console.warn(
        `${exhausted.call} used up the rate limit of a client that does not use the clock of the mock. Its next call waits ` +
          `${Math.ceil((exhausted.until - now()) / 1000)} s in real time, whatever advance() does. Pass clock: mock.clock to its createClient(), ` +
          'or raise createMock({ limits: { requests } }).',
      )
    }
    exhausted = undefined
  }

  const sleepAs = (kind: 'sleep' | 'hold') => async (milliseconds: number, signal?: AbortSignal) => {
    let remove = () => {}
    const elapse = () =>
      new Promise<void>((resolve) => {
        if (milliseconds <= 0) resolve()
        else remove = time.add(kind, milliseconds, resolve)
      })
    await untilAborted(elapse, signal).finally(() => remove())
  }

  const sleepers = () =>
    clients().map(({ kind, wakeAt }) => ({
      reason: REASONS[kind] ?? kind,
      until: Number.isFinite(wakeAt) ? new Date(wakeAt) : undefined,
    }))

  return {
    now,

    advance(milliseconds: number) {
      if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
        throw new RangeError('advance() requires 0 or more milliseconds.')
      }
      toUnixMs(now() + milliseconds)
      warnOfOtherClocks()
      const since = resets
      const isReset = () => resets !== since
      return moves.move(milliseconds, () => time.sleepers()[0], isReset)
    },

    reset() {
      resets += 1
      exhausted = undefined
      time.reset()
    },

    sleep: sleepAs('sleep'),
    /** Like `sleep`, for a delayed response. */
    hold: sleepAs('hold'),
    /** Starts a timer for the timeout of an SDK client. @returns a function that cancels the timer */
    setTimer: (milliseconds: number, onEnd: () => void) => time.add('timeoutMs', milliseconds, onEnd),
    /** Starts a timer of the service. No caller waits for it: `autoAdvance` and `sleepers` ignore it. */
    schedule: (milliseconds: number, run: () => void) => time.add('service', milliseconds, run),
    during: moves.during,

    get sleepers() {
      return sleepers()
    },

    /** Records that a call of an SDK client used up the rate limit until this time, for a warning of `advance`. */
    recordExhausted(call: string, until: number) {
      // A client on this clock has a timeout here during a request, so a client without a timeout uses another clock.
      if (time.count('timeoutMs') === 0) exhausted = { call, until }
    },
  } satisfies MockClock & Record<string, unknown>
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
