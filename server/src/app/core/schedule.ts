/** Calls a function once, after some milliseconds, and returns what cancels that. */
export type Schedule = (milliseconds: number, run: () => void) => () => void

/** By the timers of the platform, which do not keep a process alive. */
export const platformSchedule: Schedule = (milliseconds, run) => {
  const timer: { unref?(): void } | number = setTimeout(run, milliseconds)
  // A number in browsers.
  if (typeof timer === 'object') timer.unref?.()
  return () => clearTimeout(timer as number)
}

/** Taken when this is loaded: fake timers of a test must not hold up a queue. Where it is missing, a timer takes longer. */
const immediate =
  (globalThis as { readonly setImmediate?: (run: () => void) => unknown }).setImmediate ??
  ((run: () => void) => setTimeout(run, 0))

/** Lets the platform handle other events first. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => void immediate(resolve))
}
