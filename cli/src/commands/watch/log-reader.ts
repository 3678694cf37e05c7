import { basename } from 'node:path'
import { isTimeOf, LINE_SLACK_MS, timeOfGameLine } from './line-time.ts'
import { isGameStart } from './location.ts'
import { firstLine, hashOf, type LogFacts, type LogFile, readHead } from './log-file.ts'
import { type ChatReader, type LogPosition, parseLines, splitLines, type WatchedCatch } from './parser.ts'

export interface Batch {
  readonly catches: readonly WatchedCatch[]
  /** Messages that look like catches but are not recognized. */
  readonly unrecognized: readonly string[]
  readonly position: LogPosition
}

export interface ReadOptions {
  readonly signal: AbortSignal
  readonly chat: ChatReader
  /** Processes a batch. The next batch is read after the returned promise resolves. */
  readonly onBatch: (batch: Batch) => Promise<void> | void
  /** Whether the log is complete. If so, the last line does not need a line feed. */
  readonly isWhole: boolean
  /** A moment on the day in the name of the next log, in milliseconds since 1970. */
  readonly nextLogAt?: number | undefined
}

/** The state of a game, which continues in the next log after a rotation. */
export type GameState = Pick<LogPosition, 'gamemode' | 'elsewhere' | 'player'>

/**
 * Returns the position at the beginning of a log. Unless the log starts a new game, the state of the game is the state
 * at the end of the previous log. Returns `undefined` while the log has no first line.
 */
export async function startOf(
  file: LogFile,
  {
    path,
    isWhole,
    before = {},
  }: { readonly path: string; readonly isWhole: boolean; readonly before?: GameState | undefined },
): Promise<LogPosition | undefined> {
  const line = firstLine(await readHead(file), isWhole)
  if (!line) return undefined
  const { bornAt, writtenAt } = await file.facts()
  const { gamemode, elsewhere, player } = isGameStart((await file.encoding()).decode(line)) ? {} : before
  // A compressed or copied file is newer than its content, so the earliest known time is used.
  const at = Math.min(bornAt, writtenAt, dateInName(path) ?? Number.POSITIVE_INFINITY)
  return { head: hashOf(line), offset: 0, anchor: hashOf(new Uint8Array()), at, gamemode, elsewhere, player }
}

/** Whether the content of a file up to a position is unchanged. The file may have grown. */
export async function isContinued(file: LogFile, position: LogPosition): Promise<boolean> {
  const line = firstLine(await readHead(file), true)
  return line !== undefined && hashOf(line) === position.head && (await readBehind(file, position, 0)) !== undefined
}

/** @returns the position after the last complete line */
export async function readToEnd(file: LogFile, start: LogPosition, options: ReadOptions): Promise<LogPosition> {
  let position = start
  for (;;) {
    options.signal.throwIfAborted()
    const batch = await readBatch(file, position, { ...options, isSettled: true })
    if (typeof batch === 'string') return position
    position = batch.position
    await options.onBatch(batch)
  }
}

// Maximum number of bytes per read. Chat lines are much shorter.
const CHUNK = 256 * 1024

interface BatchOptions extends Pick<ReadOptions, 'chat' | 'isWhole' | 'nextLogAt'> {
  /** Whether the log is idle. If so, a catch in the last line does not wait for a following line. */
  readonly isSettled: boolean
}

/** @returns `end` if the log has no new lines yet, `rewritten` if the content of the file was replaced */
export async function readBatch(
  file: LogFile,
  position: LogPosition,
  { chat, isSettled, isWhole, nextLogAt }: BatchOptions,
): Promise<Batch | 'end' | 'rewritten'> {
  const { size, writtenAt } = await file.facts()
  const read = await readBehind(file, position, CHUNK)
  if (!read) return 'rewritten'
  const { bytes, anchorAt } = read
  const isLast = position.offset + bytes.length >= size
  const encoding = await file.encoding()
  const completeLines = splitLines(bytes, position.offset, isLast && isWhole, encoding)
  const isFull = bytes.length === CHUNK
  // A line that fills a chunk is split at the end of the chunk.
  const lines =
    isFull && completeLines.length === 0 ? splitLines(bytes, position.offset, true, encoding) : completeLines
  const { catches, unrecognized, context, end } = parseLines(lines, position, {
    isSettled: (isFull && lines.length === 1) || (isLast && (isSettled || isWhole)),
    day: { writtenAt, isLastLineTimed: await isLastLineTimed(file, { size, writtenAt }), nextLogAt },
    chat,
  })
  if (lines.length === 0 || end === position.offset) return 'end'
  return { catches, unrecognized, position: { ...position, ...context, offset: end, anchor: anchorAt(end) } }
}

const TAIL_LENGTH = 4096

async function isLastLineTimed(file: LogFile, { size, writtenAt }: Pick<LogFacts, 'size' | 'writtenAt'>) {
  const encoding = await file.encoding()
  const start = Math.max(0, size - TAIL_LENGTH)
  // In UTF-16, a character starts at an even offset.
  const tail = await file.read(start - (start % encoding.lineFeed.length), TAIL_LENGTH + 1)
  const times = splitLines(tail, 0, false, encoding).map(({ text }) => timeOfGameLine(text))
  const last = times.findLast((time) => time !== undefined)
  return last !== undefined && isTimeOf(last, writtenAt)
}

const ANCHOR_LENGTH = 512

/**
 * Reads the bytes around a position in one call, so that the file cannot change between two reads. Returns `undefined`
 * if the bytes before the position were overwritten.
 */
async function readBehind(file: LogFile, { head, offset, anchor }: LogPosition, length: number) {
  const before = Math.min(offset, ANCHOR_LENGTH)
  const all = await file.read(offset - before, before + length)
  const anchorAt = (end: number) => {
    const to = before + end - offset
    return hashOf(all.subarray(Math.max(0, to - ANCHOR_LENGTH), to))
  }
  if (all.length < before || anchorAt(offset) !== anchor) return undefined
  // At offset 0, there are no previous bytes to compare, so the first line is compared.
  const line = offset === 0 && length > 0 ? firstLine(all, true) : undefined
  return line && hashOf(line) !== head ? undefined : { bytes: all.subarray(before), anchorAt }
}

const ROTATED_NAME = /^(\d{4})-(\d\d)-(\d\d)-\d+\.log(?:\.gz)?$/

/** Whether a name has the form that the game gives to rotated logs. */
export function isRotatedName(name: string): boolean {
  return ROTATED_NAME.test(name)
}

/** The date of a rotated log, in milliseconds since 1970. */
export function dateInName(path: string | undefined): number | undefined {
  const [, year, month, day] = ROTATED_NAME.exec(basename(path ?? '')) ?? []
  return year === undefined
    ? undefined
    : new Date(Number(year), Number(month) - 1, Number(day)).getTime() + LINE_SLACK_MS
}
