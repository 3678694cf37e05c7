import { createCellReader, hasOpenQuote, unescapeFormula } from '../../../../sdk/src/internal/csv.ts'
import { parseRarity } from '../../core/parse-values.ts'
import { FIELDS, type FileRecord, fieldOf, type Problem, splitLines, type TextLine } from './records.ts'
import type { FileSource } from './source.ts'

/** The cells of a line of CSV. */
interface CsvRow {
  readonly at: string
  readonly cells: readonly string[]
}

/**
 * Parses CSV (RFC 4180) and skips empty lines. We do not use csv-parse 7 (32 KB), because csv-parse would do no more
 * than split lines into cells.
 */
export async function* readCsvRows({ text: chunks }: Pick<FileSource, 'text'>): AsyncGenerator<CsvRow | Problem> {
  const readCells = createCellReader()
  for await (const { line, text } of joinQuotedLines(splitLines(chunks()))) {
    if (text.trim() === '') continue
    const at = `Line ${line}`
    const cells = readCells(text)
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
    if (hasOpenQuote(joined.text)) open = joined
    else yield joined
  }
  if (open) yield open
}
