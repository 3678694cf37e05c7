import { catchNamesBehaviour } from './behaviour/catch-names.ts'
import { momentsBehaviour } from './behaviour/moments.ts'
import { payloadsBehaviour } from './behaviour/payloads.ts'
import { createMemoryService } from './memory-service.ts'

payloadsBehaviour(createMemoryService)
momentsBehaviour(createMemoryService)
catchNamesBehaviour(createMemoryService)
