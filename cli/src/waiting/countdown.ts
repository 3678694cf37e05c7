import type { Clock, Hooks, RetryEvent, WaitEvent } from '@fish-crab/sdk'
import type { StatusLine } from './status-line.ts'
import { duration, waitText } from './wait-text.ts'

const TICK_MS = 1000
// Shorter waits are over before they are read.
const WORTH_TELLING_MS = 1000
const PART = 'wait'

/**
 * Hooks for a client that tell on stderr when, and how long, it waits: a countdown on a terminal, elsewhere one line for
 * each wait. Goes away when a request is sent or the command ends.
 */
export function countdown(line: StatusLine, clock: Clock): Pick<Hooks, 'onWait' | 'onRetry' | 'onRequest'> {
  let ticking: AbortController | undefined
  let toldUntil = 0

  function stop(): void {
    ticking?.abort()
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
  return {
    onWait: ({ resumesAt }: WaitEvent) => begin(resumesAt.getTime(), waitText),
    onRetry: ({ waitMs, status }: RetryEvent) =>
      begin(clock.now() + waitMs, (rest) => {
        const why = status === undefined ? 'No answer' : `The service answered ${status}`
        return `${why}: trying again in ${duration(rest)}; Ctrl-C ends it.`
      }),
    onRequest: () => {
      if (ticking) stop()
    },
  }
}
