import { RateLimitError } from '@fish-crab/sdk'
import { describeError } from '../../core/describe-error.ts'
import { EXIT } from '../../core/errors.ts'
import { timeOfDay } from '../../core/time.ts'
import { isTransient, outageOf, outageText, type PollTimes, pollUntil, rateLimitWindow } from '../../kit/poll-until.ts'
import type { Session } from '../../session/session.ts'
import type { Column } from '../../terminal/table.ts'

const PART = 'status'

/**
 * Polls the state of the service and prints a line when the state changes. On a terminal, also shows a status line.
 * @throws errors that polling cannot fix
 */
export async function watchStatus(session: Session, intervalMs: number): Promise<number> {
  const { clock, signal, terminal } = session
  const print = await terminal.rowStream(STATE_COLUMNS)
  let latencyMs = 0
  const client = await session.client({
    onResponse: ({ durationMs }) => (latencyMs = Math.round(durationMs)),
  })
  let last: ServiceState | undefined
  let isRateLimited = false
  let hasConnected = false

  const show = (state: ServiceState, times: PollTimes) => {
    isRateLimited = false
    if (hasChanged(last, state)) print([state])
    last = state
    if (!terminal.flags.json) terminal.setStatus(PART, liveText(state, times))
  }
  await pollUntil({
    clock,
    signal,
    intervalMs,
    async poll() {
      const { data, response } = await client.status({ signal, maxRetries: 0 }).withResponse()
      const rateLimit = rateLimitWindow(data.rateLimit, response.headers.get('date'), clock.now())
      return { value: data.version, rateLimit }
    },
    onResult(version, times) {
      hasConnected = true
      show(stateOfResponse(version, latencyMs, times.at), times)
      return undefined
    },
    onError(error, times) {
      if (!isTransient(error, hasConnected)) throw error
      if (!(error instanceof RateLimitError)) return show(stateOfError(error, times.at), times)
      // The request was rate limited, so the state is unknown.
      if (!isRateLimited) terminal.note(outageText(outageOf(error, times.at, undefined, true)))
      isRateLimited = true
    },
  })
  return EXIT.interrupted
}

// The status is first, because the end is truncated on narrow terminals.
function liveText({ status, version, latencyMs, code }: ServiceState, { at, nextAt }: PollTimes): string {
  const when = `${timeOfDay(at)}, next ${timeOfDay(nextAt)}`
  return version === null
    ? `${status} · ${when} · ${code}`
    : `${status}, ${latencyMs} ms · ${when} · version ${version}`
}

interface ServiceState {
  /** The time of the poll in ISO 8601, by the local clock. */
  readonly timestamp: string
  /** `slow` means that the response took a second or longer. */
  readonly status: 'ok' | 'slow' | 'down'
  readonly version: string | null
  /** Milliseconds from the request to the end of the response. */
  readonly latencyMs: number | null
  /** The error code if the service is down. */
  readonly code: string | null
  readonly message: string | null
}

const SLOW_MS = 1000

const STATE_COLUMNS: readonly Column<ServiceState>[] = [
  { field: 'timestamp', text: (value) => timeOfDay(Date.parse(String(value))) },
  { field: 'status', style: (value) => (value === 'ok' ? 'green' : value === 'slow' ? 'yellow' : 'red') },
  { field: 'version', text: (value) => (value === null ? '' : `version ${value}`) },
  { field: 'latencyMs', text: (value) => (value === null ? '' : `${value} ms`) },
  { field: 'code', hidden: true },
  { field: 'message' },
]

function stateOfResponse(version: string, latencyMs: number, at: number): ServiceState {
  const status = latencyMs < SLOW_MS ? 'ok' : 'slow'
  return { timestamp: new Date(at).toISOString(), status, version, latencyMs, code: null, message: null }
}

function stateOfError(error: unknown, at: number): ServiceState {
  const { code, message } = describeError(error)
  return { timestamp: new Date(at).toISOString(), status: 'down', version: null, latencyMs: null, code, message }
}

// A different latency does not count as a change.
function hasChanged(before: ServiceState | undefined, { status, version, code }: ServiceState): boolean {
  return !before || before.status !== status || before.version !== version || before.code !== code
}
