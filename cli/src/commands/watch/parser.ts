import { createHash } from 'node:crypto'
import type { ChatCatch } from '@fish-crab/sdk/chat'
import { type DayEvidence, isNextSecond, timeOfGameLine, timeOfLine } from './line-time.ts'
import type { PlayerLocation } from './location.ts'
import type { LogEncoding } from './log-encoding.ts'

/**
 * The position in a log, and the location of the player at this position. Positions are stored in checkpoints, so the
 * names of the fields must not change.
 */
export interface LogPosition extends PlayerLocation {
  /** Hash of the first line, which identifies a log that is renamed or compressed. */
  readonly head: string
  /** Number of bytes that were read. The offset is always the start of a line. */
  readonly offset: number
  /** Hash of the bytes before the offset. */
  readonly anchor: string
  /** Time of the last line, or the start of the file if no line has a time yet, in milliseconds since 1970. */
  readonly at: number
  readonly last?: LastCatch | undefined
  /** Name of the player in the game, if the log contains the name. */
  readonly player?: string | undefined
}

/** A catch read from a log. */
export interface WatchedCatch {
  readonly found: ChatCatch
  readonly caughtAt: number
  /** Location of the player at this line. */
  readonly where: PlayerLocation
  /** Name of the player in the game, if the log contains the name. */
  readonly player?: string | undefined
  /** Unique key: hash of the file's first line, offset, and hash of the line. */
  readonly key: string
}

type ParserState = Pick<LogPosition, 'head' | 'at' | 'last' | 'gamemode' | 'elsewhere' | 'player'>

/** Functions that read chat lines. */
export interface ChatReader {
  readonly parse: (line: string) => ChatCatch | undefined
  /** Returns the location of the player, if the line names a location. */
  readonly locate: (line: string) => PlayerLocation | undefined
  /** Returns the name of the player in the game, if the line contains the name. */
  readonly player: (line: string) => string | undefined
  /** Returns the message of a line that looks like a catch but cannot be parsed. */
  readonly unrecognized: (line: string) => string | undefined
}

interface ParsedLines {
  readonly catches: readonly WatchedCatch[]
  /** Messages that look like catches but cannot be parsed. */
  readonly unrecognized: readonly string[]
  readonly context: ParserState
  /** Byte offset after the parsed lines. A last line that may have a continuation is left for the next read. */
  readonly end: number
}

/**
 * Parses lines of a log. Unless the log is idle (`isSettled`), a catch in the last line is left for the next read,
 * because the next line may belong to the same catch.
 */
export function parseLines(
  lines: readonly LogLine[],
  before: ParserState,
  { isSettled, day, chat }: { readonly isSettled: boolean; readonly day: DayEvidence; readonly chat: ChatReader },
): ParsedLines {
  const catches: WatchedCatch[] = []
  const unrecognized: string[] = []
  let context = before
  let open = false
  for (const [index, { text, bytes, start, end }] of lines.entries()) {
    const where = chat.locate(text)
    if (where) context = { ...context, gamemode: where.gamemode, elsewhere: where.elsewhere }
    const started = chat.player(text)
    if (started !== undefined) context = { ...context, player: started }
    const found = chat.parse(text)
    const timeOfDay = found?.timeOfDay ?? timeOfGameLine(text)
    const at = timeOfLine(timeOfDay, context.at, day)
    if (!found) {
      if (timeOfDay !== undefined) context = { ...context, at }
      const message = chat.unrecognized(text)
      if (message !== undefined) unrecognized.push(message)
      continue
    }
    const line = { found, start, end }
    if (isSameCatch(context.last, line)) {
      const first = open ? catches.pop() : undefined
      if (first) catches.push({ ...first, found: mergeCatches(first.found, found) })
      context = { ...context, last: undefined }
      open = false
      continue
    }
    if (!isSettled && index === lines.length - 1) return { catches, unrecognized, context, end: start }
    context = { ...context, at, last: lastCatchOf(line) }
    const { gamemode, elsewhere, player } = context
    // The first line has a time but no date, so two games can have the same first line. Therefore, the key also
    // includes a hash of the line with the catch. Bytes have the same hash in every assumed encoding.
    const key = `${context.head}:${start}:${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
    catches.push({ found, caughtAt: at, where: { gamemode, elsewhere }, player, key })
    open = true
  }
  return { catches, unrecognized, context, end: lines.at(-1)?.end ?? 0 }
}

interface CatchLine {
  readonly found: ChatCatch
  readonly start: number
  readonly end: number
}

/**
 * The last catch, to recognize a second line about the same catch. Stored in checkpoints, so the names of the fields
 * must not change.
 */
interface LastCatch {
  readonly kind: ChatCatch['kind']
  readonly name: string
  readonly firstTime: boolean
  readonly byAugment: boolean
  readonly lengthCm?: number | undefined
  readonly timeOfDay?: string | undefined
  readonly end: number
}

function lastCatchOf({ found, end }: CatchLine): LastCatch {
  const { kind, name, firstTime = false, byAugment = false, lengthCm, timeOfDay } = found
  return { kind, name, firstTime, byAugment, lengthCm, timeOfDay, end }
}

/**
 * Whether a line reports the same catch as the last catch line. The game writes two lines for the first fish of its
 * kind: `NICE CATCH! …` and `NEW ENTRY! …`. The two lines are one catch if
 *
 * - no other catch is between the lines, and at least one line reports the first fish of its kind,
 * - both lines name the same fish (ignoring case) and the same length (if any), and both or neither name an augment,
 * - and the lines have the same time, or are adjacent and have no times or times one second apart.
 *
 * Two such fish that are caught in the same second also count as one catch.
 */
function isSameCatch(last: LastCatch | undefined, { found, start }: CatchLine): boolean {
  if (last?.kind !== 'fish' || found.kind !== 'fish') return false
  const { firstTime = false, byAugment = false, lengthCm, timeOfDay } = found
  if (!last.firstTime && !firstTime) return false
  if (last.byAugment !== byAugment || last.name.toLowerCase() !== found.name.toLowerCase()) return false
  if (last.lengthCm !== undefined && lengthCm !== undefined && last.lengthCm !== lengthCm) return false
  if (last.timeOfDay !== undefined && timeOfDay !== undefined) {
    return last.timeOfDay === timeOfDay || (start === last.end && isNextSecond(last.timeOfDay, timeOfDay))
  }
  return start === last.end
}

/** Merges two lines about the same catch. Each line may have fields that the other line lacks. */
function mergeCatches(one: ChatCatch, other: ChatCatch): ChatCatch {
  if (one.kind !== 'fish' || other.kind !== 'fish') return one
  const rarity = one.rarity === UNKNOWN_RARITY ? other.rarity : one.rarity
  return { ...other, ...one, rarity, firstTime: true }
}

const UNKNOWN_RARITY = 5

interface LogLine {
  readonly text: string
  /** The encoded text. */
  readonly bytes: Uint8Array
  /** Byte offset of the line. */
  readonly start: number
  /** Byte offset of the next line. */
  readonly end: number
}

/** Splits the bytes at offset `at` of a file. If `isWhole` is set, the last line does not need a line feed. */
export function splitLines(
  bytes: Uint8Array,
  at: number,
  isWhole: boolean,
  { decode, lineFeed }: LogEncoding,
): readonly LogLine[] {
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const lines: LogLine[] = []
  let from = 0
  while (from < bytes.length) {
    let feed = searched.indexOf(lineFeed, from)
    // In UTF-16, the bytes of a line feed may also be halves of two other characters.
    while (feed % lineFeed.length > 0) feed = searched.indexOf(lineFeed, feed + 1)
    if (feed === -1 && !isWhole) break
    const to = feed === -1 ? bytes.length : feed
    const end = feed === -1 ? to : feed + lineFeed.length
    const line = bytes.subarray(from, to)
    lines.push({ text: decode(line), bytes: line, start: at + from, end: at + end })
    from = end
  }
  return lines
}
