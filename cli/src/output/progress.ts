import type { Clock, Hooks, RetryEvent, WaitEvent } from '@fish-crab/sdk'
import type { StatusLine } from '../core/context.ts'
import { duration } from '../core/time.ts'

/** What a progress is told with. */
interface ProgressOptions {
  /** What is counted, such as `catches`. */
  readonly unit: string
  /** What is being done, such as `Writing`; stands before the numbers. @default nothing does */
  readonly label?: string
  /** A number together with its unit, where it is no plain count. @default the number, with `unit` behind */
  readonly amount?: (count: number) => string
  /** How many there will be; left out where nobody knows. */
  readonly total?: number | undefined
  /** Milliseconds between two lines where there is no terminal. @default 10_000 */
  readonly everyMs?: number
}

/** How far long work has come, told on stderr. */
export interface Progress {
  /** @param done how many are done, all in all */
  update(done: number): void
  /** Takes the bar away; nothing is told after it. */
  end(): void
}

const BAR_CELLS = 20
const REDRAW_MS = 100
// Before, a rate says more about the start than about the work.
const RATE_FROM_MS = 1000
const PART = 'progress'

/** A bar on a terminal, elsewhere a line every so often. The first time it is told is after the first pause. */
export function createProgress(line: StatusLine, clock: Clock, options: ProgressOptions): Progress {
  const { everyMs = 10_000 } = options
  const startedAt = clock.now()
  let toldAt = line.isLive ? Number.NEGATIVE_INFINITY : startedAt
  let hasEnded = false
  return {
    update(done) {
      const now = clock.now()
      const isLast = done === options.total
      if (hasEnded || (now - toldAt < (line.isLive ? REDRAW_MS : everyMs) && !(isLast && line.isLive))) return
      toldAt = now
      const text = progressText(done, now - startedAt, options)
      if (line.isLive) line.set(PART, options.total ? `${bar(done / options.total)} ${text}` : text)
      else line.say(`fish-cli: ${text}`)
    },
    end() {
      hasEnded = true
      line.set(PART, undefined)
    },
  }
}

function progressText(done: number, elapsedMs: number, options: ProgressOptions): string {
  const { unit, label, total, amount = String } = options
  const behind = options.amount ? '' : ` ${unit}`
  const perSecond = elapsedMs < RATE_FROM_MS ? 0 : Math.round((done / elapsedMs) * 1000)
  const rate = perSecond > 0 ? `, ${amount(perSecond)} a second` : ''
  const before = label === undefined ? '' : `${label}: `
  if (!total) return `${before}${amount(done)}${behind}${rate}`
  const percent = Math.floor((done / total) * 100)
  const left = done > 0 && done < total ? `, about ${duration((elapsedMs / done) * (total - done))} left` : ''
  return `${before}${amount(done)} of ${amount(total)}${behind} (${percent} %)${rate}${left}`
}

function bar(part: number): string {
  const cells = Math.round(Math.min(1, Math.max(0, part)) * BAR_CELLS)
  return `[${'#'.repeat(cells)}${'-'.repeat(BAR_CELLS - cells)}]`
}

const TICK_MS = 1000
// Shorter waits are over before they are read.
const WORTH_TELLING_MS = 1000
const WAIT_PART = 'wait'

/** What tells a wait. */
interface Countdown {
  /** Tells what `text` makes of the milliseconds that are left until a moment, in milliseconds since 1970. */
  start(until: number, text: (waitMs: number) => string): void
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
    line.set(WAIT_PART, undefined)
  }

  async function tick(until: number, text: (waitMs: number) => string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = until - clock.now()
      if (waitMs <= 0) break
      // Without the name of the program, so that also 40 cells show how long.
      line.set(WAIT_PART, text(waitMs))
      // Whole seconds of what is left, so that no number is skipped.
      await clock.sleep(waitMs % TICK_MS || TICK_MS, signal)
    }
    if (!signal.aborted) stop()
  }

  function start(until: number, text: (waitMs: number) => string): void {
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
  return { start, stop }
}

/** Hooks for a client that tell when, and how long, it waits. */
export function countdownHooks(line: StatusLine, clock: Clock): Pick<Hooks, 'onWait' | 'onRetry' | 'onRequest'> {
  const { start, stop } = createCountdown(line, clock)
  return {
    onWait: ({ resumesAt }: WaitEvent) => start(resumesAt.getTime(), waitText),
    onRetry: ({ waitMs, status }: RetryEvent) =>
      start(clock.now() + waitMs, (rest) => {
        const why = status === undefined ? 'No answer' : `The service answered ${status}`
        return `${why}: trying again in ${duration(rest)}; Ctrl-C ends it.`
      }),
    onRequest: stop,
  }
}

/** What is told while another process has what is to be sent. */
export function leaseText(waitMs: number): string {
  return `Waiting up to ${duration(waitMs)} for another process that sends these, or was killed; Ctrl-C ends it.`
}

/** What is told while the rate limit holds. */
export function waitText(waitMs: number): string {
  return `The rate limit holds: waiting ${duration(waitMs)}; Ctrl-C ends it.`
}
