// Timers hold 31 bits; a longer one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Calls back once, after so many milliseconds; never, for `Infinity`. */
export function startTimer(ms: number, onEnd: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(onEnd, Math.min(ms, LONGEST_TIMER_MS))
}
