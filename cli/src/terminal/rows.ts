import { renderCsv } from './csv.ts'
import type { Screen } from './screen.ts'
import { type Column, cellOf, cellText, type OutputFlags, type RowsOutput, renderTable } from './table.ts'
import { jsonText, type Line, renderLines, safeContent } from './text.ts'

/** Renders rows in the requested format. The text ends with a newline; an empty table is `''`. */
export function renderRows<Row extends object>(
  { rows, columns, document = rows }: RowsOutput<Row>,
  { json, csv }: OutputFlags,
  screen: Screen,
): string {
  if (json) return `${jsonText(document, 2)}\n`
  if (csv) {
    const content = renderCsv(rows, columns)
    return screen.isTerminal ? safeContent(content) : content
  }
  const visible = columns.filter(({ hidden }) => !hidden)
  return rows.length === 0 ? '' : `${renderLines(renderTable(rows, visible, screen), screen)}\n`
}

const GAP = '  '

/** Renders rows as the rows arrive: one JSON document per line, CSV with one header, or plain lines. */
export function createRowStream<Row extends object>(
  columns: readonly Column<Row>[],
  { json, csv }: OutputFlags,
  screen: Screen,
): (rows: readonly Row[]) => string {
  if (json) return (rows) => rows.map((row) => `${jsonText(row)}\n`).join('')
  if (!csv) {
    const visible = columns.filter(({ hidden }) => !hidden)
    return (rows) => rows.map((row) => `${renderLines([plainLine(row, visible)], screen)}\n`).join('')
  }
  let hasNames = false
  return (rows) => {
    const text = renderRows({ rows, columns }, { csv }, screen)
    const names = hasNames ? text.indexOf('\n') + 1 : 0
    hasNames = true
    return text.slice(names)
  }
}

function plainLine<Row extends object>(row: Row, columns: readonly Column<Row>[]): Line {
  const cells = columns
    .map((column) => ({ text: cellText(column, row), style: column.style?.(cellOf(column, row), row) }))
    .filter(({ text }) => text !== '')
  return { spans: cells.flatMap((cell, index) => (index === 0 ? [cell] : [GAP, cell])) }
}
