import { csvRecords, isTabbed, tsvRecords } from './column-records.ts'
import { beginsWithLists } from './json-list.ts'
import { jsonRecords } from './json-records.ts'
import { type FileRecord, jsonLines } from './records.ts'

/** The forms that a file may have. */
export type FileFormat = 'csv' | 'tsv' | 'json' | 'jsonl'

const BY_EXTENSION: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
}

/**
 * The form of a file: what its extension says, else what it begins with. An array is JSON, and so is an object that
 * holds a list; an object in a line of its own is a line of JSON; a line with tabs is TSV, anything else CSV.
 */
export function formatOfFile(extension: string, beginning: string): FileFormat {
  const known = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
  if (known) return known
  const text = beginning.trimStart()
  if (text.startsWith('[') || beginsWithLists(text)) return 'json'
  if (!text.startsWith('{')) return isTabbed(text) ? 'tsv' : 'csv'
  try {
    JSON.parse(text.split('\n', 1)[0] ?? '')
    return 'jsonl'
  } catch {
    // An object over several lines, or a long line of which only the beginning is here.
    return text.includes('\n') && !/^\{.*\}\s*$/m.test(text) ? 'json' : 'jsonl'
  }
}

const READERS: Readonly<Record<FileFormat, (pieces: AsyncIterable<string>) => AsyncGenerator<FileRecord>>> = {
  csv: csvRecords,
  tsv: tsvRecords,
  json: jsonRecords,
  jsonl: jsonLines,
}

/** The records of a file, whatever its form. */
export async function* readRecords(extension: string, pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const iterator = pieces[Symbol.asyncIterator]()
  // Space before the content may be longer than the memory; only its lines count.
  let blankLines = 0
  for (;;) {
    const { done, value: piece } = await iterator.next()
    if (done) return
    if (piece.trim() === '') {
      blankLines += piece.split('\n').length - 1
      continue
    }
    const rest = { [Symbol.asyncIterator]: () => iterator }
    yield* READERS[formatOfFile(extension, piece)](following(blankLines, piece, rest))
    return
  }
}

async function* following(blankLines: number, piece: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  for (let left = blankLines; left > 0; left -= BLANK_LINES) yield '\n'.repeat(Math.min(left, BLANK_LINES))
  yield piece
  yield* rest
}

const BLANK_LINES = 64 * 1024
