import { stripVTControlCharacters } from 'node:util'
import type { RunIo } from '../core/run-io.ts'
import { type Screen, screenOf } from '../output/screen.ts'
import { displayWidth } from '../output/width.ts'

/** A text on a terminal that is rewritten where it stands. */
export interface LiveView {
  /** Shows what `render` makes of the screen, in place of what was shown; again when the terminal changes its size. */
  show(render: (screen: Screen) => string): void
  /** Writes a line on stderr; the view moves below it. */
  say(line: string): void
  /** Leaves on the screen what is shown, and the cursor below it. */
  end(): void
}

/** Whether stdout is a terminal on which text can be rewritten. */
export function canRewrite({ stdout, env }: Pick<RunIo, 'stdout' | 'env'>): boolean {
  return stdout.isTTY === true && env.TERM !== 'dumb'
}

const ERASE_BELOW = '\r\u{1b}[J'
const up = (lines: number) => (lines > 0 ? `\u{1b}[${lines}A` : '')

/** The view of one run. It needs no other screen of the terminal, and hides no cursor: there is nothing to restore. */
export function createLiveView(io: Pick<RunIo, 'stdout' | 'env' | 'line'>): LiveView {
  const { stdout, line } = io
  let render: ((screen: Screen) => string) | undefined
  let shown = ''

  /** What takes away what is shown: at the width of now, for terminals wrap it anew when they are resized. */
  const erasing = () => (shown === '' ? ERASE_BELOW : `${up(linesOf(shown, stdout.columns))}${ERASE_BELOW}`)
  const draw = () => {
    if (!render) return
    line.clear()
    const text = render(screenOf(io, stdout))
    // In one write, so that nothing flickers.
    stdout.write(`${erasing()}${text}\n`)
    shown = text
  }
  stdout.on('resize', draw)

  return {
    show(next) {
      render = next
      draw()
    },
    say(text) {
      line.clear()
      stdout.write(erasing())
      shown = ''
      line.say(text)
      draw()
    },
    end() {
      stdout.off('resize', draw)
      line.clear()
      // The terminal may have shown a ^C.
      if (shown !== '') stdout.write(ERASE_BELOW)
    },
  }
}

/** How many lines of a terminal a text takes. */
export function linesOf(text: string, width: number | undefined): number {
  const lines = stripVTControlCharacters(text).split('\n')
  if (!width) return lines.length
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0)
}
