import type { CrabCollection, FishCollection } from '../../contract/schemas/catches.ts'
import { type Answer, request } from '../answer.ts'
import type { CallOptions } from '../call-options.ts'
import type { Transport } from '../transport.ts'

/** Sample collections that every service answers with, to try a client without a user. */
export interface DemoResource {
  /** Fish of all seven rarities. @throws ApiError, ConnectionError. */
  fish(options?: CallOptions): Promise<Answer<FishCollection>>
  /** Crabs. @throws ApiError, ConnectionError. */
  crabs(options?: CallOptions): Promise<Answer<CrabCollection>>
}

const schemas = () => import('../../contract/schemas/catches.ts')

/** `client.demo`. */
export function createDemo(transport: Transport): DemoResource {
  return {
    async fish({ signal } = {}) {
      const schema = async () => (await schemas()).fishCollectionSchema
      const { content, info } = await request(transport, { route: 'demoFish', signal }, schema)
      return { ...content, ...info }
    },
    async crabs({ signal } = {}) {
      const schema = async () => (await schemas()).crabCollectionSchema
      const { content, info } = await request(transport, { route: 'demoCrab', signal }, schema)
      return { ...content, ...info }
    },
  }
}
