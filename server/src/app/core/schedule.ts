/** Calls a function once, after some milliseconds, and returns what cancels that. */
export type Schedule = (milliseconds: number, run: () => void) => () => void

/** By the timers of the platform, which do not keep a process alive. */
export const platformSchedule: Schedule = (milliseconds, run) => {
  const timer: { unref?(): void } | number = setTimeout(run, milliseconds)
  // A number in browsers.
  if (typeof timer === 'object') timer.unref?.()
  return () => clearTimeout(timer as number)
}

/** Where there is no `setImmediate`, a timer takes a millisecond or more. Fake timers of a test must not hold up a queue. */
const { setImmediate = (run: () => void) => setTimeout(run, 0) } = globalThis as {
  readonly setImmediate?: (run: () => void) => unknown
}

/** Lets the platform handle other events first. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
