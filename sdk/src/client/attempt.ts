import { untilAborted } from './abort.ts'
import { isFishCrabError } from './error-guards.ts'
import { ConnectionError, TimeoutError } from './errors.ts'
import { readBody } from './read-body.ts'

/** An answer, read to its end. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** What bounds one try. */
export interface AttemptLimits {
  readonly timeoutMs: number
  readonly maxResponseBytes: number
}

// Timers hold 31 bits; a longer one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Runs one request to the end of its answer.
 *
 * @param open Sends the request. It is given a signal that aborts on the caller's abort and on the timeout.
 * @throws ConnectionError or TimeoutError when no whole answer came; the signal's reason when that aborted.
 */
export async function attempt(
  open: (signal: AbortSignal) => Promise<Response>,
  origin: string,
  limits: AttemptLimits,
  signal: AbortSignal | undefined,
): Promise<RawAnswer> {
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(
    () => ending.abort(new TimeoutError(`No whole answer from ${origin} within ${limits.timeoutMs} ms.`)),
    Math.min(limits.timeoutMs, LONGEST_TIMER_MS),
  )
  try {
    signal?.throwIfAborted()
    return await untilAborted(async () => {
      const response = await open(ending.signal)
      const text = await readBody(response, limits.maxResponseBytes)
      return { status: response.status, headers: response.headers, text }
    }, ending.signal)
  } catch (error) {
    if (ending.signal.aborted) throw ending.signal.reason
    if (isFishCrabError(error)) throw error
    throw connectionError(error, origin)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function connectionError(cause: unknown, origin: string): ConnectionError {
  const code = systemCode(cause)
  const message = `No answer from ${origin}${code ? ` (${code})` : ''}. Is the service running, and is baseUrl right?`
  return new ConnectionError(message, { cause })
}

/** The code of what broke the connection, such as `ECONNREFUSED`; fetch hides it in a cause. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : systemCode(error.cause)
}
