import type { Dice } from './dice.ts'
import type { PlainRequest } from './plain-request.ts'

/** What the requests of one sequence know of those before. */
export interface Sequence {
  readonly dice: Dice
  /** The clock of the mocks, in unix milliseconds. */
  now: number
  /** Writes that were sent, to be sent again. */
  readonly writes: PlainRequest[]
}
