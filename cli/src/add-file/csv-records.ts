import { type FileRecord, linesOf, type TextLine } from './records.ts'

/** The columns of a file without a line of titles, in this order. */
const CSV_FIELDS = ['name', 'rarity', 'kind', 'gamemode', 'caughtAt'] as const

const LONGEST_RECORD = 64 * 1024

/**
 * CSV as RFC 4180 has it. The first line names the columns when one of them is `name`, in any order and letter case,
 * and others are passed over; without such a line the columns are {@link CSV_FIELDS}.
 */
export async function* csvRecords(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let titles: readonly string[] | undefined
  for await (const { line, text } of quotedLines(linesOf(pieces))) {
    if (text.trim() === '') continue
    const cells = cellsOf(text)
    if (!cells) {
      yield { line, problem: 'Has a quote that does not end, or text behind one.' }
      continue
    }
    if (!titles) {
      const named = cells.map((cell) => fieldOf(cell.trim()))
      titles = named.includes('name') ? named : CSV_FIELDS
      if (named.includes('name')) continue
    }
    if (cells.length > titles.length) {
      yield { line, problem: `Has ${cells.length} columns instead of ${titles.length}.` }
      continue
    }
    const fields = titles.flatMap((title, index) => (title === '' ? [] : [[title, blank(cells[index])]]))
    yield { line, fields: Object.fromEntries(fields) }
  }
}

function fieldOf(title: string): string {
  return CSV_FIELDS.find((field) => field.toLowerCase() === title.toLowerCase()) ?? ''
}

function blank(cell: string | undefined): string | undefined {
  return cell === undefined || cell.trim() === '' ? undefined : cell.trim()
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

function cellsOf(text: string): readonly string[] | undefined {
  if (!text.includes('"')) return text.split(',')
  const cells: string[] = []
  const pattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/gy
  for (;;) {
    const match = pattern.exec(text)
    if (!match) return undefined
    cells.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'))
    if (match[3] === '') return cells
  }
}
