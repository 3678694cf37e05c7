import { PUBLIC_ROUTES } from '../../contract/public-routes.ts'
import type { Status } from '../../contract/schemas/service.ts'
import { type ApiPromise, call, type ResponseMeta } from '../call.ts'
import type { CallOptions } from '../call-options.ts'
import { statusShape } from '../shapes/service.generated.ts'
import type { Transport } from '../transport.ts'

/** Asks whether the service is well. */
export type GetStatus = (options?: CallOptions) => ApiPromise<Status & ResponseMeta>

/** `client.status`. */
export function createStatus(transport: Transport): GetStatus {
  return (options = {}) =>
    // What was asked is how it stands now: a 503 is the answer, and no reason to ask again.
    call(transport, () => ({ route: PUBLIC_ROUTES.status, options: { maxRetries: 0, ...options } }), statusShape)
}
