import { csvRecords } from './csv-records.ts'
import { jsonRecords } from './json-records.ts'
import { type FileRecord, jsonLines } from './records.ts'

/** The forms that a file may have. */
export type FileFormat = 'csv' | 'json' | 'jsonl'

const BY_EXTENSION: Readonly<Record<string, FileFormat>> = { csv: 'csv', json: 'json', jsonl: 'jsonl', ndjson: 'jsonl' }

/**
 * The form of a file: what its extension says, else what it begins with. An array is JSON, an object in a line of its
 * own a line of JSON, anything else CSV.
 */
export function formatOfFile(extension: string, beginning: string): FileFormat {
  const known = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
  if (known) return known
  const text = beginning.trimStart()
  if (text.startsWith('[')) return 'json'
  if (!text.startsWith('{')) return 'csv'
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
  json: jsonRecords,
  jsonl: jsonLines,
}

/** The records of a file, whatever its form. */
export async function* readRecords(extension: string, pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const iterator = pieces[Symbol.asyncIterator]()
  const held: string[] = []
  // Space before the content may be longer than a piece.
  while (held.join('').trim() === '') {
    const next = await iterator.next()
    if (next.done) break
    held.push(next.value)
  }
  const all = async function* () {
    yield* held
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  yield* READERS[formatOfFile(extension, held.join(''))](all())
}
