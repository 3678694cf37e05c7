import type { FailureEvent, Logger, RequestEvent, ResponseEvent } from '@fish-crab/sdk'
import type { StatusLine } from '../core/context.ts'
import { printable } from '../output/text.ts'

/**
 * Prints a line for each request when it ends. A line has no query, headers or body, because these may contain secrets.
 * The warnings of the SDK are discarded, because they refer to options of its API.
 */
export function createRequestLog(line: StatusLine): Logger {
  return {
    debug(_message, fields) {
      const outcome = outcomeOf(fields as RequestEvent | ResponseEvent | FailureEvent)
      const { method, path } = fields as RequestEvent
      if (outcome !== undefined) line.say(`fish-cli: ${printable(`${method} ${path} ${outcome}`)}`)
    },
    info() {},
    warn() {},
  }
}

function outcomeOf(event: RequestEvent | ResponseEvent | FailureEvent): string | undefined {
  if ('status' in event) return `${event.status}, ${Math.round(event.durationMs)} ms`
  return 'code' in event ? `no response (${event.code})` : undefined
}
