import type { Clock, Hooks, RetryEvent, WaitEvent } from '@fish-crab/sdk'
import type { StatusLine } from '../core/status-line.ts'
import { duration, waitText } from './wait-text.ts'

const TICK_MS = 1000
// Shorter waits are over before they are read.
const WORTH_TELLING_MS = 1000
const PART = 'wait'

/** What tells a wait. */
export interface Countdown {
  /** Tells what `text` makes of the milliseconds that are left until a moment, in milliseconds since 1970. */
  begin(until: number, text: (waitMs: number) => string): void
  /** The wait is over. */
  stop(): void
}

/**
 * Tells on stderr how long something waits: a countdown on a terminal, elsewhere one line for each wait. Goes away when
 * the command ends.
 */
export function createCountdown(line: StatusLine, clock: Clock): Countdown {
  let ticking: AbortController | undefined
  let toldUntil = 0

  function stop(): void {
    if (!ticking) return
    ticking.abort()
    ticking = undefined
    line.set(PART, undefined)
  }

  async function tick(until: number, text: (waitMs: number) => string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = until - clock.now()
      if (waitMs <= 0) break
      // Without the name of the program, so that also 40 cells show how long.
      line.set(PART, text(waitMs))
      // Whole seconds of what is left, so that no number is skipped.
      await clock.sleep(waitMs % TICK_MS || TICK_MS, signal)
    }
    if (!signal.aborted) stop()
  }

  function begin(until: number, text: (waitMs: number) => string): void {
    const waitMs = until - clock.now()
    if (waitMs < WORTH_TELLING_MS) return
    if (!line.isLive) {
      // Many calls wait for the same moment; it is told once.
      if (Math.abs(until - toldUntil) < WORTH_TELLING_MS) return
      toldUntil = until
      line.say(`fish-cli: ${text(waitMs)}`)
      return
    }
    ticking?.abort()
    ticking = new AbortController()
    tick(until, text, ticking.signal).catch(() => {})
  }

  line.onEnd(stop)
  return { begin, stop }
}

/** Hooks for a client that tell when, and how long, it waits. */
export function countdown(line: StatusLine, clock: Clock): Pick<Hooks, 'onWait' | 'onRetry' | 'onRequest'> {
  const { begin, stop } = createCountdown(line, clock)
  return {
    onWait: ({ resumesAt }: WaitEvent) => begin(resumesAt.getTime(), waitText),
    onRetry: ({ waitMs, status }: RetryEvent) =>
      begin(clock.now() + waitMs, (rest) => {
        const why = status === undefined ? 'No answer' : `The service answered ${status}`
        return `${why}: trying again in ${duration(rest)}; Ctrl-C ends it.`
      }),
    onRequest: stop,
  }
}
