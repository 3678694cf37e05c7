import { stripVTControlCharacters } from 'node:util'
import type { Context } from '../core/context.ts'
import { type Screen, screenOf } from './screen.ts'
import { displayWidth } from './text.ts'

export function canRewrite({ stdout, env }: Pick<Context, 'stdout' | 'env'>): boolean {
  return stdout.isTTY === true && env.TERM !== 'dumb'
}

const ERASE_BELOW = '\r\u{1b}[J'
const up = (lines: number) => (lines > 0 ? `\u{1b}[${lines}A` : '')

/**
 * A view that is redrawn in place. The view neither uses the alternate screen nor hides the cursor, so nothing has to
 * be restored.
 */
export function createLiveView(context: Pick<Context, 'stdout' | 'env' | 'line'>) {
  const { stdout, line } = context
  let render: ((screen: Screen) => string) | undefined
  let shown = ''

  /** Counts lines at the current width, because terminals rewrap text when they are resized. */
  const erasing = () => (shown === '' ? ERASE_BELOW : `${up(linesOf(shown, stdout.columns))}${ERASE_BELOW}`)
  const draw = () => {
    if (!render) return
    line.clear()
    const text = render(screenOf(context, stdout))
    // One write avoids flicker.
    stdout.write(`${erasing()}${text}\n`)
    shown = text
  }
  stdout.on('resize', draw)

  return {
    /** Draws the view, now and whenever the terminal is resized. */
    show(next: (screen: Screen) => string): void {
      render = next
      draw()
    },
    /** Writes a line on stderr. The view moves below the line. */
    say(text: string): void {
      line.clear()
      stdout.write(erasing())
      shown = ''
      line.say(text)
      draw()
    },
    /** Leaves the text on the screen, and the cursor below the text. */
    end(): void {
      stdout.off('resize', draw)
      line.clear()
      // The terminal may have shown a ^C.
      if (shown !== '') stdout.write(ERASE_BELOW)
    },
  }
}

/** The number of lines that a text takes on a screen of this width. */
export function linesOf(text: string, width: number | undefined): number {
  const lines = stripVTControlCharacters(text).split('\n')
  if (!width) return lines.length
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0)
}
