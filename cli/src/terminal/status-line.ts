import type { System } from '../core/system.ts'
import { screenOf } from './screen.ts'
import { localText, printable, renderMessage, type Text, truncate } from './text.ts'

/** The status line on stderr, rewritten in place. */
export interface StatusLine {
  /** Whether stderr is a terminal. Otherwise, `set` does nothing; use `say`. */
  readonly isLive: boolean
  /** Sets the text of a part; `undefined` removes the part. Parts are ordered by their first use. */
  set(part: string, text: string | undefined): void
  /** Writes a message to stderr, wrapped to the terminal, above the status line. */
  say(text: Text): void
  /** Clears the line so that other output can be written. The next `set` shows the line again. */
  clear(): void
  end(): void
  /** Registers a callback that is called when the command ends, even after an error. */
  onEnd(stop: () => void): void
}

const ERASE = '\r\u{1b}[J'
// Turns wrapping off, because the terminal may just have become narrower than the known width.
const UNWRAPPED = '\u{1b}[?7l'
// The cursor stays at the start of the line. Terminals that rewrap a line when they become narrower keep the cursor on
// the first row, so that the whole line can be erased. Other terminals truncate the line.
const BACK_TO_START = '\u{1b}[?7h\r'

export function createStatusLine(system: Pick<System, 'env' | 'stderr'>): StatusLine {
  const { stderr, env } = system
  const isLive = stderr.isTTY === true && env.TERM !== 'dumb'
  const parts = new Map<string, string | undefined>()
  const stops: (() => void)[] = []
  let isVisible = false
  let hasEnded = false

  function clear(): void {
    if (isVisible) stderr.write(ERASE)
    isVisible = false
  }

  function draw(): void {
    const text = [...parts.values()].filter((part) => part !== undefined).join(' · ')
    if (!isLive || hasEnded || text === '') {
      clear()
      return
    }
    const screen = screenOf(system, stderr)
    const { width = 80 } = screen
    // The line is shorter than the width, because a full line wraps on some terminals and could not be erased.
    const line = truncate(localText(printable(text), screen), width - 1, localText('…', screen))
    stderr.write(ERASE + UNWRAPPED + line + BACK_TO_START)
    isVisible = true
  }

  const redraw = () => {
    if (isVisible) draw()
  }
  if (isLive) stderr.on('resize', redraw)

  return {
    isLive,
    set(part, text) {
      parts.set(part, text)
      draw()
    },
    say(text) {
      clear()
      stderr.write(`${renderMessage(text, screenOf(system, stderr))}\n`)
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
