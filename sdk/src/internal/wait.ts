/**
 * Settles with the outcome of the work, but rejects with the signal's reason as soon as the signal aborts, even if the
 * work ignores signals. If the signal has already aborted, the work does not start.
 */
export async function untilAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  let onAbort = () => {}
  try {
    return await new Promise<T>((resolve, reject) => {
      onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      work().then(resolve, reject)
    })
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

// A timer takes a delay of at most 31 bits; with a longer delay, the timer would fire immediately.
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Like `setTimeout`, but a delay of more than 31 bits is shortened to 31 bits (24.8 days), and `Infinity` never fires.
 */
export function startTimer(ms: number, onEnd: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(onEnd, Math.min(ms, MAX_TIMER_MS))
}

/** Keeps the process alive until the work settles, even if the work waits only for timers that do not. */
export async function keepAliveDuring<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, MAX_TIMER_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

/**
 * Resolves after `ms` milliseconds, at most 24.8 days; never resolves for `Infinity`.
 *
 * @param ref Whether the timer keeps a process alive. @default true
 * @throws the signal's reason as soon as the signal aborts, or immediately if the signal has already aborted
 */
export async function sleep(ms: number, signal?: AbortSignal, { ref = true } = {}): Promise<void> {
  let timer: ReturnType<typeof startTimer>
  const elapse = () =>
    new Promise<void>((resolve) => {
      timer = startTimer(ms, resolve)
      // In browsers, a timer is a number without `unref`, and there is no process to keep alive.
      if (!ref) (timer as Partial<NodeJS.Timeout> | undefined)?.unref?.()
    })
  try {
    await untilAborted(elapse, signal)
  } finally {
    clearTimeout(timer)
  }
}
