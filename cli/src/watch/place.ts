import type { LastCatch } from './pairing.ts'
import type { Whereabouts } from './whereabouts.ts'

/** How far a log was read, and where it said last that the player is. */
export interface Place extends Whereabouts {
  /** Names the content of the file: a hash of its first line. Survives renaming and packing. */
  readonly head: string
  /** How many files have stood at this path before, as far as was seen. */
  readonly generation: number
  /** Bytes that were read; always the beginning of a line. */
  readonly offset: number
  /** A hash of the bytes just before, to know the file again. */
  readonly anchor: string
  /** When the last catch was made, milliseconds since 1970; where there was none, when the file began. */
  readonly at: number
  readonly last?: LastCatch | undefined
}
