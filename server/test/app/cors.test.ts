import { corsBehaviour } from './behaviour/cors.ts'
import { createMemoryService } from './memory-service.ts'

corsBehaviour(createMemoryService)
