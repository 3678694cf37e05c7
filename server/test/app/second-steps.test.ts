import { describe } from 'vitest'
import { secondStepsBehaviour } from './behaviour/second-steps.ts'
import { createMemoryService } from './memory-service.ts'
import { createFileService } from './services/stored-services.ts'

describe('in memory', () => secondStepsBehaviour(createMemoryService, { runs: 40 }))
describe('on a file', () => secondStepsBehaviour(createFileService, { runs: 15 }))
