/** Calls a function once, after some milliseconds, and returns what cancels that. */
export type Schedule = (milliseconds: number, run: () => void) => () => void

/** By the timers of the platform, which do not keep a process alive. */
export const platformSchedule: Schedule = (milliseconds, run) => {
  const timer: { unref?(): void } | number = setTimeout(run, milliseconds)
  // A number in browsers.
  if (typeof timer === 'object') timer.unref?.()
  return () => clearTimeout(timer as number)
}
