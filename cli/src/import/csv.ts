import { unescapeFormula } from '../output/csv.ts'
import { printable } from '../output/text.ts'
import { FIELDS, type FileRecord, fieldOf, splitLines, type TextLine } from './records.ts'

const LONGEST_RECORD = 64 * 1024

/** Columns of `list` that say nothing of a catch. */
const IGNORED_COLUMNS: readonly string[] = ['', 'id']

/**
 * CSV as RFC 4180 has it, also with `;` between the columns, as spreadsheets write it where the comma is a decimal sign.
 * The first line names the columns when one of them is `name`, in any order; without such a line the columns are
 * {@link FIELDS}. Space around a value is none of it, but around a name in quotes.
 */
export function parseCsv(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let pattern: RegExp | undefined
  return parseRows(joinQuotedLines(splitLines(pieces)), (text) => {
    pattern ??= cellPattern(separatorOf(text))
    return csvCells(text, pattern)
  })
}

/**
 * The same with tabs between, no quotes, and `\t \n \r \\` for what they stand for. Space around a name belongs to it
 * below a line of titles, which is what programs write: there are no quotes that could tell.
 */
export function parseTsv(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  return parseRows(splitLines(pieces), tsvCells)
}

/** Whether the first line of a text is one of TSV: it has tabs, and what has commas besides has titles too. */
export function isTsv(text: string): boolean {
  const line = text.split('\n', 1)[0] ?? ''
  if (!line.includes('\t')) return false
  return !line.includes(',') || isHeader(line.split('\t'))
}

async function* parseRows(
  lines: AsyncIterable<TextLine>,
  cellsOf: (text: string, isTitled: boolean) => readonly string[] | undefined,
): AsyncGenerator<FileRecord> {
  let titles: readonly string[] | undefined
  let isTitled = false
  for await (const { line, text } of lines) {
    if (text.trim() === '') continue
    const cells = cellsOf(text, isTitled)
    if (!cells) {
      yield { line, problem: 'Has a quote that does not end, or text behind one.' }
      continue
    }
    if (!titles) {
      const named = cells.map((cell) => fieldOf(cell) ?? '')
      isTitled = isHeader(cells)
      const problem = isTitled ? headerProblem(cells, named) : undefined
      if (problem !== undefined) {
        yield { line, problem }
        return
      }
      titles = isTitled ? named : FIELDS
      if (isTitled) continue
    }
    if (cells.length > titles.length) {
      yield { line, problem: `Has ${cells.length} columns instead of ${titles.length}.` }
      continue
    }
    const cellValue = (title: string, cell = '') => {
      const value = title !== 'name' ? cell.trim() : isTitled ? unescapeFormula(cell) : cell
      return value === '' ? undefined : value
    }
    const fields = titles.flatMap((title, index) => (title === '' ? [] : [[title, cellValue(title, cells[index])]]))
    yield { line, fields: Object.fromEntries(fields) }
  }
}

/** `fish` alone is also what stands in the column `kind` of a file without titles. */
function isHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  return names.includes('name') || (names.includes('fish') && names.includes('rarity'))
}

/** A column that nobody reads may be one that was misspelt: then its values would be lost without a word. */
function headerProblem(cells: readonly string[], named: readonly string[]): string | undefined {
  const twice = named.find((field, index) => field !== '' && named.indexOf(field) !== index)
  if (twice !== undefined) return `Names the column ${twice} twice.`
  const unknown = cells.find(
    (cell, index) => named[index] === '' && !IGNORED_COLUMNS.includes(cell.trim().toLowerCase()),
  )
  if (unknown === undefined) return undefined
  return `Unknown column "${printable(unknown.trim().slice(0, 40))}". Known columns: ${FIELDS.join(', ')}; remove or rename it.`
}

/** Joins lines where a quote goes on. */
async function* joinQuotedLines(lines: AsyncIterable<TextLine>): AsyncGenerator<TextLine> {
  let open: TextLine | undefined
  for await (const one of lines) {
    const joined: TextLine = open ? { line: open.line, text: `${open.text}\n${one.text}` } : one
    open = undefined
    const quotes = joined.text.includes('"') ? joined.text.split('"').length - 1 : 0
    // A quote that never ends must not take the rest of the file with it.
    if (quotes % 2 === 1 && joined.text.length < LONGEST_RECORD) open = joined
    else yield joined
  }
  if (open) yield open
}

const ESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' }

function tsvCells(text: string, isTitled: boolean): readonly string[] {
  const cells = text
    .split('\t')
    .map((cell) => cell.replace(/\\([tnr\\])/g, (whole, letter: string) => ESCAPED[letter] ?? whole))
  return isTitled ? cells : cells.map((cell) => cell.trim())
}

/** A first line with semicolons and no comma outside quotes is one of a spreadsheet with decimal commas. */
function separatorOf(firstLine: string): ',' | ';' {
  const bare = firstLine.replace(/"(?:[^"]|"")*"/g, '')
  return bare.includes(';') && !bare.includes(',') ? ';' : ','
}

function cellPattern(separator: string): RegExp {
  return new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}]*))(${separator}|$)`, 'gy')
}

function csvCells(text: string, pattern: RegExp): readonly string[] | undefined {
  const cells: string[] = []
  pattern.lastIndex = 0
  for (;;) {
    const match = pattern.exec(text)
    if (!match) return undefined
    cells.push(match[1] === undefined ? (match[2] ?? '').trim() : match[1].replaceAll('""', '"'))
    if (match[3] === '') return cells
  }
}
