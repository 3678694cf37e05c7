import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, constants as zlib } from 'node:zlib'
import { CliError, EXIT } from '../../core/errors.ts'
import { isNotFound } from '../../session/files.ts'
import { type LogEncoding, logEncoding } from './log-encoding.ts'

/** An open log, which stays readable after the log is renamed or deleted. */
export interface LogFile {
  /** Identifies the file on this machine, independent of its path. */
  readonly identity: string
  facts(): Promise<LogFacts>
  /** Returns the encoding of the log, which does not change after the first character above U+007F was read. */
  encoding(): Promise<LogEncoding>
  /** Reads bytes from an offset. Returns fewer bytes than requested only at the end of the log. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** Whether the end of a gzipped log is missing. */
  readonly isCut: boolean
  close(): Promise<void>
}

export interface LogFacts {
  readonly size: number
  /** Milliseconds since 1970, like `bornAt`. */
  readonly writtenAt: number
  readonly bornAt: number
}

/**
 * Opens a log. A gzipped log is read into memory. Returns `undefined` if the log is not found.
 *
 * @param legacy the encoding of a log that is neither UTF-8 nor UTF-16
 * @throws CliError `log_not_readable`
 */
export async function openLog(path: string, legacy: LogEncoding): Promise<LogFile | undefined> {
  const handle = await openRegularFile(path)
  if (!handle) return undefined
  const { dev, ino } = await handle.stat({ bigint: true })
  const identity = `${dev}:${ino}`
  if (!isGzipped(path)) {
    const read: LogFile['read'] = (offset, length) => readFully(handle, offset, length)
    return {
      identity,
      facts: () => factsOf(handle),
      encoding: encodingDetector(read, legacy),
      read,
      isCut: false,
      close: () => handle.close(),
    }
  }
  try {
    const compressed = await handle.readFile()
    const damaged = () => notReadable(`${path} is not gzip, or is damaged.`)
    let isCut = false
    const bytes = await promisify(gunzip)(compressed).catch((error: NodeJS.ErrnoException) => {
      isCut = error.code === 'Z_BUF_ERROR'
      if (!isCut) throw damaged()
      return promisify(gunzip)(compressed, { finishFlush: zlib.Z_SYNC_FLUSH })
    })
    if (isCut && bytes.length === 0) throw damaged()
    const facts = { ...(await factsOf(handle)), size: bytes.length }
    const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length)
    return {
      identity,
      facts: async () => facts,
      encoding: encodingDetector(read, legacy),
      read,
      isCut,
      close: async () => {},
    }
  } finally {
    await handle.close()
  }
}

export function isGzipped(path: string): boolean {
  return path.endsWith('.gz')
}

/** Returns the identity of the file at a path, or `undefined` if there is no file. */
export async function identityAt(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  return stats && `${stats.dev}:${stats.ino}`
}

const CHECKED_BYTES = 256 * 1024
const UTF_8 = logEncoding('utf-8') as LogEncoding

/**
 * A log is UTF-16 or UTF-8 if it starts with a byte order mark, UTF-16 if it starts with an ASCII character of two bytes,
 * UTF-8 if the content is valid UTF-8, and in the legacy encoding otherwise. One line is too little evidence, because
 * pairs of bytes in legacy encodings are often valid UTF-8.
 */
function encodingDetector(read: LogFile['read'], legacy: LogEncoding): LogFile['encoding'] {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let encoding: LogEncoding | undefined
  let checked = 0
  return async () => {
    encoding ??= encodingOfStart(await read(0, 3))
    let isUtf8 = false
    while (!encoding) {
      const bytes = await read(checked, CHECKED_BYTES)
      if (bytes.length === 0) {
        if (isUtf8) encoding = UTF_8
        break
      }
      checked += bytes.length
      try {
        isUtf8 = /[^\0-\x7f]/.test(utf8.decode(bytes, { stream: true })) || isUtf8
      } catch {
        encoding = legacy
      }
    }
    return encoding ?? UTF_8
  }
}

function encodingOfStart([first, second, third]: Uint8Array): LogEncoding | undefined {
  if (first === undefined || second === undefined) return undefined
  if ((first === 0xff && second === 0xfe) || second === 0) return logEncoding('utf-16le')
  if ((first === 0xfe && second === 0xff) || first === 0) return logEncoding('utf-16be')
  return first === 0xef && second === 0xbb && third === 0xbf ? UTF_8 : undefined
}

const LOG_NOT_READABLE = 'log_not_readable'

export function isUnreadable(error: unknown): boolean {
  return error instanceof CliError && error.code === LOG_NOT_READABLE
}

async function readFully(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

async function factsOf(handle: FileHandle): Promise<LogFacts> {
  const { size, mtimeMs, birthtimeMs } = await handle.stat()
  return { size, writtenAt: Math.floor(mtimeMs), bornAt: Math.floor(birthtimeMs || mtimeMs) }
}

async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle
  try {
    // Without O_NONBLOCK, opening a named pipe blocks until there is a writer. Windows has no such flag.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (isNotFound(error)) return undefined
    const { code } = error as NodeJS.ErrnoException
    // Windows rejects opening a folder.
    throw notReadable(code === 'EISDIR' ? `${path} is a folder.` : `${path} cannot be read (${code ?? 'unknown'}).`)
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

const MAX_HEAD = 16 * 1024

/**
 * Returns the first line without the line end, or `undefined` while the line is incomplete. If the log is complete, a
 * line without a line end counts as complete.
 */
export function firstLine(beginning: Uint8Array, isWhole: boolean): Uint8Array | undefined {
  const bytes = beginning.subarray(0, MAX_HEAD)
  const end = bytes.indexOf(0x0a)
  if (end !== -1) return bytes.subarray(0, end)
  return bytes.length === MAX_HEAD || (isWhole && bytes.length > 0) ? bytes : undefined
}

export function readHead(file: LogFile): Promise<Uint8Array> {
  return file.read(0, MAX_HEAD)
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}
