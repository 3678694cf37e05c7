/** Calls a function once after some milliseconds, and returns a function that cancels the call. */
export type Schedule = (milliseconds: number, run: () => void) => () => void

/** Uses the timers of the platform, which do not keep a process alive. */
export const platformSchedule: Schedule = (milliseconds, run) => {
  const timer: { unref?(): void } | number = setTimeout(run, milliseconds)
  // A number in browsers.
  if (typeof timer === 'object') timer.unref?.()
  return () => clearTimeout(timer as number)
}

/** Captured when this module loads, so that fake timers of a test never stop a queue. Workers without it use a timer, which is slower. */
const immediate =
  (globalThis as { readonly setImmediate?: (run: () => void) => unknown }).setImmediate ??
  ((run: () => void) => setTimeout(run, 0))

/** Lets the platform handle other events first. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => void immediate(resolve))
}
