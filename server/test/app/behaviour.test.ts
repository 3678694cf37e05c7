import { describe } from 'vitest'
import { everyBehaviour } from './behaviour/all.ts'
import { secondStepsBehaviour } from './behaviour/second-steps.ts'
import { createMemoryService } from './memory-service.ts'
import { createFileService } from './services/stored-services.ts'

describe('in memory', () => everyBehaviour(createMemoryService, { runs: 40 }))
// A file store caches reads beside the database, and random sequences find more mistakes than examples.
describe('on a file', () => secondStepsBehaviour(createFileService, { runs: 15 }))
