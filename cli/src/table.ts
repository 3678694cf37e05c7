import { paint } from './colours.ts'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  /** Colours a cell that is already padded. */
  readonly paint?: (row: Row, padded: string) => string
}

/** What a table looks like. */
export interface TableOptions {
  readonly colours: boolean
}

/** Rows under a line of titles. Widths count code points; nothing is cut. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], { colours }: TableOptions): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.text(row))))
  const widths = columns.map(({ title }, index) =>
    Math.max(...[[title], ...cells.map((line) => [line[index] ?? ''])].flat().map(width)),
  )
  const pad = (text: string, index: number) =>
    index === columns.length - 1 ? text : text + ' '.repeat((widths[index] ?? 0) - width(text))
  const titles = columns.map(({ title }, index) => paint('bold', pad(title, index), colours))
  const lines = rows.map((row, line) =>
    columns.map((column, index) => {
      const padded = pad(cells[line]?.[index] ?? '', index)
      return colours && column.paint ? column.paint(row, padded) : padded
    }),
  )
  return [titles, ...lines].map((line) => line.join('  ')).join('\n')
}

/** Text that cannot steer a terminal, whatever a server sent. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\u{fffd}')
}

function width(text: string): number {
  return [...text].length
}
