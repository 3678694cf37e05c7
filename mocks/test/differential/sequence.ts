import type { PlainRequest } from './plain-request.ts'
import type { Random } from './random.ts'

/** The state of the generator for one sequence of requests. */
export interface Sequence {
  readonly random: Random
  /** The clock of the mocks, in unix milliseconds. */
  now: number
  /** The generated writes, from which replays are picked. */
  readonly writes: PlainRequest[]
}
