import { describe } from 'vitest'
import { everyBehaviour } from './behaviour/all.ts'
import { secondStepsBehaviour } from './behaviour/second-steps.ts'
import { createMemoryService } from './memory-service.ts'
import { createFileService } from './services/stored-services.ts'

describe('in memory', () => everyBehaviour(createMemoryService, { runs: 20 }))
// A file store caches reads outside its database. Random sequences find more cache errors than fixed examples.
describe('on a file', () => secondStepsBehaviour(createFileService, { runs: 8 }))
