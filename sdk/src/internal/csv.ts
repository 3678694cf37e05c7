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

const MAX_RECORD = 64 * 1024

/** Whether a record continues on the next line. An unterminated quote must not consume the rest of the file. */
export function hasOpenQuote(text: string): boolean {
  const quotes = text.split('"').length - 1
  return quotes % 2 === 1 && text.length < MAX_RECORD
}

/**
 * Returns a function that splits records into cells (RFC 4180), or returns `undefined` for a record with a wrong quote.
 * The first record decides the separator. Some spreadsheets write `;`, and a copied table contains tabs.
 */
export function createCellReader(): (record: string) => readonly string[] | undefined {
  let pattern: RegExp | undefined
  return (record) => {
    pattern ??= cellPattern(separatorOf(record))
    return cellsOf(record, pattern)
  }
}

// A line with semicolons and no comma outside quotes comes from a spreadsheet with decimal commas.
function separatorOf(firstLine: string): ',' | ';' | '\t' {
  const bare = firstLine.replace(/"(?:[^"]|"")*"/g, '')
  if (bare.includes(',')) return ','
  if (bare.includes(';')) return ';'
  return bare.trim().includes('\t') ? '\t' : ','
}

function cellPattern(separator: string): RegExp {
  return new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}]*))(${separator}|$)`, 'gy')
}

function cellsOf(text: string, pattern: RegExp): readonly string[] | undefined {
  const cells: string[] = []
  pattern.lastIndex = 0
  for (;;) {
    const match = pattern.exec(text)
    if (!match) return undefined
    cells.push(match[1] === undefined ? (match[2] ?? '').trim() : match[1].replaceAll('""', '"'))
    if (match[3] === '') return cells
  }
}
