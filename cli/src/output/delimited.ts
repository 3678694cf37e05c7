import { type Cell, type Column, cellOf } from './columns.ts'

/**
 * Rows as RFC 4180 CSV: lines end with CRLF, the first names the fields, quotes where they are needed, also around outer
 * space, which many readers take away otherwise. Values are never changed: a name that begins with `=` stays so, and a
 * spreadsheet should be told to take columns as text.
 */
export function renderCsv<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return lines(rows, columns, ',', '\r\n', (text) =>
    /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  )
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

/** Rows as tab-separated values, the first line names the fields. Tab, line end and backslash become `\t \n \r \\`. */
export function renderTsv<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return lines(rows, columns, '\t', '\n', (text) => text.replace(/[\t\n\r\\]/g, (each) => TSV_ESCAPES[each] ?? each))
}

function lines<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  separator: string,
  end: string,
  quote: (text: string) => string,
): string {
  const line = (cells: readonly Cell[]) => cells.map((cell) => quote(String(cell ?? ''))).join(separator) + end
  const head = line(columns.map(({ field }) => field))
  return head + rows.map((row) => line(columns.map((column) => cellOf(column, row)))).join('')
}
