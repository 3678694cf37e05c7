/** Seconds as people read them. @example duration(754_000) // '12:34' */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  if (hours > 0) return `${hours}:${two(minutes)}:${two(rest)}`
  return seconds < 60 ? `${seconds} s` : `${minutes}:${two(rest)}`
}

/** What is told while another process has what is to be sent. */
export function leaseText(waitMs: number): string {
  return `Waiting up to ${duration(waitMs)} for another process that sends these, or was killed; Ctrl-C ends it.`
}

/** What is told while the rate limit holds. */
export function waitText(waitMs: number): string {
  return `The rate limit holds: waiting ${duration(waitMs)}; Ctrl-C ends it.`
}
