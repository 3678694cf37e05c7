import { paint } from '../output/colours.ts'
import { type Column, cellOf, chooseColumns } from '../output/columns.ts'
import { formatOf, type OutputFlags } from '../output/format.ts'
import { printable } from '../output/printable.ts'
import { renderRows } from '../output/rows.ts'
import type { Screen } from '../output/screen.ts'

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
  const chosen = chooseColumns(columns, fields)
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
