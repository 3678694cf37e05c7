import type { Context, StatusLine } from '../core/context.ts'
import { screenOf } from './screen.ts'
import { localText, truncate, wrapMessage } from './text.ts'

const ERASE = '\r\u{1b}[J'
// Turns wrapping off, because the terminal may just have become narrower than the known width.
const UNWRAPPED = '\u{1b}[?7l'
// The cursor stays at the start of the line. Terminals that rewrap a line when they become narrower keep the cursor on
// the first row, so that the whole line can be erased. Other terminals truncate the line.
const BACK_TO_START = '\u{1b}[?7h\r'

export function createStatusLine(context: Pick<Context, 'env' | 'stderr'>): StatusLine {
  const { stderr, env } = context
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
    const shown = [...parts.values()].filter((part) => part !== undefined).join(' · ')
    if (!isLive || hasEnded || shown === '') {
      clear()
      return
    }
    const screen = screenOf(context, stderr)
    const { width = 80 } = screen
    // The line is shorter than the width, because a full line wraps on some terminals and could not be erased.
    stderr.write(
      ERASE + UNWRAPPED + truncate(localText(shown, screen), width - 1, localText('…', screen)) + BACK_TO_START,
    )
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
      stderr.write(`${wrapMessage(line, screenOf(context, stderr))}\n`)
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
