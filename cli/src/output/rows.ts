import { formatOf, type OutputFlags } from '../core/format.ts'
import { type Column, cellOf, cellText, selectColumns } from './columns.ts'
import { renderDelimited } from './render-csv.ts'
import { paint, type Screen } from './screen.ts'
import { renderTable } from './table.ts'
import { jsonText, printable } from './text.ts'

export interface RowsOutput<Row extends object> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** The document of `--json`, from the rows or their selected fields. @default the rows as an array */
  readonly document?: (rows: readonly object[]) => unknown
  /** Message on stderr when there are no rows. An empty table prints nothing. */
  readonly empty?: string
}

/** With a line end; `''` for an empty table or JSON Lines. */
export function renderRows<Row extends object>(
  { rows, columns, document = (found) => found }: RowsOutput<Row>,
  flags: OutputFlags,
  screen: Screen,
): string {
  const format = formatOf(flags)
  const selected = selectColumns(columns, flags.fields)
  const objects = flags.fields === undefined ? rows : rows.map((row) => pickFields(row, selected))
  switch (format) {
    case 'json':
      return `${jsonText(document(objects), 2)}\n`
    case 'jsonl':
      return objects.map((row) => `${jsonText(row)}\n`).join('')
    case 'csv':
    case 'tsv':
      return sanitize(renderDelimited(format, rows, selected, flags.raw), screen)
    default:
      return rows.length === 0 ? '' : `${renderTable(rows, selected, screen)}\n`
  }
}

function pickFields<Row extends object>(row: Row, columns: readonly Column<Row>[]): object {
  return Object.fromEntries(columns.map((column) => [column.field, cellOf(column, row) ?? null]))
}

/** On a terminal, removes characters that could control it. Files and programs get the values unchanged. */
function sanitize(text: string, { isTerminal }: Screen): string {
  if (!isTerminal) return text
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join('')
}

export type RowStream<Row extends object> = (rows: readonly Row[]) => string

const GAP = '  '

/** Renders rows as they arrive: JSON Lines for JSON, CSV and TSV with one header, else plain lines. */
export function createRowStream<Row extends object>(
  columns: readonly Column<Row>[],
  { json, output, fields, raw }: OutputFlags,
  screen: Screen,
): RowStream<Row> {
  const format = formatOf({ json, output })
  const selected = selectColumns(columns, fields)
  if (format === 'table') {
    return (rows) => rows.map((row) => `${plainLine(row, selected, screen)}\n`).join('')
  }
  if (format === 'json' || format === 'jsonl') {
    return (rows) => renderRows({ rows, columns }, { output: 'jsonl', fields }, screen)
  }
  let hasNames = false
  return (rows) => {
    const text = renderRows({ rows, columns }, { output: format, fields, raw }, screen)
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
