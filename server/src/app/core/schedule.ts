/** Calls a function once after the given number of milliseconds, and returns a function that cancels the call. */
export type Schedule = (milliseconds: number, run: () => void) => () => void

/** Uses the timers of the platform, without keeping the process alive. */
export const platformSchedule: Schedule = (milliseconds, run) => {
  const timer: { unref?(): void } | number = setTimeout(run, milliseconds)
  // In browsers, the timer is a number.
  if (typeof timer === 'object') timer.unref?.()
  return () => clearTimeout(timer as number)
}

/**
 * Captured when this module loads, so that fake timers in a test never stop a queue. Platforms without `setImmediate`
 * use `setTimeout`, which is slower.
 */
const immediate =
  (globalThis as { readonly setImmediate?: (run: () => void) => unknown }).setImmediate ??
  ((run: () => void) => setTimeout(run, 0))

/** Lets the platform handle other events first. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => void immediate(resolve))
}
