import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { isNotFound } from '../config/files.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { type ChatReader, decodeLine, type LogPosition, parseLines, splitLines, type WatchedCatch } from './parser.ts'

export interface LogFile {
  /** Identifies the file on this machine, whatever its path. */
  readonly identity: string
  facts(): Promise<LogFacts>
  /** Reads bytes from an offset; fewer than requested only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

interface LogFacts {
  readonly size: number
  readonly writtenAt: number
  readonly bornAt: number
}

const MAX_HEAD = 16 * 1024
const ANCHOR_LENGTH = 512

/** Stays readable when the log is renamed or deleted. `undefined`: not found. @throws CliError `log_not_readable` */
export async function openLog(path: string): Promise<LogFile | undefined> {
  const handle = await openLogFile(path)
  if (!handle) return undefined
  const { dev, ino } = await handle.stat({ bigint: true })
  return {
    identity: `${dev}:${ino}`,
    facts: () => factsOf(handle),
    async read(offset, length) {
      const bytes = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return bytes.subarray(0, filled)
    },
    close: () => handle.close(),
  }
}

/** The game compresses rotated logs. Reads into memory. `undefined`: not found. @throws CliError `log_not_readable` */
export async function openGzippedLog(path: string): Promise<LogFile | undefined> {
  const handle = await openLogFile(path)
  if (!handle) return undefined
  try {
    const { dev, ino } = await handle.stat({ bigint: true })
    const bytes = await promisify(gunzip)(await handle.readFile()).catch(() => {
      throw notReadable(`${path} is not gzip, or is damaged.`)
    })
    const facts = { ...(await factsOf(handle)), size: bytes.length }
    return {
      identity: `${dev}:${ino}`,
      facts: async () => facts,
      read: async (offset, length) => bytes.subarray(offset, offset + length),
      close: async () => {},
    }
  } finally {
    await handle.close()
  }
}

async function factsOf(handle: FileHandle): Promise<LogFacts> {
  const { size, mtimeMs, birthtimeMs } = await handle.stat()
  return { size, writtenAt: Math.floor(mtimeMs), bornAt: Math.floor(birthtimeMs || mtimeMs) }
}

export function isGzipped(path: string): boolean {
  return path.endsWith('.gz')
}

/** `undefined` when there is no file. */
export async function identityAt(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** Identifies the content of a log. `undefined` while the line is incomplete, which it never is when `isWhole`. */
export async function headHashOf(file: LogFile, isWhole: boolean): Promise<string | undefined> {
  return headHash(await file.read(0, MAX_HEAD), isWhole)
}

function headHash(beginning: Uint8Array, isWhole: boolean): string | undefined {
  const { line, isComplete } = firstLine(beginning)
  return isComplete || (isWhole && line.length > 0) ? hashOf(line) : undefined
}

function firstLine(beginning: Uint8Array): { readonly line: Uint8Array; readonly isComplete: boolean } {
  const bytes = beginning.subarray(0, MAX_HEAD)
  const end = bytes.indexOf(0x0a)
  return { line: end === -1 ? bytes : bytes.subarray(0, end), isComplete: end !== -1 || bytes.length === MAX_HEAD }
}

export async function firstLineOf(file: LogFile): Promise<string> {
  return decodeLine(firstLine(await file.read(0, MAX_HEAD)).line)
}

interface ReadPosition {
  readonly head: string
  readonly offset: number
  readonly anchor: string
}

/** Shows whether the bytes before an offset were overwritten. */
export async function tailHash(file: LogFile, offset: number): Promise<string> {
  const length = Math.min(offset, ANCHOR_LENGTH)
  return hashOf(await file.read(offset - length, length))
}

/** Reads bytes and checks, in the same read, that those before them are unchanged. */
async function readFrom(
  file: LogFile,
  { head, offset, anchor }: ReadPosition,
  length: number,
): Promise<{ readonly isSame: boolean; readonly bytes: Uint8Array; anchorAt(end: number): string }> {
  const before = Math.min(offset, ANCHOR_LENGTH)
  const all = await file.read(offset - before, before + length)
  const anchorAt = (end: number) => {
    const to = before + end - offset
    return hashOf(all.subarray(Math.max(0, to - ANCHOR_LENGTH), to))
  }
  // There is nothing before the first byte, so the first line is compared.
  const isSame = offset === 0 ? headHash(all, true) === head : anchorAt(offset) === anchor
  return { isSame, bytes: all.subarray(before), anchorAt }
}

/** Whether a file is unchanged up to a position. It may have grown. */
export async function matchesUpTo(file: LogFile, { head, offset, anchor }: ReadPosition): Promise<boolean> {
  if (offset === 0) return (await headHashOf(file, true)) === head
  const { size } = await file.facts()
  return size >= offset && (await tailHash(file, offset)) === anchor
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

/** @throws CliError `log_not_readable`; `log_not_found` if logs must exist */
export async function checkLogs(paths: readonly string[], mustExist: boolean): Promise<void> {
  for (const path of paths) {
    const file = await openLog(path)
    await file?.close()
    if (!file && mustExist) throw logNotFound(path)
  }
}

export function logNotFound(path: string): CliError {
  return new CliError({
    code: 'log_not_found',
    message: `No log found at ${path}.`,
    hint: 'To search the usual places: fish-cli watch',
    exit: EXIT.notFound,
  })
}

export const LOG_NOT_READABLE = 'log_not_readable'

/** `undefined`: not found. @throws CliError `log_not_readable`, also for what is not a regular file */
async function openLogFile(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle
  try {
    // Without O_NONBLOCK, opening a named pipe blocks until there is a writer. Windows has no such flag.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (isNotFound(error)) return undefined
    const { code } = error as NodeJS.ErrnoException
    // Windows fails to open a folder.
    if (code === 'EISDIR') throw notReadable(`${path} is a folder.`)
    throw notReadable(`${path} cannot be read (${code ?? 'unknown'}).`)
  }
  const facts = await handle.stat()
  if (facts.isFile()) return handle
  await handle.close()
  throw notReadable(facts.isDirectory() ? `${path} is a folder.` : `${path} is not a file.`)
}

function notReadable(message: string): CliError {
  return new CliError({
    code: LOG_NOT_READABLE,
    message,
    hint: 'Pass the path of a log that you may read: fish-cli watch PATH/logs/latest.log',
    exit: EXIT.usage,
  })
}

export interface Batch {
  readonly catches: readonly WatchedCatch[]
  /** Messages that look like catches but are not recognized. */
  readonly unrecognized: readonly string[]
  readonly place: LogPosition
}

const CHUNK = 256 * 1024

interface ReadOptions {
  /** The log has been idle: a catch in the last line does not wait for a line that may follow. */
  readonly isSettled: boolean
  /** The log is complete: a last line needs no line feed. */
  readonly isWhole: boolean
  readonly chat: ChatReader
}

export async function readBatch(file: LogFile, place: LogPosition, options: ReadOptions): Promise<Batch | undefined> {
  const { size, writtenAt } = await file.facts()
  if (size <= place.offset) return undefined
  const { isSame, bytes, anchorAt } = await readFrom(file, place, CHUNK)
  // Truncated since the last read.
  if (!isSame) return undefined
  const isLast = place.offset + bytes.length >= size
  // Chat lines are much shorter than a chunk: a line that fills one is split there.
  const isOneLine = bytes.length === CHUNK && !bytes.includes(0x0a)
  const lines = splitLines(bytes, place.offset, isOneLine || (isLast && options.isWhole))
  if (lines.length === 0) return undefined
  const isSettled = isOneLine || (isLast && (options.isSettled || options.isWhole))
  const { catches, unrecognized, context, end } = parseLines(lines, place, {
    isSettled,
    now: writtenAt,
    chat: options.chat,
  })
  if (end === place.offset) return undefined
  return { catches, unrecognized, place: { ...place, ...context, offset: end, anchor: anchorAt(end) } }
}
