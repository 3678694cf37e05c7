/** A line of a screen: its cells, with `''` after a wide character, and whether the next line continues this one. */
interface Row {
  readonly cells: string[]
  goesOn: boolean
}

/** The effect of a resize on lines: most terminals wrap them again, others cut them off. */
export type ResizeStyle = 'wraps again' | 'cuts off'

/** Returns the number of cells of a character. */
export type Measure = (cluster: string) => number

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled with it
const SEQUENCE = /\u001b\[([?]?)([\d;]*)([A-Za-z])/y

/**
 * A small screen that shows the output of a program as a terminal would. The screen accepts only the control sequences
 * that `fish-cli` uses, and throws an error for any other sequence. Tests pass the widths of characters, so that the
 * screen does not share the code of `fish-cli`.
 */
export class TerminalScreen {
  #columns: number
  readonly #style: ResizeStyle
  readonly #measure: Measure
  #rows: Row[] = [{ cells: [], goesOn: false }]
  #row = 0
  #column = 0
  #wraps = true

  constructor(columns: number, style: ResizeStyle = 'wraps again', measure: Measure = () => 1) {
    this.#columns = columns
    this.#style = style
    this.#measure = measure
  }

  /** The visible lines, without trailing space and without empty lines at the end. */
  lines(): readonly string[] {
    const lines = this.#rows.map(({ cells }) => cells.join('').trimEnd())
    while (lines.at(-1) === '') lines.pop()
    return lines
  }

  /** The content of each cell of a line. The second cell of a wide character is empty. */
  cells(line: number): readonly string[] {
    const { cells = [] } = this.#rows[line] ?? {}
    return cells.slice(0, cells.findLastIndex((cell) => cell !== ' ') + 1)
  }

  write(text: string): void {
    for (let index = 0; index < text.length; ) {
      SEQUENCE.lastIndex = index
      const [sequence, mark = '', numbers = '', command = ''] = SEQUENCE.exec(text) ?? []
      if (sequence !== undefined) {
        this.#obey(mark + command, numbers)
        index += sequence.length
        continue
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: text is all but these
      const plain = /^[^\u0000-\u001f\u007f]+/.exec(text.slice(index))?.[0]
      if (plain === undefined) {
        this.#control(text[index] ?? '')
        index += 1
        continue
      }
      for (const { segment } of new Intl.Segmenter('en').segment(plain)) this.#put(segment)
      index += plain.length
    }
  }

  resize(columns: number): void {
    if (this.#style === 'cuts off') {
      for (const row of this.#rows) row.cells.splice(columns)
      this.#columns = columns
      this.#column = Math.min(this.#column, columns - 1)
      return
    }
    const rows: Row[] = []
    let begin = 0
    let cursor = 0
    for (const [index, { goesOn }] of this.#rows.entries()) {
      if (goesOn) continue
      const whole = this.#rows.slice(begin, index + 1)
      // The cursor stays on the same character.
      if (this.#row >= begin && this.#row <= index) {
        const before = whole.slice(0, this.#row - begin).reduce((sum, { cells }) => sum + cells.length, 0)
        cursor = rows.length * columns + before + this.#column
      }
      const cells = whole.flatMap((row) => row.cells)
      do rows.push({ cells: cells.splice(0, columns), goesOn: cells.length > 0 })
      while (cells.length > 0)
      begin = index + 1
    }
    this.#row = Math.floor(cursor / columns)
    this.#column = cursor % columns
    this.#rows = rows
    this.#columns = columns
  }

  #obey(command: string, numbers: string): void {
    const [number = 1] = numbers.split(';').map((text) => (text === '' ? undefined : Number(text)))
    const row = this.#here()
    if (command === 'm' || ((command === '?h' || command === '?l') && numbers === '25')) return
    if ((command === '?h' || command === '?l') && numbers === '7') this.#wraps = command === '?h'
    else if (command === 'A') this.#row = Math.max(0, this.#row - number)
    else if (command === 'G') this.#column = number - 1
    else if (command === 'J' && (numbers === '' || numbers === '0')) {
      row.cells.splice(this.#column)
      row.goesOn = false
      this.#rows.splice(this.#row + 1)
    } else if (command === 'K' && numbers === '2') row.cells.splice(0)
    else throw new Error(`This screen does not know ESC[${command} ${numbers}.`)
  }

  #control(character: string): void {
    if (character === '\r') this.#column = 0
    else if (character === '\n') {
      this.#row += 1
      this.#here()
    } else if (character === '\b') this.#column = Math.max(0, this.#column - 1)
    else if (character !== '\u0007') throw new Error(`This screen does not know ${JSON.stringify(character)}.`)
  }

  #put(cluster: string): void {
    const cells = this.#measure(cluster)
    if (this.#column + cells > this.#columns) {
      if (this.#wraps) {
        this.#here().goesOn = true
        this.#row += 1
        this.#column = 0
      } else this.#column = this.#columns - cells
    }
    const row = this.#here()
    while (row.cells.length < this.#column) row.cells.push(' ')
    row.cells.splice(this.#column, cells, cluster, ...Array.from({ length: cells - 1 }, () => ''))
    this.#column += cells
  }

  #here(): Row {
    while (this.#rows.length <= this.#row) this.#rows.push({ cells: [], goesOn: false })
    return this.#rows[this.#row] as Row
  }
}
