import { isRateLimitError } from '@fish-crab/sdk'
import { openClient, type ServiceFlags } from '../client/open-client.ts'
import { EXIT } from '../core/exit.ts'
import type { RunIo } from '../core/run-io.ts'
import type { OutputFlags } from '../output/format.ts'
import { screenOf } from '../output/screen.ts'
import { timeOfDay } from '../output/time-of-day.ts'
import { allowanceOf } from './pace.ts'
import { keepLooking, type Times } from './poll-until.ts'
import { createRowStream } from './row-stream.ts'
import { hasChanged, type ServiceState, STATE_COLUMNS, stateOfAnswer, stateOfFailure } from './service-state.ts'
import { beginningText, mayPass, troubleOf } from './trouble.ts'

/** What `status --watch` is told. */
export interface StatusWatch {
  readonly flags: ServiceFlags & OutputFlags
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
export async function watchStatus(io: RunIo, { flags, intervalMs, note }: StatusWatch): Promise<number> {
  const { clock, line, stdout } = io
  const stream = createRowStream(STATE_COLUMNS, flags, screenOf(io, stdout))
  const signal = io.interrupted()
  let latencyMs = 0
  const client = await openClient(io, flags, { onResponse: ({ durationMs }) => (latencyMs = Math.round(durationMs)) })
  let last: ServiceState | undefined
  let isHeldBack = false
  let hasSeen = false

  const show = (state: ServiceState, times: Times) => {
    isHeldBack = false
    if (hasChanged(last, state)) {
      line.clear()
      stdout.write(stream([state]))
    }
    last = state
    if (!flags.json) line.set(PART, liveText(state, times))
  }
  await keepLooking({
    clock,
    signal,
    intervalMs,
    async look() {
      const { data, response } = await client.status({ signal, maxRetries: 0 }).withResponse()
      const allowance = allowanceOf(data.rateLimit, response.headers.get('date'), clock.now())
      return { seen: data.version, allowance }
    },
    onSeen(version, times) {
      hasSeen = true
      show(stateOfAnswer(version, latencyMs, times.at), times)
      return undefined
    },
    onFailed(error, times) {
      if (!mayPass(error, hasSeen)) throw error
      if (!isRateLimitError(error)) return show(stateOfFailure(error, times.at), times)
      // Who may not ask does not know.
      if (!isHeldBack) note(beginningText(troubleOf(error, times.at, undefined, true)))
      isHeldBack = true
    },
  })
  return EXIT.interrupted
}

// What matters first, for narrow terminals cut the end.
function liveText({ status, version, latencyMs, code }: ServiceState, { at, nextAt }: Times): string {
  const when = `${timeOfDay(at)}, next ${timeOfDay(nextAt)}`
  return version === null
    ? `${status} · ${when} · ${code}`
    : `${status}, ${latencyMs} ms · ${when} · version ${version}`
}
