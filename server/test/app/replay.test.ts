import { replayBehaviour } from './behaviour/replay.ts'
import { lateReplayBehaviour } from './behaviour/replay-late.ts'
import { createMemoryService } from './memory-service.ts'

replayBehaviour(createMemoryService)
lateReplayBehaviour(createMemoryService)
