import { createHash } from 'node:crypto'
import { type ChatCatch, parseChatLine } from '@fish-crab/sdk/chat'
import { type PlayerLocation, readLocation } from './gamemode.ts'

/** How far a log was read, and where it said last that the player is. */
export interface LogPosition extends PlayerLocation {
  /** Names the content of the file: a hash of its first line. Survives renaming and packing. */
  readonly head: string
  /** How many files have stood at this path before, as far as was seen. */
  readonly generation: number
  /** Bytes that were read; always the beginning of a line. */
  readonly offset: number
  /** A hash of the bytes just before, to know the file again. */
  readonly anchor: string
  /** When the last catch was made, milliseconds since 1970; where there was none, when the file began. */
  readonly at: number
  readonly last?: LastCatch | undefined
}

/** A catch that a log told of. */
export interface WatchedCatch {
  readonly found: ChatCatch
  /** Milliseconds since 1970. */
  readonly caughtAt: number
  /** Where the player was, as the log said before it. */
  readonly where: PlayerLocation
  /** Names this very catch: the file by its first line, the byte at which the catch stands, and the line. */
  readonly key: string
}

/** What is known from before the lines. */
type ParserState = Pick<LogPosition, 'head' | 'generation' | 'at' | 'last' | 'gamemode' | 'elsewhere'>

/** What lines told. */
interface ParsedLines {
  readonly catches: readonly WatchedCatch[]
  readonly context: ParserState
  /** Up to where they were taken; less than all when the last of them is to be read again with what follows. */
  readonly end: number
}

/**
 * What the lines of a log tell.
 *
 * @param isSettled Whether nothing followed for a while. Else a catch in the very last line is left for later: the next
 * line may say more of it.
 * @param now When the log was last written to, milliseconds since 1970.
 */
export function parseLines(
  lines: readonly LogLine[],
  before: ParserState,
  { isSettled, now }: { readonly isSettled: boolean; readonly now: number },
): ParsedLines {
  const catches: WatchedCatch[] = []
  let context = before
  let open = false
  for (const [index, { text, start, end }] of lines.entries()) {
    const where = readLocation(text)
    if (where) context = { ...context, gamemode: where.gamemode, elsewhere: where.elsewhere }
    const found = parseChatLine(text)
    if (!found) continue
    const line = { found, start, end }
    if (isSameCatch(context.last, line)) {
      const first = open ? catches.pop() : undefined
      if (first) catches.push({ ...first, found: mergeCatches(first.found, found) })
      context = { ...context, last: undefined }
      open = false
      continue
    }
    if (!isSettled && index === lines.length - 1) return { catches, context, end: start }
    const caughtAt = timeOfLine(found.timeOfDay, context.at, now)
    context = { ...context, at: caughtAt, last: lastCatchOf(line) }
    const { gamemode, elsewhere } = context
    const key = keyOf(context, found, { text, start })
    catches.push({ found, caughtAt, where: { gamemode, elsewhere }, key })
    open = true
  }
  return { catches, context, end: lines.at(-1)?.end ?? 0 }
}

/**
 * Two games that were started in the same second of two days have the same first line, so the line itself counts too.
 * Lines without times are told apart only by how often the file was begun anew.
 */
function keyOf(
  { head, generation }: ParserState,
  { timeOfDay }: ChatCatch,
  { text, start }: Pick<LogLine, 'text' | 'start'>,
): string {
  const file = timeOfDay === undefined ? `${head}.${generation}` : head
  return `${file}:${start}:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** A catch line that was read, and where it ended. */
interface CatchLine {
  readonly found: ChatCatch
  readonly start: number
  readonly end: number
}

/** What is remembered of the last catch line, in case that the next one tells of the same catch. */
interface LastCatch {
  readonly kind: ChatCatch['kind']
  readonly name: string
  readonly firstTime: boolean
  readonly byAugment: boolean
  readonly lengthCm?: number
  readonly timeOfDay?: string
  readonly end: number
}

/** What {@link isSameCatch} goes by later. */
function lastCatchOf({ found, end }: CatchLine): LastCatch {
  const { kind, name, firstTime = false, byAugment = false, lengthCm, timeOfDay } = found
  return {
    kind,
    name,
    firstTime,
    byAugment,
    ...(lengthCm === undefined ? {} : { lengthCm }),
    ...(timeOfDay === undefined ? {} : { timeOfDay }),
    end,
  }
}

/**
 * Whether a line tells once more of the catch that the last catch line told of. The game writes two lines for the first
 * fish of its sort: `NICE CATCH! …` and `NEW ENTRY! …`. They are one catch when
 *
 * - no line of another catch stands between them, and one of the two says that it is the first of its sort,
 * - both are fish of one name (letter case aside), both or neither by augments, with the same length if both tell it,
 * - and they were written in the same second, or one directly after the other where no times are written.
 *
 * The one remaining doubt, a second such fish within the second of the first, is decided for one catch.
 */
function isSameCatch(last: LastCatch | undefined, { found, start }: CatchLine): boolean {
  if (last?.kind !== 'fish' || found.kind !== 'fish') return false
  const { firstTime = false, byAugment = false, lengthCm, timeOfDay } = found
  if (!last.firstTime && !firstTime) return false
  if (last.byAugment !== byAugment || last.name.toLowerCase() !== found.name.toLowerCase()) return false
  if (last.lengthCm !== undefined && lengthCm !== undefined && last.lengthCm !== lengthCm) return false
  if (last.timeOfDay !== undefined && timeOfDay !== undefined) {
    return last.timeOfDay === timeOfDay || (start === last.end && secondsBetween(last.timeOfDay, timeOfDay) === 1)
  }
  return start === last.end
}

/** One catch of two lines: each may tell what the other does not. */
function mergeCatches(one: ChatCatch, other: ChatCatch): ChatCatch {
  if (one.kind !== 'fish' || other.kind !== 'fish') return one
  // Told by neither catch word nor label.
  const rarity = one.rarity === UNKNOWN_RARITY ? other.rarity : one.rarity
  return { ...other, ...one, rarity, firstTime: true }
}

const UNKNOWN_RARITY = 5

/** Whole seconds from one time of day to a later one; `undefined` where seconds are not written. */
function secondsBetween(from: string, to: string): number | undefined {
  const [a, b] = [secondOfDay(from), secondOfDay(to)]
  if (a === undefined || b === undefined) return undefined
  return (b - a + DAY_SECONDS) % DAY_SECONDS
}

const DAY_SECONDS = 86_400

function secondOfDay(time: string): number | undefined {
  const [, hours, minutes, seconds] = /^(\d\d?):(\d\d):(\d\d)$/.exec(time) ?? []
  return seconds === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

const MINUTE_MS = 60_000
/** How much earlier than the one before a line may say to be: lines say whole seconds, and are not always in order. */
export const LINE_SLACK_MS = 5000

/**
 * When a line was written: its time of day, by the clock of this machine, on the day that follows from what is known.
 *
 * @param timeOfDay As the log says it, such as `12:00:01` or `9:30 PM`.
 * @param after Not before this moment, milliseconds since 1970, a few seconds aside: when the log began, or the line before
 * was written.
 * @param now Not after this moment: when the log was last written to.
 * @returns milliseconds since 1970; `now` where no time of day is told
 */
export function timeOfLine(timeOfDay: string | undefined, after: number, now: number): number {
  const time = timeOfDay === undefined ? undefined : readTime(timeOfDay)
  if (!time) return now
  const day = new Date(after - LINE_SLACK_MS)
  const on = (days: number) =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, time.hours, time.minutes, time.seconds).getTime()
  const moment = on(0) >= after - LINE_SLACK_MS ? on(0) : on(1)
  if (moment <= now + MINUTE_MS) return Math.min(moment, now)
  // The clock was set back, or the log is older than it seems: the latest such time that has been.
  const today = new Date(now)
  const latest = new Date(
    today.getFullYear(),
    today.getMonth(),
    today.getDate(),
    time.hours,
    time.minutes,
    time.seconds,
  )
  if (latest.getTime() > now) latest.setDate(latest.getDate() - 1)
  return latest.getTime()
}

function readTime(text: string): { hours: number; minutes: number; seconds: number } | undefined {
  const [, hours, minutes, seconds = '0', half] = /^(\d\d?):(\d\d)(?::(\d\d))? ?([ap]m)?$/i.exec(text) ?? []
  if (hours === undefined) return undefined
  const afternoon = half === undefined ? 0 : half.toLowerCase() === 'pm' ? 12 : 0
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + afternoon
  return { hours: hour, minutes: Number(minutes), seconds: Number(seconds) }
}

/** A line of a log, and where it stands. */
interface LogLine {
  readonly text: string
  /** Bytes from the beginning of the file to that of the line. */
  readonly start: number
  /** The same to the beginning of the next line. */
  readonly end: number
}

const LINE_FEED = 0x0a

/**
 * Takes bytes apart into lines.
 *
 * @param at Where in the file the bytes begin; always the beginning of a line.
 * @param isWhole Whether nothing follows, so that what has no end of line is a line too.
 */
export function splitLines(bytes: Uint8Array, at: number, isWhole: boolean): readonly LogLine[] {
  const lines: LogLine[] = []
  let from = 0
  while (from < bytes.length) {
    const feed = bytes.indexOf(LINE_FEED, from)
    if (feed === -1 && !isWhole) break
    const to = feed === -1 ? bytes.length : feed
    const end = feed === -1 ? to : feed + 1
    lines.push({ text: decodeLine(bytes.subarray(from, to)), start: at + from, end: at + end })
    from = end
  }
  return lines
}

/**
 * A line as text: UTF-8, and where it is none Windows-1252, which older versions of the game write on Windows. Decided
 * for each line, so that one broken line does not change how others are read.
 */
export function decodeLine(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
