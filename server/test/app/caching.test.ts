import { cachingBehaviour } from './behaviour/caching.ts'
import { encodingBehaviour } from './behaviour/encoding.ts'
import { freshnessBehaviour } from './behaviour/freshness.ts'
import { createMemoryService } from './memory-service.ts'

cachingBehaviour(createMemoryService)
encodingBehaviour(createMemoryService)
freshnessBehaviour(createMemoryService)
