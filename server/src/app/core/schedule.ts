export { yieldToEvents } from '../../storage/core/slices.ts'

/** Calls a function once after the given number of milliseconds, and returns a function that cancels the call. */
export type Schedule = (milliseconds: number, run: () => void) => () => void

/** Uses the timers of the platform, without keeping the process alive. */
export const platformSchedule: Schedule = (milliseconds, run) => {
  const timer: { unref?(): void } | number = setTimeout(run, milliseconds)
  // In browsers, the timer is a number.
  if (typeof timer === 'object') timer.unref?.()
  return () => clearTimeout(timer as number)
}
