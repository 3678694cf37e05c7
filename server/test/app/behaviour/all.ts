import type { OpenService } from '../test-service.ts'
import { eventsBehaviour } from './events.ts'
import { racesBehaviour } from './races.ts'
import { replayBehaviour } from './replay.ts'
import { lateReplayBehaviour } from './replay-late.ts'
import { secondStepsBehaviour } from './second-steps.ts'

/** Tests behaviour that the conformance checks do not cover: concurrent requests, sequences, expiry and streams. */
export function everyBehaviour(open: OpenService, { runs }: { readonly runs: number }): void {
  eventsBehaviour(open)
  lateReplayBehaviour(open)
  racesBehaviour(open)
  replayBehaviour(open)
  secondStepsBehaviour(open, { runs })
}
