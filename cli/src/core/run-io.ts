import type { Clock } from '@fish-crab/sdk'
import { machineClock } from './clock.ts'
import type { Io } from './io.ts'
import { createStatusLine, type StatusLine } from './status-line.ts'

/** The surroundings of one run: those it was given, its clock, and its live line on stderr. */
export interface RunIo extends Io {
  readonly clock: Clock
  readonly line: StatusLine
}

/** Gives a run its clock and its line. The surroundings stay what they are, stdin unopened. */
export function forRun(io: Io): RunIo {
  return Object.assign(Object.create(io) as Io, { clock: io.clock ?? machineClock(), line: createStatusLine(io) })
}
