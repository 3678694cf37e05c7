import { type Cell, type Column, cellOf } from './columns.ts'

const FORMULA = /^'*[=+\-@\t\r\n]/
const GUARD = "'"

/**
 * A spreadsheet shows what starts with `'` instead of running it (OWASP, "CSV Injection"). Players choose the names of
 * fish, and others open the file.
 */
function escapeFormula(text: string): string {
  return FORMULA.test(text) ? GUARD + text : text
}

/** Reverses {@link escapeFormula}. */
export function unescapeFormula(text: string): string {
  return text.startsWith(GUARD) && FORMULA.test(text) ? text.slice(GUARD.length) : text
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

const STYLES = {
  // RFC 4180. Values with outer space are quoted too, since many readers trim it otherwise.
  csv: {
    separator: ',',
    end: '\r\n',
    quote: (text: string) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
  },
  tsv: {
    separator: '\t',
    end: '\n',
    quote: (text: string) => text.replace(/[\t\n\r\\]/g, (each) => TSV_ESCAPES[each] ?? each),
  },
}

export function renderDelimited<Row extends object>(
  format: keyof typeof STYLES,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  raw = false,
): string {
  const { separator, end, quote } = STYLES[format]
  const textOf = (cell: Cell) => (typeof cell === 'string' && !raw ? escapeFormula(cell) : String(cell ?? ''))
  const line = (cells: readonly Cell[]) => cells.map((cell) => quote(textOf(cell))).join(separator) + end
  const head = line(columns.map(({ field }) => field))
  return head + rows.map((row) => line(columns.map((column) => cellOf(column, row)))).join('')
}
