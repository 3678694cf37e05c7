import type { OutputFlags } from '../core/format.ts'
import { type Column, cellOf, cellText, titleOf } from './columns.ts'
import { renderCsv } from './render-csv.ts'
import { paint, type Screen } from './screen.ts'
import { renderTable } from './table.ts'
import { jsonText, printable } from './text.ts'

export interface RowsOutput<Row extends object> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** The document of `--json`. @default the rows as an array */
  readonly document?: unknown
  /** Message on stderr when there are no rows. An empty table prints nothing. */
  readonly empty?: string
}

/** Renders rows in the requested format. The text ends with a newline; an empty table is `''`. */
export function renderRows<Row extends object>(
  { rows, columns, document = rows }: RowsOutput<Row>,
  { json, csv }: OutputFlags,
  screen: Screen,
): string {
  if (json) return `${jsonText(document, 2)}\n`
  if (csv) return sanitize(renderCsv(rows, columns), screen)
  const shown = columns.filter(({ hidden }) => !hidden)
  return rows.length === 0 ? '' : `${renderTable(rows, shown, screen)}\n`
}

/** Renders each field of one row on a line, because a table with this row would be wider than a terminal. */
export function fieldLines<Row extends object>(row: Row, columns: readonly Column<Row>[]): string {
  return columns.map((column) => `${titleOf(column).toLowerCase()}: ${cellText(column, row) || 'none'}`).join('\n')
}

/** On a terminal, replaces characters that could control the terminal. Files and programs get the values unchanged. */
function sanitize(text: string, { isTerminal }: Screen): string {
  if (!isTerminal) return text
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join('')
}

export type RowStream<Row extends object> = (rows: readonly Row[]) => string

const GAP = '  '

/** Renders rows as the rows arrive: one JSON document per line, CSV with one header, or plain lines. */
export function createRowStream<Row extends object>(
  columns: readonly Column<Row>[],
  { json, csv }: OutputFlags,
  screen: Screen,
): RowStream<Row> {
  if (json) return (rows) => rows.map((row) => `${jsonText(row)}\n`).join('')
  if (!csv) {
    const shown = columns.filter(({ hidden }) => !hidden)
    return (rows) => rows.map((row) => `${plainLine(row, shown, screen)}\n`).join('')
  }
  let hasNames = false
  return (rows) => {
    const text = renderRows({ rows, columns }, { csv }, screen)
    const names = hasNames ? text.indexOf('\n') + 1 : 0
    hasNames = true
    return text.slice(names)
  }
}

function plainLine<Row extends object>(row: Row, columns: readonly Column<Row>[], { colours }: Screen): string {
  return columns
    .map((column) => {
      const style = column.style?.(cellOf(column, row), row)
      const text = cellText(column, row)
      return style === undefined ? text : paint(style, text, colours)
    })
    .filter((text) => text !== '')
    .join(GAP)
}
