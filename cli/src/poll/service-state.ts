import type { Column } from '../output/columns.ts'
import { timeOfDay } from '../output/time-of-day.ts'
import { describeFailure } from '../runtime/describe-failure.ts'

/** How a service was found at one look. What there is not is `null`. */
export interface ServiceState {
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
export function stateOfAnswer(version: string, latencyMs: number, at: number): ServiceState {
  const status = latencyMs < SLOW_MS ? 'ok' : 'slow'
  return { timestamp: new Date(at).toISOString(), status, version, latencyMs, code: null, message: null }
}

/** The state of a service that did not, or that said it is not well. */
export function stateOfFailure(error: unknown, at: number): ServiceState {
  const { code, message } = describeFailure(error)
  return { timestamp: new Date(at).toISOString(), status: 'down', version: null, latencyMs: null, code, message }
}

/** Whether a state is another than the one before; how many milliseconds it took alone is none. */
export function hasChanged(before: ServiceState | undefined, { status, version, code }: ServiceState): boolean {
  return !before || before.status !== status || before.version !== version || before.code !== code
}
