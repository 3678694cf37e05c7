import { describe } from 'vitest'
import { everyBehaviour } from '../behaviour/all.ts'
import { createFileService } from './stored-services.ts'

describe('on the file storage', () => everyBehaviour(createFileService, { runs: 30 }))
