import type { Gamemode } from '../../contract/gamemodes.ts'
import { PUBLIC_ROUTES, type Route } from '../../contract/routes.ts'
import type { CrabCollection, FishCollection, Status } from '../../contract/schemas.ts'
import type { Settings } from '../core/options.ts'
import { CALL_OPTIONS, type CallOptions } from '../core/options.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import { crabCollectionShape, fishCollectionShape, statusShape } from '../shapes/shapes.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'

/**
 * Reads the status of the service, which includes its gamemodes. For the next 5 minutes, calls check their gamemode
 * against this list.
 */
export type GetStatus = (options?: CallOptions) => ApiPromise<Status & { gamemodes: Gamemode[] } & ResponseMeta>

type ServiceSettings = Pick<Settings, 'knownGamemodes'>

export function createStatus(transport: Transport, { knownGamemodes }: ServiceSettings): GetStatus {
  return (options = {}) =>
    call(transport, {
      // A 503 reports the current status, so there is nothing to retry.
      options: options && { maxRetries: 0, ...options },
      known: CALL_OPTIONS,
      shape: statusShape,
      prepare: () => ({ route: PUBLIC_ROUTES.status }),
      finish: knownGamemodes.learn,
    })
}

/** Sample collections that every instance of the service provides, so that you can try a client without a user. */
export interface DemoResource {
  /**
   * Sample fish of all seven rarities.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { fish } = await client.demo.fish()
   */
  fish(options?: CallOptions): ApiPromise<FishCollection & ResponseMeta>
  /**
   * Sample crabs.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { crab } = await client.demo.crabs()
   */
  crabs(options?: CallOptions): ApiPromise<CrabCollection & ResponseMeta>
}

export function createDemo(transport: Transport): DemoResource {
  const read = <Content extends object>(route: Route, shape: ResponseShape<Content>, options: CallOptions) =>
    call(transport, { options, known: CALL_OPTIONS, shape, prepare: () => ({ route }) })
  return {
    fish: (options = {}) => read(PUBLIC_ROUTES.demoFish, fishCollectionShape, options),
    crabs: (options = {}) => read(PUBLIC_ROUTES.demoCrab, crabCollectionShape, options),
  }
}
