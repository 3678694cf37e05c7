import { unescapeFormula } from '../../../../sdk/src/internal/csv.ts'
import { parseRarity } from '../../core/parse-values.ts'
import { FIELDS, type FileRecord, fieldOf, type Problem, splitLines, type TextLine } from './records.ts'
import type { FileSource } from './source.ts'

const MAX_RECORD = 64 * 1024

/** The cells of a line of CSV. */
interface CsvRow {
  readonly at: string
  readonly cells: readonly string[]
}

/**
 * Parses CSV (RFC 4180) and skips empty lines. The separator may also be `;`, which some spreadsheets write. We do not
 * use csv-parse 7 (32 KB), because csv-parse would do no more than split lines into cells.
 */
export async function* readCsvRows({ text: chunks }: Pick<FileSource, 'text'>): AsyncGenerator<CsvRow | Problem> {
  let pattern: RegExp | undefined
  for await (const { line, text } of joinQuotedLines(splitLines(chunks()))) {
    if (text.trim() === '') continue
    const at = `Line ${line}`
    pattern ??= cellPattern(separatorOf(text))
    const cells = cellsOf(text, pattern)
    yield cells ? { at, cells } : { at, problem: UNCLOSED }
  }
}

const UNCLOSED = 'A quotation mark is not closed, or text follows a closing quotation mark.'

export async function* parseCsv(source: FileSource): AsyncGenerator<FileRecord> {
  let columns: readonly string[] | undefined
  let hasHeader = false
  for await (const row of readCsvRows(source)) {
    if ('problem' in row) {
      yield row
      continue
    }
    const { at, cells } = row
    if (!columns) {
      const named = cells.map((cell) => fieldOf(cell) ?? '')
      hasHeader = isHeader(cells)
      const problem = hasHeader ? headerProblem(cells, named) : undefined
      if (problem !== undefined) {
        yield { at, problem }
        return
      }
      columns = hasHeader ? named : FIELDS
      if (hasHeader) continue
    }
    if (cells.length > columns.length) {
      yield { at, problem: `Has ${cells.length} columns instead of ${columns.length}.` }
      continue
    }
    const cellValue = (title: string, cell = '') => {
      const value = title !== 'name' ? cell.trim() : hasHeader ? unescapeFormula(cell) : cell
      return value === '' ? undefined : value
    }
    const fields = columns.flatMap((title, index) => (title === '' ? [] : [[title, cellValue(title, cells[index])]]))
    yield { at, fields: Object.fromEntries(fields) }
  }
}

function isHeader([first = '', ...others]: readonly string[]): boolean {
  if (first.trim().toLowerCase() === 'name') return true
  // If the line is not a header, the first cell may be a fish with the name of a column, and a later cell with the text
  // `fish` may be a kind.
  if (others.some((cell) => fieldOf(cell) !== undefined && cell.trim().toLowerCase() !== 'fish')) return true
  // If all other cells are words, but neither kinds nor rarities, the line is a header with unknown column names.
  return others.length > 1 && others.every(isWord)
}

function isWord(cell: string): boolean {
  const text = cell.trim().toLowerCase()
  return /^\p{L}[^\d]*$/u.test(text) && text !== 'fish' && text !== 'crab' && parseRarity(text) === undefined
}

// An unknown column is an error: it may be misspelled, and its values would be lost silently.
function headerProblem(cells: readonly string[], named: readonly string[]): string | undefined {
  const twice = named.find((field, index) => field !== '' && named.indexOf(field) !== index)
  if (twice !== undefined) return `The header contains the column ${twice} twice.`
  const unknown = cells.filter((cell, index) => named[index] === '' && cell.trim() !== '')
  if (unknown.length === 0) return undefined
  const names = unknown.map((cell) => `"${cell.trim().slice(0, 40)}"`).join(', ')
  return `The header has unknown columns: ${names}. Known columns: ${FIELDS.join(', ')}; remove or rename the others.`
}

async function* joinQuotedLines(lines: AsyncIterable<TextLine>): AsyncGenerator<TextLine> {
  let open: TextLine | undefined
  for await (const one of lines) {
    const joined: TextLine = open ? { line: open.line, text: `${open.text}\n${one.text}` } : one
    open = undefined
    const quotes = joined.text.split('"').length - 1
    // An unterminated quote must not consume the rest of the file.
    if (quotes % 2 === 1 && joined.text.length < MAX_RECORD) open = joined
    else yield joined
  }
  if (open) yield open
}

// A line with semicolons and no comma outside quotes comes from a spreadsheet with decimal commas.
function separatorOf(firstLine: string): ',' | ';' {
  const bare = firstLine.replace(/"(?:[^"]|"")*"/g, '')
  return bare.includes(';') && !bare.includes(',') ? ';' : ','
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
