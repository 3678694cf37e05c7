import { hostileBehaviour } from './behaviour/hostile.ts'
import { createMemoryService } from './memory-service.ts'

hostileBehaviour(createMemoryService)
