import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { isNotFound } from '../config/files.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { decodeLine, type LogPosition, parseLines, splitLines, type WatchedCatch } from './parser.ts'

/** A log that can be read at any place. */
export interface LogFile {
  /** Which file of this machine it is; two paths to one file have one identity. */
  readonly identity: string
  facts(): Promise<LogFacts>
  /** Bytes from a place on: fewer than asked for only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** What the system says of a file. Times in milliseconds since 1970. */
interface LogFacts {
  readonly size: number
  readonly writtenAt: number
  readonly bornAt: number
}

const LONGEST_HEAD = 16 * 1024
const ANCHOR_LENGTH = 512

/**
 * Opens a log; `undefined` when there is none at that path. It stays readable when it is renamed or deleted.
 *
 * @throws CliError `log_not_readable`
 */
export async function openLog(path: string): Promise<LogFile | undefined> {
  const handle = await openLogFile(path)
  if (!handle) return undefined
  const { dev, ino } = await handle.stat({ bigint: true })
  return {
    identity: `${dev}:${ino}`,
    async facts() {
      const { size, mtimeMs, birthtimeMs } = await handle.stat()
      return { size, writtenAt: Math.floor(mtimeMs), bornAt: Math.floor(birthtimeMs || mtimeMs) }
    },
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

/**
 * Opens a log that was packed with gzip, as the game packs old ones; `undefined` when there is none at that path. It is
 * held in memory.
 *
 * @throws CliError `log_not_readable`
 */
export async function openGzippedLog(path: string): Promise<LogFile | undefined> {
  const handle = await openLogFile(path)
  if (!handle) return undefined
  try {
    const { dev, ino } = await handle.stat({ bigint: true })
    const { mtimeMs, birthtimeMs } = await handle.stat()
    const bytes = await promisify(gunzip)(await handle.readFile()).catch(() => {
      throw notReadable(`${path} is not packed with gzip, or is damaged.`)
    })
    const facts = { size: bytes.length, writtenAt: Math.floor(mtimeMs), bornAt: Math.floor(birthtimeMs || mtimeMs) }
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

/** Whether a path is that of a log that was packed. */
export function isGzipped(path: string): boolean {
  return path.endsWith('.gz')
}

/** Which file is at a path now; `undefined` when there is none. */
export async function identityAt(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/**
 * Names the content of a log by its first line; `undefined` while that is not written whole.
 *
 * @param isWhole Whether nothing more is written, so that a line without an end is one too.
 */
export async function headHashOf(file: LogFile, isWhole: boolean): Promise<string | undefined> {
  return headHash(await file.read(0, LONGEST_HEAD), isWhole)
}

function headHash(beginning: Uint8Array, isWhole: boolean): string | undefined {
  const bytes = beginning.subarray(0, LONGEST_HEAD)
  const end = bytes.indexOf(0x0a)
  if (end === -1 && bytes.length < LONGEST_HEAD && !(isWhole && bytes.length > 0)) return undefined
  return hashOf(end === -1 ? bytes : bytes.subarray(0, end))
}

/** The first line of a log, as far as it is written. */
export async function firstLineOf(file: LogFile): Promise<string> {
  const bytes = await file.read(0, LONGEST_HEAD)
  const end = bytes.indexOf(0x0a)
  return decodeLine(end === -1 ? bytes : bytes.subarray(0, end))
}

/** What tells whether a file is still the one that was read. */
interface ReadPosition {
  readonly head: string
  readonly offset: number
  readonly anchor: string
}

/** A hash of what stands before a place; what was overwritten has another. */
export async function anchorHashOf(file: LogFile, offset: number): Promise<string> {
  const length = Math.min(offset, ANCHOR_LENGTH)
  return hashOf(await file.read(offset - length, length))
}

/** The bytes from a place on, and whether those before it are what they were: both from one look at the file. */
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
  // Before the first byte stands nothing to go by, so the first line counts there.
  const isSame = offset === 0 ? headHash(all, true) === head : anchorAt(offset) === anchor
  return { isSame, bytes: all.subarray(before), anchorAt }
}

/** Whether a file is the one that was read up to a place, perhaps longer now. */
export async function isUnchangedTo(file: LogFile, { head, offset, anchor }: ReadPosition): Promise<boolean> {
  if (offset === 0) return (await headHashOf(file, true)) === head
  const { size } = await file.facts()
  return size >= offset && (await anchorHashOf(file, offset)) === anchor
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

/** The `code` of the failure where something is at the path of a log that cannot be read as one. */
export const LOG_NOT_READABLE = 'log_not_readable'

/**
 * Opens a file for reading; `undefined` when there is none at that path.
 *
 * @throws CliError `log_not_readable`, for what is no file too
 */
async function openLogFile(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle
  try {
    // A named pipe would wait for its writer where Ctrl-C does not reach. Windows has none, and no such flag.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (isNotFound(error)) return undefined
    const { code } = error as NodeJS.ErrnoException
    // Windows opens no folder at all.
    if (code === 'EISDIR') throw notReadable(`${path} is a folder.`)
    throw notReadable(`${path} cannot be read (${code ?? 'unknown'}).`)
  }
  const facts = await handle.stat()
  if (facts.isFile()) return handle
  await handle.close()
  throw notReadable(facts.isDirectory() ? `${path} is a folder.` : `${path} is no file.`)
}

/** What is at the path of a log is none that can be read. */
function notReadable(message: string): CliError {
  return new CliError({
    code: LOG_NOT_READABLE,
    message,
    hint: 'Give the path of a log that you may read: fish-cli watch PATH/logs/latest.log',
    exit: EXIT.usage,
  })
}

/** What was read in one go, and where reading goes on. */
export interface Batch {
  readonly catches: readonly WatchedCatch[]
  readonly place: LogPosition
}

const CHUNK = 256 * 1024

/** How to take what stands at the end of a file. */
interface ReadOptions {
  /** Nothing followed for a while: a catch in the last line is not held back for the line that may follow. */
  readonly isSettled: boolean
  /** Nothing will follow: a last line without an end is a line. */
  readonly isWhole: boolean
}

/** Reads on from a place, up to 256 KiB; `undefined` when there is nothing to take. */
export async function readBatch(file: LogFile, place: LogPosition, options: ReadOptions): Promise<Batch | undefined> {
  const { size, writtenAt } = await file.facts()
  if (size <= place.offset) return undefined
  const { isSame, bytes, anchorAt } = await readFrom(file, place, CHUNK)
  // Cut off since the last look.
  if (!isSame) return undefined
  const isLast = place.offset + bytes.length >= size
  // A chat line is far below a chunk: one that fills it is taken as it is, to go on.
  const isOneLine = bytes.length === CHUNK && !bytes.includes(0x0a)
  const lines = splitLines(bytes, place.offset, isOneLine || (isLast && options.isWhole))
  if (lines.length === 0) return undefined
  const isSettled = isOneLine || (isLast && (options.isSettled || options.isWhole))
  const { catches, context, end } = parseLines(lines, place, { isSettled, now: writtenAt })
  if (end === place.offset) return undefined
  return { catches, place: { ...place, ...context, offset: end, anchor: anchorAt(end) } }
}
