import type { System } from '../core/system.ts'
import { type Screen, screenOf } from './screen.ts'
import type { StatusLine } from './status-line.ts'
import { displayWidth, type Line, plainText, renderLines, type Text } from './text.ts'

const ERASE_BELOW = '\r\u{1b}[J'
const up = (lines: number) => (lines > 0 ? `\u{1b}[${lines}A` : '')

/**
 * A view that is redrawn in place. The view neither uses the alternate screen nor hides the cursor, so nothing has to
 * be restored.
 */
export interface LiveView {
  /** Draws the view, now and whenever the terminal is resized. */
  show(render: (screen: Screen) => readonly Line[]): void
  /** Writes a line on stderr. The view moves below the line. */
  say(text: Text): void
  /** Leaves the text on the screen, and the cursor below the text. */
  end(): void
}

export function createLiveView(system: Pick<System, 'stdout' | 'env'>, line: StatusLine): LiveView {
  const { stdout } = system
  let render: ((screen: Screen) => readonly Line[]) | undefined
  let visible: readonly Line[] = []

  /** Counts lines at the current width, because terminals rewrap text when they are resized. */
  const erasing = () => (visible.length === 0 ? ERASE_BELOW : `${up(heightOf(visible, stdout.columns))}${ERASE_BELOW}`)
  const draw = () => {
    if (!render) return
    line.clear()
    const screen = screenOf(system, stdout)
    const lines = render(screen)
    // One write avoids flicker.
    stdout.write(`${erasing()}${renderLines(lines, screen)}\n`)
    visible = lines
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
      visible = []
      line.say(text)
      draw()
    },
    end() {
      stdout.off('resize', draw)
      line.clear()
      // The terminal may have shown a ^C.
      if (visible.length > 0) stdout.write(ERASE_BELOW)
    },
  }
}

/** The number of rows that lines take on a screen of this width. */
export function heightOf(lines: readonly Line[], width: number | undefined): number {
  if (!width) return lines.length
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(plainText(line)) / width)), 0)
}
