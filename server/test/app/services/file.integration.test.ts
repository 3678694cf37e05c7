import { describe } from 'vitest'
import { storedBehaviour } from '../behaviour/all.ts'
import { createFileService } from './stored-services.ts'

// Not all of it: a store takes a tenth of a second to open, and each test opens one. What a file and a worker can get
// wrong alone is in the conformance suite of the storage.
describe('on the file storage', () => storedBehaviour(createFileService))
