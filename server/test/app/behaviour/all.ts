import type { OpenService } from '../test-service.ts'
import { eventsBehaviour } from './events.ts'
import { racesBehaviour } from './races.ts'
import { replayBehaviour } from './replay.ts'
import { lateReplayBehaviour } from './replay-late.ts'
import { secondStepsBehaviour } from './second-steps.ts'

/** Behaviour that no run of conformance sees: requests at the same time, sequences, expiry, and streams. */
export function everyBehaviour(open: OpenService, { runs }: { readonly runs: number }): void {
  eventsBehaviour(open)
  lateReplayBehaviour(open)
  racesBehaviour(open)
  replayBehaviour(open)
  secondStepsBehaviour(open, { runs })
}
