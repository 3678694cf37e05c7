import { screenOf } from '../output/screen.ts'
import { cut, wrappedMessage } from '../output/text.ts'
import type { Io } from './io.ts'

/** The one line on stderr that is rewritten while something goes on. It exists on terminals only. */
export interface StatusLine {
  /** Whether there is such a line; where not, `set` does nothing and `say` is the way to tell. */
  readonly isLive: boolean
  /** Shows a text in one part of the line, or with `undefined` takes it away. Parts stand in the order of their first use. */
  set(part: string, text: string | undefined): void
  /** Writes a message on stderr, broken between words where the terminal is narrower; the live line moves below it. */
  say(line: string): void
  /** Takes the line away, so that something else can be written; the next `set` shows it again. */
  clear(): void
  /** Takes the line away for good, and ends what was said to `onEnd`. */
  end(): void
  /** What to do when the command ends, however it ends. */
  onEnd(stop: () => void): void
}

const ERASE = '\r\u{1b}[J'
// Without wrapping: the terminal may just have become narrower than is known here.
const UNWRAPPED = '\u{1b}[?7l'
// The cursor waits at the start. Terminals that wrap a line again when they become narrower keep it on the first row of
// that line then, and from there all of it can be taken away; others have cut the line off.
const BACK_TO_START = '\u{1b}[?7h\r'

/** The live line of one run. */
export function createStatusLine(io: Pick<Io, 'env' | 'stderr'>): StatusLine {
  const { stderr, env } = io
  const isLive = stderr.isTTY === true && env.TERM !== 'dumb'
  const parts = new Map<string, string | undefined>()
  const stops: (() => void)[] = []
  let isShown = false
  let hasEnded = false

  function clear(): void {
    if (isShown) stderr.write(ERASE)
    isShown = false
  }

  function draw(): void {
    const text = [...parts.values()].filter((part) => part !== undefined).join(' · ')
    if (!isLive || hasEnded || text === '') {
      clear()
      return
    }
    const { width = 80, unicode } = screenOf(io, stderr)
    // A line that fills the whole width wraps on some terminals, and could not be taken back.
    stderr.write(ERASE + UNWRAPPED + cut(text, width - 1, unicode ? '…' : '...') + BACK_TO_START)
    isShown = true
  }

  const redraw = () => {
    if (isShown) draw()
  }
  if (isLive) stderr.on('resize', redraw)

  return {
    isLive,
    set(part, text) {
      parts.set(part, text)
      draw()
    },
    say(line) {
      clear()
      stderr.write(`${wrappedMessage(line, screenOf(io, stderr).width)}\n`)
      draw()
    },
    clear,
    end() {
      hasEnded = true
      stderr.off('resize', redraw)
      for (const stop of stops.splice(0)) stop()
      clear()
    },
    onEnd: (stop) => {
      stops.push(stop)
    },
  }
}
