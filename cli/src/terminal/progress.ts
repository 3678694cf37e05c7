import type { Clock } from '@fish-crab/sdk'
import { duration } from '../core/time.ts'
import type { StatusLine } from './status-line.ts'

export interface ProgressOptions {
  /** The unit of the amounts, such as `catches`. */
  readonly unit: string
  /** Prefix, such as `Writing`. */
  readonly label?: string
  /** Formats an amount with its unit. @default the number, followed by `unit` */
  readonly amount?: (count: number) => string
  readonly total?: number | undefined
}

export interface Progress {
  /** @param done Total so far */
  update(done: number): void
  /** Removes the bar. Later updates are ignored. */
  end(): void
}

const BAR_CELLS = 20
const REDRAW_MS = 100
const LINE_MS = 10_000
// The rate is shown after this time, because an earlier rate would mostly measure the start.
const RATE_FROM_MS = 1000
const PART = 'progress'

/** Shows a bar on a terminal. Without a terminal, prints a line every ten seconds. */
export function createProgress(line: StatusLine, clock: Clock, options: ProgressOptions): Progress {
  const startedAt = clock.now()
  let shownAt = line.isLive ? Number.NEGATIVE_INFINITY : startedAt
  let hasEnded = false
  return {
    update(done) {
      const now = clock.now()
      const isLast = done === options.total
      if (hasEnded || (now - shownAt < (line.isLive ? REDRAW_MS : LINE_MS) && !(isLast && line.isLive))) return
      shownAt = now
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
// Shorter waits are not shown, because users could not read the message in time.
const MIN_WAIT_MS = 1000
const WAIT_PART = 'wait'

export interface Countdown {
  /** @param until milliseconds since 1970 */
  start(until: number, text: (waitMs: number) => string): void
  stop(): void
}

/**
 * Shows a countdown on a terminal. Without a terminal, prints one line for each wait.
 */
export function createCountdown(line: StatusLine, clock: Clock): Countdown {
  let ticking: AbortController | undefined
  let reportedUntil = 0

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
      // The line omits the name of the program, so that the remaining time fits into 40 cells.
      line.set(WAIT_PART, text(waitMs))
      // Each tick is on a whole number of remaining seconds, so that the countdown skips no number.
      await clock.sleep(waitMs % TICK_MS || TICK_MS, signal)
    }
    if (!signal.aborted) stop()
  }

  function start(until: number, text: (waitMs: number) => string): void {
    const waitMs = until - clock.now()
    if (waitMs < MIN_WAIT_MS) return
    if (!line.isLive) {
      // Many requests wait until the same moment, so only the first of these waits is reported.
      if (Math.abs(until - reportedUntil) < MIN_WAIT_MS) return
      reportedUntil = until
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

export function waitText(waitMs: number): string {
  return `Rate limited. Retrying in ${duration(waitMs)} (Ctrl-C to cancel).`
}
