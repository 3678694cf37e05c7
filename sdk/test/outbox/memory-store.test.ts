import { memoryStore } from '@fish-crab/sdk/outbox'
import { describeStore } from './store-conformance.ts'

describeStore('memoryStore', async () => memoryStore())
