import { type Cell, type Column, cellOf } from './columns.ts'

/** How values are written; see {@link escapeFormula}. */
export interface DelimitedOptions {
  /** Writes values as they are, also those that a spreadsheet would run. @default false */
  readonly raw?: boolean | undefined
}

const FORMULA = /^'*[=+\-@\t\r\n]/
const GUARD = "'"

/**
 * A text that a spreadsheet shows instead of running it (OWASP, "CSV Injection"): what begins like a formula gets `'`
 * before it. Whoever names a fish may choose any text, and others open the file.
 * @example formulaSafe('=HYPERLINK("…")') // `'=HYPERLINK("…")`
 */
function escapeFormula(text: string): string {
  return FORMULA.test(text) ? GUARD + text : text
}

/** The text that {@link escapeFormula} was given. */
export function unescapeFormula(text: string): string {
  return text.startsWith(GUARD) && FORMULA.test(text) ? text.slice(GUARD.length) : text
}

/**
 * Rows as RFC 4180 CSV: lines end with CRLF, the first names the fields, quotes where they are needed, also around outer
 * space, which many readers take away otherwise.
 */
export function renderCsv<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: DelimitedOptions = {},
): string {
  return lines(rows, columns, options, ',', '\r\n', (text) =>
    /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  )
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

/** Rows as tab-separated values, the first line names the fields. Tab, line end and backslash become `\t \n \r \\`. */
export function renderTsv<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: DelimitedOptions = {},
): string {
  return lines(rows, columns, options, '\t', '\n', (text) =>
    text.replace(/[\t\n\r\\]/g, (each) => TSV_ESCAPES[each] ?? each),
  )
}

function lines<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { raw = false }: DelimitedOptions,
  separator: string,
  end: string,
  quote: (text: string) => string,
): string {
  const textOf = (cell: Cell) => (typeof cell === 'string' && !raw ? escapeFormula(cell) : String(cell ?? ''))
  const line = (cells: readonly Cell[]) => cells.map((cell) => quote(textOf(cell))).join(separator) + end
  const head = line(columns.map(({ field }) => field))
  return head + rows.map((row) => line(columns.map((column) => cellOf(column, row)))).join('')
}
