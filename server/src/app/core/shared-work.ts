interface Running<Result> {
  readonly result: Promise<Result>
  readonly controller: AbortController
  callers: number
}

/**
 * Creates a function that computes a result once for all callers that request the same key at the same time. Results
 * are not stored: combine this function with a cache.
 *
 * The key must name everything that the result depends on, such as the version of the content. All callers get the same
 * result object, or the same error. A caller whose signal is aborted rejects with the reason of its signal, and the
 * work continues for the other callers. The signal of `work` is aborted only when no caller remains.
 */
export function createSharedWork<Key, Result>() {
  const running = new Map<Key, Running<Result>>()

  function start(key: Key, work: (signal: AbortSignal) => Promise<Result>): Running<Result> {
    const controller = new AbortController()
    const started = { result: work(controller.signal), controller, callers: 0 }
    running.set(key, started)
    return started
  }

  return async (key: Key, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    signal.throwIfAborted()
    const shared = running.get(key) ?? start(key, work)
    shared.callers += 1
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([shared.result, aborted])
    } finally {
      signal.removeEventListener('abort', abort)
      shared.callers -= 1
      if (shared.callers === 0) {
        running.delete(key)
        shared.controller.abort(signal.reason)
      }
    }
  }
}
