import { RateLimitError } from '@fish-crab/sdk'
import { openClient } from '../client/client.ts'
import { describeError } from '../client/describe-error.ts'
import { resolveTarget, type TargetFlags } from '../config/target.ts'
import type { Context } from '../core/context.ts'
import { EXIT } from '../core/errors.ts'
import { timeOfDay } from '../core/time.ts'
import type { Column } from '../output/columns.ts'
import type { OutputFlags } from '../output/format.ts'
import { createRowStream } from '../output/rows.ts'
import { screenOf } from '../output/screen.ts'
import { isTransient, outageOf, outageText, type PollTimes, pollUntil, rateLimitWindow } from './poll-until.ts'

/** What `status --watch` is told. */
interface WatchStatusOptions {
  readonly flags: TargetFlags & OutputFlags
  readonly intervalMs: number
  /** Tells a person. */
  readonly note: (text: string) => void
}

const PART = 'status'

/**
 * `status --watch`: a line for each change of a service, also for one that is down from the beginning; on a terminal a
 * live line too.
 *
 * @returns the exit status: interrupted
 * @throws what is no trouble of the service
 */
export async function watchStatus(context: Context, { flags, intervalMs, note }: WatchStatusOptions): Promise<number> {
  const { clock, line, stdout } = context
  const stream = createRowStream(STATE_COLUMNS, flags, screenOf(context, stdout))
  const signal = context.interrupted()
  let latencyMs = 0
  const client = await openClient(context, resolveTarget(context, flags), {
    onResponse: ({ durationMs }) => (latencyMs = Math.round(durationMs)),
  })
  let last: ServiceState | undefined
  let isHeldBack = false
  let hasSeen = false

  const show = (state: ServiceState, times: PollTimes) => {
    isHeldBack = false
    if (hasChanged(last, state)) {
      line.clear()
      stdout.write(stream([state]))
    }
    last = state
    if (!flags.json) line.set(PART, liveText(state, times))
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
      hasSeen = true
      show(stateOfResponse(version, latencyMs, times.at), times)
      return undefined
    },
    onError(error, times) {
      if (!isTransient(error, hasSeen)) throw error
      if (!(error instanceof RateLimitError)) return show(stateOfError(error, times.at), times)
      // Who may not ask does not know.
      if (!isHeldBack) note(outageText(outageOf(error, times.at, undefined, true)))
      isHeldBack = true
    },
  })
  return EXIT.interrupted
}

// What matters first, for narrow terminals cut the end.
function liveText({ status, version, latencyMs, code }: ServiceState, { at, nextAt }: PollTimes): string {
  const when = `${timeOfDay(at)}, next ${timeOfDay(nextAt)}`
  return version === null
    ? `${status} · ${when} · ${code}`
    : `${status}, ${latencyMs} ms · ${when} · version ${version}`
}

/** How a service was found at one look. What there is not is `null`. */
interface ServiceState {
  /** When, ISO 8601, by this machine's clock. */
  readonly timestamp: string
  /** `slow`: it is well, and took a second or longer to say so. */
  readonly status: 'ok' | 'slow' | 'down'
  readonly version: string | null
  /** Milliseconds from the question to the end of the answer. */
  readonly latencyMs: number | null
  /** Why it is down: the name of the failure. */
  readonly code: string | null
  /** The same as a sentence. */
  readonly message: string | null
}

const SLOW_MS = 1000

/** The columns of what `status --watch` prints. */
export const STATE_COLUMNS: readonly Column<ServiceState>[] = [
  { field: 'timestamp', text: (value) => timeOfDay(Date.parse(String(value))) },
  { field: 'status', style: (value) => (value === 'ok' ? 'green' : value === 'slow' ? 'yellow' : 'red') },
  { field: 'version', text: (value) => (value === null ? '' : `version ${value}`) },
  { field: 'latencyMs', text: (value) => (value === null ? '' : `${value} ms`) },
  { field: 'code', hidden: true },
  { field: 'message' },
]

/** The state of a service that answered. */
function stateOfResponse(version: string, latencyMs: number, at: number): ServiceState {
  const status = latencyMs < SLOW_MS ? 'ok' : 'slow'
  return { timestamp: new Date(at).toISOString(), status, version, latencyMs, code: null, message: null }
}

/** The state of a service that did not, or that said it is not well. */
function stateOfError(error: unknown, at: number): ServiceState {
  const { code, message } = describeError(error)
  return { timestamp: new Date(at).toISOString(), status: 'down', version: null, latencyMs: null, code, message }
}

/** Whether a state is another than the one before; how many milliseconds it took alone is none. */
function hasChanged(before: ServiceState | undefined, { status, version, code }: ServiceState): boolean {
  return !before || before.status !== status || before.version !== version || before.code !== code
}
