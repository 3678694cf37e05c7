import { describeStorage } from '@fish-crab/server/storage/conformance'
import { createMapStorage } from '../storage-driver.ts'

describeStorage('map', async () => ({ storage: createMapStorage() }))
