/**
 * Settles like the work, but rejects with the signal's reason as soon as it aborts: the work may ignore signals. Does not
 * start the work if the signal has aborted already.
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

// Timers take 31 bits; a longer one would fire at once.
const MAX_TIMER_MS = 2 ** 31 - 1

/** `setTimeout` for any duration; `Infinity` never fires. */
export function startTimer(ms: number, onEnd: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(onEnd, Math.min(ms, MAX_TIMER_MS))
}

/**
 * Resolves after `ms` milliseconds, without the 31-bit limit of platform timers.
 *
 * @param ref Whether the timer keeps a process alive. @default true
 * @throws the signal's reason as soon as it aborts, at once if it has aborted already
 */
export async function sleep(ms: number, signal?: AbortSignal, { ref = true } = {}): Promise<void> {
  let timer: ReturnType<typeof startTimer>
  const elapse = () =>
    new Promise<void>((resolve) => {
      timer = startTimer(ms, resolve)
      // A number in browsers, which have no process to keep alive.
      if (!ref) (timer as Partial<NodeJS.Timeout> | undefined)?.unref?.()
    })
  try {
    await untilAborted(elapse, signal)
  } finally {
    clearTimeout(timer)
  }
}
