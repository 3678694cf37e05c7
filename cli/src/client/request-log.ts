import type { Logger, RequestEvent, ResponseEvent, RetryEvent } from '@fish-crab/sdk'
import type { StatusLine } from '../core/context.ts'
import { printable } from '../output/text.ts'

/** Prints a line for each request. A line has no query, headers or body, because these may contain secrets. */
export function createRequestLog(line: StatusLine): Logger {
  const pending: string[] = []

  function end(request: string, outcome: string): void {
    pending.splice(pending.indexOf(request), 1)
    line.say(`fish-cli: ${printable(request)} ${outcome}`)
  }

  // The SDK reports no event for the last failed attempt of a call.
  line.onEnd(() => {
    for (const request of [...pending]) end(request, NO_RESPONSE)
  })
  return {
    debug(_message, fields) {
      const event = fields as RequestEvent | ResponseEvent
      if ('status' in event) end(nameOf(event), `${event.status}, ${Math.round(event.durationMs)} ms`)
      else pending.push(nameOf(event))
    },
    info() {},
    warn(_message, fields) {
      // Other warnings of the SDK refer to options of its API.
      const event = fields as Partial<RetryEvent>
      if (isRetry(event) && event.status === undefined) end(nameOf(event), NO_RESPONSE)
    },
  }
}

const NO_RESPONSE = 'no response'

function nameOf({ method, path }: RequestEvent): string {
  return `${method} ${path}`
}

function isRetry(event: Partial<RetryEvent>): event is RetryEvent {
  return event.method !== undefined
}
