import { PUBLIC_ROUTES } from '../../contract/public-routes.ts'
import type { CrabCollection, FishCollection } from '../../contract/schemas/catches.ts'
import { type ApiPromise, call, type ResponseMeta } from '../call.ts'
import type { CallOptions } from '../call-options.ts'
import { crabCollectionShape, fishCollectionShape } from '../shapes/catches.generated.ts'
import type { Transport } from '../transport.ts'

/** Sample collections that every service answers with, to try a client without a user. */
export interface DemoResource {
  /**
   * Fish of all seven rarities.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { fish } = await client.demo.fish()
   */
  fish(options?: CallOptions): ApiPromise<FishCollection & ResponseMeta>
  /**
   * Crabs.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { crab } = await client.demo.crabs()
   */
  crabs(options?: CallOptions): ApiPromise<CrabCollection & ResponseMeta>
}

/** `client.demo`. */
export function createDemo(transport: Transport): DemoResource {
  return {
    fish: (options = {}) => call(transport, () => ({ route: PUBLIC_ROUTES.demoFish, options }), fishCollectionShape),
    crabs: (options = {}) => call(transport, () => ({ route: PUBLIC_ROUTES.demoCrab, options }), crabCollectionShape),
  }
}
