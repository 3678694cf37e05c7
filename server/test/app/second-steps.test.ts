import { secondStepsBehaviour } from './behaviour/second-steps.ts'
import { createMemoryService } from './memory-service.ts'

secondStepsBehaviour(createMemoryService, { runs: 40 })
