import headless from '@xterm/headless'

/** Text of one look in a row. */
export interface Run {
  readonly column: number
  readonly text: string
  /** Of the palette of terminals: 0 to 255; `undefined` for the usual one. */
  readonly color: number | undefined
  readonly isBold: boolean
  readonly isDim: boolean
}

/** What the terminal shows from a time on, in milliseconds. */
export interface Frame {
  readonly at: number
  readonly rows: readonly (readonly Run[])[]
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

const KEY_MS = 45
const ENTER_MS = 350

/** Keeps what a terminal shows, at times that are the same in each recording. */
export function createRecorder({ columns, rows }: Size) {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true })
  const frames: Frame[] = []
  let now = 0
  const write = async (piece: string) => {
    await new Promise<void>((resolve) => terminal.write(piece, resolve))
    frames.push({ at: now, rows: Array.from({ length: rows }, (_, row) => runsOf(terminal, row)) })
  }
  return {
    frames,
    write,
    /** Shows a line as if somebody typed it. */
    async type(line: string): Promise<void> {
      for (const key of line) {
        now += KEY_MS
        await write(key)
      }
      now += ENTER_MS
    },
    pause(ms: number): void {
      now += ms
    },
    get endMs() {
      return now
    },
  }
}

function runsOf(terminal: headless.Terminal, row: number): readonly Run[] {
  const { active } = terminal.buffer
  const line = active.getLine(active.viewportY + row)
  const runs: Run[] = []
  for (let column = 0; line && column < line.length; column += 1) {
    const cell = line.getCell(column)
    const text = cell?.getChars() || ' '
    // The second half of a wide character.
    if (!cell || cell.getWidth() === 0) continue
    const look = {
      color: cell.isFgPalette() ? cell.getFgColor() : undefined,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    }
    const last = runs.at(-1)
    if (last && last.color === look.color && last.isBold === look.isBold && last.isDim === look.isDim) {
      runs[runs.length - 1] = { ...last, text: last.text + text }
    } else {
      runs.push({ column, text, ...look })
    }
  }
  return runs.map((run) => ({ ...run, text: run.text.trimEnd() })).filter(({ text }) => text !== '')
}
