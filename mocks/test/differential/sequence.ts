import type { PlainRequest } from './plain-request.ts'
import type { Random } from './random.ts'

/** State of one sequence of requests. */
export interface Sequence {
  readonly random: Random
  /** The clock of the mocks, in unix milliseconds. */
  now: number
  /** Writes that were sent, for replays. */
  readonly writes: PlainRequest[]
}
