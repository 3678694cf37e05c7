import { createReadStream } from 'node:fs'
import { SECRET_CHECK_KEY } from '../../app/store/item-keys.ts'
import {
  type ContentLine,
  countLine,
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportCounts,
  exportHeader,
  exportLine,
  lineCounts,
  NO_LINES,
} from './export-format.ts'
import { itemProblem } from './item-shape.ts'
import { MaintenanceError } from './maintenance-error.ts'
import { recordProblem } from './record-shape.ts'

/** A line of an export and where it stands. */
export interface NumberedLine {
  /** The first line of the file is 1. */
  readonly number: number
  readonly line: ContentLine
}

/** What is known of an export that was read to its end. */
export interface ExportContent {
  readonly counts: ExportCounts
  /** What the seal of its keys is checked with, `null` when it was never served. */
  readonly sealCheck: string | null
}

/**
 * Reads an export line by line, each checked, and answers what it holds once its end is there and its counts are right.
 * @param onRead Hears how many bytes were read so far, at every piece of the file.
 * @throws MaintenanceError `invalid_line`
 */
export async function* exportLines(
  file: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<NumberedLine, ExportContent> {
  let [number, counts] = [0, NO_LINES]
  let sealCheck: string | null = null
  let isEnded = false
  for await (const text of textLines(file, onRead)) {
    number += 1
    if (isEnded) throw invalidLine(number, 'stands behind the end')
    if (number === 1) {
      checkHeader(parsed(text))
      continue
    }
    const { data: line } = exportLine.safeParse(parsed(text))
    if (!line) throw invalidLine(number, 'is not a line of an export')
    if ('end' in line) {
      if (JSON.stringify(line.end) !== JSON.stringify(lineCounts(counts))) {
        throw invalidLine(number, 'counts other lines than there are: some are missing or were added')
      }
      isEnded = true
      continue
    }
    const problem = problemOf(line)
    if (problem !== undefined) throw invalidLine(number, problem)
    counts = countLine(counts, line)
    if ('item' in line && line.item === SECRET_CHECK_KEY) sealCheck = line.value
    yield { number, line }
  }
  if (!isEnded) throw invalidLine(number + 1, 'is missing: the export was cut off')
  return { counts, sealCheck }
}

function problemOf(line: ContentLine): string | undefined {
  if ('record' in line) return recordProblem(line.record)
  return 'item' in line ? itemProblem(line.item, line.value) : undefined
}

/** The refusal of a line. It says where, and quotes nothing. */
export function invalidLine(number: number, what: string): MaintenanceError {
  return new MaintenanceError('invalid_line', `Line ${number} ${what}.`, {
    hint: 'Nothing was written. Take the export as fish-cli export wrote it.',
  })
}

function checkHeader(header: unknown): void {
  if (exportHeader.safeParse(header).success) return
  const { format, version } = Object(header) as { format?: unknown; version?: unknown }
  const isOther = format === EXPORT_FORMAT && typeof version === 'number' && version !== EXPORT_VERSION
  throw invalidLine(
    1,
    isOther ? `says version ${version}, and this program reads ${EXPORT_VERSION}` : 'is not the beginning of an export',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const NEWLINE = 0x0a
/** Far above what a write of the greatest size takes. */
const MOST_LINE_BYTES = 64 * 1024 * 1024

/**
 * The lines of a file. Not by `node:readline`, which also ends a line at U+2028 and U+2029, and these may stand raw in
 * JSON. What is no UTF-8 makes a line that is no JSON.
 */
async function* textLines(file: string, onRead: (bytes: number) => void): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let [number, size, bytes] = [1, 0, 0]
  const take = () => {
    const line = decoded(Buffer.concat(parts))
    parts = []
    size = 0
    number += 1
    return line
  }
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    onRead(bytes)
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at))
      from = at + 1
      yield take()
    }
    parts.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > MOST_LINE_BYTES) throw invalidLine(number, 'is too long')
  }
  if (size > 0) yield take()
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return ''
  }
}
