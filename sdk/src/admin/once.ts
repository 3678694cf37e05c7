import type { Transport } from '../client/transport.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { ServerError } from '../errors/api-errors.ts'
import { ConnectionError, InvalidResponseError, TimeoutError } from '../errors/connection-errors.ts'

/** What a lost answer leaves open. */
export interface Doubt {
  /** What may have happened, to follow "Whether". */
  readonly whether: string
  /** What to look at or to do, a sentence. */
  readonly hint: string
}

// The connection was never made, so nothing was sent.
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']
// With this the server says itself that nothing was stored. A storage that failed may have stored what was sent.
const NOTHING_STORED: readonly string[] = ['unavailable'] satisfies ErrorCode[]

/**
 * A transport for writes that must not happen twice: a lost answer or a 5xx ends the call, and its error says what is
 * not known now. Refusals by the rate limit are waited out as ever: what they refuse did not happen.
 */
export function once(transport: Transport, doubt: Doubt): Transport {
  return (request) =>
    transport({ ...request, options: { ...request.options, maxRetries: 0 } }).catch((error: unknown) => {
      throw inDoubt(error, doubt)
    })
}

function inDoubt(error: unknown, { whether, hint }: Doubt): unknown {
  if (error instanceof ConnectionError) {
    const { summary, systemCode, proxy, rateLimit, cause } = error
    if (proxy !== undefined || NEVER_SENT.includes(systemCode ?? '')) return error
    const Type = error instanceof TimeoutError ? TimeoutError : ConnectionError
    return new Type(`${summary} Whether ${whether} is not known.`, { hint, systemCode, rateLimit, cause })
  }
  if (error instanceof InvalidResponseError) {
    return new InvalidResponseError(`${error.summary} Whether ${whether} is not known.`, { ...error, hint })
  }
  if (error instanceof ServerError && !NOTHING_STORED.includes(error.code)) {
    return new ServerError(`${error.summary} Whether ${whether} is not known.`, { ...error, hint })
  }
  return error
}
