import { type Finding, ok, warn } from './finding.ts'

/** When a request left and its answer came, here, and when it was answered, there; all in milliseconds. */
export interface ClockReading {
  readonly sentAt: number
  readonly answeredAt: number
  /** The answer's `Date` header. */
  readonly date: string | null
}

// What the Fernet specification grants, and so do services that look at a token's age.
const TOLERATED_SECONDS = 60
// `Date` has whole seconds, rounded down.
const DATE_STEP_MS = 1000

/** How far this clock is from the server's. Within half the time of the request and a second nothing can be said. */
export function clockFinding({ sentAt, answeredAt, date }: ClockReading): Finding {
  const server = Date.parse(date ?? '')
  if (Number.isNaN(server)) return warn('clock', 'The service does not say what time it is.', 'Nothing can be checked.')
  const difference = (sentAt + answeredAt) / 2 - (server + DATE_STEP_MS / 2)
  const doubt = (answeredAt - sentAt) / 2 + DATE_STEP_MS / 2
  const seconds = Math.round(Math.max(0, Math.abs(difference) - doubt) / 1000)
  if (seconds === 0) return ok('clock', 'This clock agrees with that of the service.')
  const found = `This clock is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} that of the service.`
  if (seconds <= TOLERATED_SECONDS) return ok('clock', found)
  return warn(
    'clock',
    found,
    'Set the clock, best by network time: catches carry its time, and strict services refuse them.',
  )
}
