const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const DAY_SECONDS = DAY_MS / SECOND_MS

/**
 * The time of a line may be earlier than the time of the previous line by up to this duration, because times are whole
 * seconds and not always in order.
 */
export const LINE_SLACK_MS = 5 * SECOND_MS

// A larger step back means that midnight has passed.
const MAX_STEP_BACK_MS = 12 * HOUR_MS
// Time zones, and so the clocks of two systems on one machine, differ by up to 10 hours in the Americas. A larger step
// back is more likely a night without lines.
const MAX_CLOCK_CHANGE_MS = 10 * HOUR_MS

/** Facts about a log that show the dates of its lines. All moments are in milliseconds since 1970. */
export interface DayEvidence {
  readonly writtenAt: number
  /** Whether the time of the last line is the time of the last write. A copied or compressed log is written later. */
  readonly isLastLineTimed: boolean
  /** A moment on the day in the name of the next log. */
  readonly nextLogAt?: number | undefined
}

/**
 * Converts a local time of day to milliseconds since 1970. The result is never after the last write. `after` is the
 * time of the previous line. Returns the time of the last write for a line without a time.
 *
 * Clocks are set back by users, by the end of summer time, and by other systems on the same machine. Therefore, a step
 * back of up to 12 hours is on the same day, unless the evidence shows that a day has passed.
 */
export function timeOfLine(timeOfDay: string | undefined, after: number, evidence: DayEvidence): number {
  const { writtenAt } = evidence
  const second = timeOfDay === undefined ? undefined : secondOfDay(timeOfDay)
  if (second === undefined) return writtenAt
  const moment = timeOn(after, second, daysSince(after, second, evidence))
  if (moment <= writtenAt + MINUTE_MS) return Math.min(moment, writtenAt)
  // The log is older than its first known time. The result is the last moment before the last write with this time of
  // day.
  const latest = timeOn(writtenAt, second)
  return latest > writtenAt ? timeOn(writtenAt, second, -1) : latest
}

function daysSince(after: number, second: number, { writtenAt, isLastLineTimed, nextLogAt }: DayEvidence): number {
  const stepBack = after - timeOn(after, second)
  // Lines that are out of order at midnight.
  if (stepBack + DAY_MS < LINE_SLACK_MS) return -1
  if (stepBack <= LINE_SLACK_MS) return 0
  const nextDay = timeOn(after, second, 1)
  if (nextDay > writtenAt + MINUTE_MS) return 0
  if (stepBack > MAX_STEP_BACK_MS) return 1
  if (isLastLineTimed) return isSameDay(nextDay, writtenAt) ? 1 : 0
  return stepBack > MAX_CLOCK_CHANGE_MS && isSameDay(nextDay, nextLogAt ?? writtenAt) ? 1 : 0
}

function timeOn(moment: number, second: number, days = 0): number {
  const day = new Date(moment)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, 0, 0, second).getTime()
}

function isSameDay(one: number, other: number): boolean {
  return timeOn(one, 0) === timeOn(other, 0)
}

function secondOfDay(text: string): number | undefined {
  const [, hours, minutes, seconds = '0', half] = /^(\d\d?):(\d\d)(?::(\d\d))? ?([ap]m)?$/i.exec(text) ?? []
  if (hours === undefined) return undefined
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  return hour * 3600 + Number(minutes) * 60 + Number(seconds)
}

export function isNextSecond(from: string, to: string): boolean {
  const [a, b] = [secondOfDay(from), secondOfDay(to)]
  return a !== undefined && b !== undefined && (a + 1) % DAY_SECONDS === b
}

// A time with words for the half of the day is read only in chat.
const GAME_LINE = /^\[(?:\d[^\]]{0,63}[ T])?(\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?Z?\] \[[^\]]{1,64}\/[A-Z]{4,5}\]/

/** Returns the time of day in a line of the game's log, of which chat is only a part. */
export function timeOfGameLine(line: string): string | undefined {
  return GAME_LINE.exec(line)?.[1]
}

/** Whether a time of day is that of a moment, within a minute. */
export function isTimeOf(timeOfDay: string, moment: number): boolean {
  const second = secondOfDay(timeOfDay)
  if (second === undefined) return false
  return [-1, 0, 1].some((days) => Math.abs(moment - timeOn(moment, second, days)) <= MINUTE_MS)
}
