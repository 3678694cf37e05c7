import type { Clock } from '@fish-crab/sdk'
import type { StatusLine } from '../core/status-line.ts'
import { duration } from './wait-text.ts'

/** What a progress is told with. */
export interface ProgressOptions {
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
