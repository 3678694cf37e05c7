import { replayBehaviour } from './behaviour/replay.ts'
import { createWorld } from './world.ts'

replayBehaviour(createWorld)
