import { type Column, cellOf, selectColumns } from './columns.ts'
import { renderCsv, renderTsv } from './csv.ts'
import { formatOf, type OutputFlags } from './format.ts'
import { paint, type Screen } from './screen.ts'
import { renderTable } from './table.ts'
import { jsonText, printable } from './text.ts'

/** What a command that prints rows has found. */
export interface RowsOutput<Row extends object> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /**
   * The one document of `--json`, around the rows: as they are, or with `--fields` of these fields alone.
   * @default the rows as an array
   */
  readonly document?: (rows: readonly object[]) => unknown
  /** What to tell a person, on stderr, when there are no rows. A table of no rows prints nothing at all. */
  readonly empty?: string
}

/** Rows in the form that flags ask for, with a line end; `''` for a table or lines of JSON of no rows. */
export function renderRows<Row extends object>(
  { rows, columns, document = (found) => found }: RowsOutput<Row>,
  flags: OutputFlags,
  screen: Screen,
): string {
  const format = formatOf(flags)
  const chosen = selectColumns(columns, flags.fields)
  const objects = flags.fields === undefined ? rows : rows.map((row) => pickFields(row, chosen))
  switch (format) {
    case 'json':
      return `${jsonText(document(objects), 2)}\n`
    case 'jsonl':
      return objects.map((row) => `${jsonText(row)}\n`).join('')
    case 'csv':
      return sanitize(renderCsv(rows, chosen, flags), screen)
    case 'tsv':
      return sanitize(renderTsv(rows, chosen, flags), screen)
    default:
      return rows.length === 0 ? '' : `${renderTable(rows, chosen, screen)}\n`
  }
}

function pickFields<Row extends object>(row: Row, columns: readonly Column<Row>[]): object {
  return Object.fromEntries(columns.map((column) => [column.field, cellOf(column, row) ?? null]))
}

/** Values go to a file or a program as they are; on a terminal they must not steer it. */
function sanitize(text: string, { isTerminal }: Screen): string {
  if (!isTerminal) return text
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join('')
}

/** Makes text of rows that come one after the other. */
export type RowStream<Row extends object> = (rows: readonly Row[]) => string

const GAP = '  '

/**
 * Rows as lines to be appended: JSON lines where JSON is asked for, CSV and TSV with one line of names at the beginning,
 * else plain lines.
 */
export function createRowStream<Row extends object>(
  columns: readonly Column<Row>[],
  { json, output, fields, raw }: OutputFlags,
  screen: Screen,
): RowStream<Row> {
  const format = formatOf({ json, output })
  const chosen = selectColumns(columns, fields)
  if (format === 'table') {
    return (rows) => rows.map((row) => `${plainLine(row, chosen, screen)}\n`).join('')
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
      const value = cellOf(column, row)
      const text = printable(column.text ? column.text(value, row) : String(value ?? ''))
      const style = column.style?.(value, row)
      return style === undefined ? text : paint(style, text, colours)
    })
    .filter((text) => text !== '')
    .join(GAP)
}
