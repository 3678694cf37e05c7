import { replayBehaviour } from './behaviour/replay.ts'
import { lateReplayBehaviour } from './behaviour/replay-late.ts'
import { createWorld } from './world.ts'

replayBehaviour(createWorld)
lateReplayBehaviour(createWorld)
