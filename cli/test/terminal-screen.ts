/** A line of a screen: what stands in its cells, `''` behind a wide character, and whether the next line continues it. */
interface Row {
  readonly cells: string[]
  goesOn: boolean
}

/** What a terminal does with lines when it gets another width: wraps them again (most of today), or cuts them off. */
export type ResizeStyle = 'wraps again' | 'cuts off'

/** Cells of a character. */
export type Measure = (cluster: string) => number

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled with it
const SEQUENCE = /\u001b\[([?]?)([\d;]*)([A-Za-z])/y

/**
 * A small screen, which shows what a program wrote as a terminal would. It knows the few sequences that `fish-cli` has
 * use for; any other is an error. The widths of characters are given, so that it does not measure as `fish-cli` does.
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

  /** The lines as they are seen, without space behind them, nor empty lines at the end. */
  lines(): readonly string[] {
    const lines = this.#rows.map(({ cells }) => cells.join('').trimEnd())
    while (lines.at(-1) === '') lines.pop()
    return lines
  }

  /** What stands in each cell of a line; nothing in the second cell of a wide character. */
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
      // The cursor stays with what it stands on.
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
