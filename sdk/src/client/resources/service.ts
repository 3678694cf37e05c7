import { PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { CrabCollection, FishCollection, Status } from '../../contract/schemas.ts'
import { assertCallOptions, type CallOptions } from '../core/call-options.ts'
import { crabCollectionShape, fishCollectionShape, statusShape } from '../shapes/shapes.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/transport.ts'

/** Reads the status of the service. */
export type GetStatus = (options?: CallOptions) => ApiPromise<Status & ResponseMeta>

export function createStatus(transport: Transport): GetStatus {
  return (options = {}) =>
    call(
      transport,
      () => {
        assertCallOptions(options)
        // A 503 is the current status, so there is nothing to retry.
        return { route: PUBLIC_ROUTES.status, options: { maxRetries: 0, ...options } }
      },
      statusShape,
    )
}

/** Sample collections of every service, to try a client without a user. */
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

export function createDemo(transport: Transport): DemoResource {
  return {
    fish: (options = {}) => call(transport, () => ({ route: PUBLIC_ROUTES.demoFish, options }), fishCollectionShape),
    crabs: (options = {}) => call(transport, () => ({ route: PUBLIC_ROUTES.demoCrab, options }), crabCollectionShape),
  }
}
