import { type Cell, type Column, cellOf } from './columns.ts'

export interface DelimitedOptions {
  /** Write formulas unescaped. @default false */
  readonly raw?: boolean | undefined
}

const FORMULA = /^'*[=+\-@\t\r\n]/
const GUARD = "'"

/**
 * Prefixes a formula with `'`, so that a spreadsheet shows it instead of running it (OWASP, "CSV Injection"). Players choose
 * the names of fish, and others open the file.
 * @example formulaSafe('=HYPERLINK("…")') // `'=HYPERLINK("…")`
 */
function escapeFormula(text: string): string {
  return FORMULA.test(text) ? GUARD + text : text
}

/** Reverses {@link escapeFormula}. */
export function unescapeFormula(text: string): string {
  return text.startsWith(GUARD) && FORMULA.test(text) ? text.slice(GUARD.length) : text
}

/**
 * Renders CSV (RFC 4180) with a header and CRLF line ends. Values with outer space are quoted too, since many readers trim
 * it otherwise.
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

/** Renders tab-separated values with a header. Tab, line ends and backslash become `\t \n \r \\`. */
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
