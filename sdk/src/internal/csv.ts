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

/** Returns one line of CSV, with its line break. Texts are guarded; numbers are not. */
export function csvLine(cells: readonly (string | number | boolean | null | undefined)[]): string {
  const textOf = (cell: (typeof cells)[number]) => (typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? ''))
  return `${cells.map((cell) => quote(textOf(cell))).join(',')}\r\n`
}
