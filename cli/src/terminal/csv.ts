import { type Cell, type Column, cellOf } from './table.ts'

// Spreadsheets also run formulas in full-width form, and some ignore blanks and invisible characters before a formula.
const FORMULA = /^'*(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u
const GUARD = "'"

/**
 * A spreadsheet shows a value that starts with `'` instead of running a formula (OWASP, "CSV Injection"). The guard is
 * needed because other people open files with names that players chose.
 */
function escapeFormula(text: string): string {
  return FORMULA.test(text) ? GUARD + text : text
}

/** Reverses {@link escapeFormula}. */
export function unescapeFormula(text: string): string {
  return text.startsWith(GUARD) && FORMULA.test(text) ? text.slice(GUARD.length) : text
}

/**
 * Quotes a value as RFC 4180 defines. Values with outer spaces are quoted too, because many readers trim unquoted
 * values.
 */
function quote(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function renderCsv<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const textOf = (cell: Cell) => (typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? ''))
  const line = (cells: readonly Cell[]) => `${cells.map((cell) => quote(textOf(cell))).join(',')}\r\n`
  const head = line(columns.map(({ field }) => field))
  return head + rows.map((row) => line(columns.map((column) => cellOf(column, row)))).join('')
}
