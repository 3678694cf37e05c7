import type { Clock } from '@fish-crab/sdk'
import type { StatusLine } from './status-line.ts'
import { duration } from './wait-text.ts'

/** What a progress is told with. */
export interface ProgressOptions {
  /** What is counted, such as `catches`. */
  readonly unit: string
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

function progressText(done: number, elapsedMs: number, { unit, total }: ProgressOptions): string {
  if (total === undefined || total === 0) return `${done} ${unit}`
  const percent = Math.floor((done / total) * 100)
  const left = done > 0 && done < total ? `, about ${duration((elapsedMs / done) * (total - done))} left` : ''
  return `${done} of ${total} ${unit} (${percent} %)${left}`
}

function bar(part: number): string {
  const cells = Math.round(Math.min(1, Math.max(0, part)) * BAR_CELLS)
  return `[${'#'.repeat(cells)}${'-'.repeat(BAR_CELLS - cells)}]`
}
