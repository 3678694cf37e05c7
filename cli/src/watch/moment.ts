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
export function momentOf(timeOfDay: string | undefined, after: number, now: number): number {
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
