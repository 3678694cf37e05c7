import { fromFormulaSafe } from '../output/delimited.ts'
import { type FileRecord, linesOf, type TextLine } from './records.ts'

/** The columns of a file without a line of titles, in this order. */
const FIELDS = ['name', 'rarity', 'kind', 'gamemode', 'caughtAt'] as const

const LONGEST_RECORD = 64 * 1024

/**
 * CSV as RFC 4180 has it. The first line names the columns when one of them is `name`, in any order and letter case,
 * and others are passed over; without such a line the columns are {@link FIELDS}. Space around a value is none of it,
 * but around a name in quotes.
 */
export function csvRecords(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  return columnRecords(quotedLines(linesOf(pieces)), csvCells)
}

/**
 * The same with tabs between, no quotes, and `\t \n \r \\` for what they stand for. Space around a name belongs to it
 * below a line of titles, which is what programs write: there are no quotes that could tell.
 */
export function tsvRecords(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  return columnRecords(linesOf(pieces), tsvCells)
}

/** Whether the first line of a text is one of TSV: it has tabs, and what has commas besides has titles too. */
export function isTabbed(text: string): boolean {
  const line = text.split('\n', 1)[0] ?? ''
  if (!line.includes('\t')) return false
  return !line.includes(',') || line.split('\t').some((cell) => fieldOf(cell.trim()) === 'name')
}

async function* columnRecords(
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
      const named = cells.map((cell) => fieldOf(cell.trim()))
      const twice = named.find((field, index) => field !== '' && named.indexOf(field) !== index)
      if (twice !== undefined && named.includes('name')) {
        yield { line, problem: `Names the column ${twice} twice.` }
        return
      }
      isTitled = named.includes('name')
      titles = isTitled ? named : FIELDS
      if (isTitled) continue
    }
    if (cells.length > titles.length) {
      yield { line, problem: `Has ${cells.length} columns instead of ${titles.length}.` }
      continue
    }
    const cellValue = (title: string, cell = '') => {
      const value = title !== 'name' ? cell.trim() : isTitled ? fromFormulaSafe(cell) : cell
      return value === '' ? undefined : value
    }
    const fields = titles.flatMap((title, index) => (title === '' ? [] : [[title, cellValue(title, cells[index])]]))
    yield { line, fields: Object.fromEntries(fields) }
  }
}

function fieldOf(title: string): string {
  return FIELDS.find((field) => field.toLowerCase() === title.toLowerCase()) ?? ''
}

/** Joins lines where a quote goes on. */
async function* quotedLines(lines: AsyncIterable<TextLine>): AsyncGenerator<TextLine> {
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

function csvCells(text: string): readonly string[] | undefined {
  if (!text.includes('"')) return text.split(',').map((cell) => cell.trim())
  const cells: string[] = []
  const pattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/gy
  for (;;) {
    const match = pattern.exec(text)
    if (!match) return undefined
    cells.push(match[1] === undefined ? (match[2] ?? '').trim() : match[1].replaceAll('""', '"'))
    if (match[3] === '') return cells
  }
}
