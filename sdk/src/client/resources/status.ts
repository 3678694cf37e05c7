import type { Status } from '../../contract/schemas/service.ts'
import { type Answer, request } from '../answer.ts'
import type { CallOptions } from '../call-options.ts'
import type { Transport } from '../transport.ts'

/** Asks whether the service is well. */
export type GetStatus = (options?: CallOptions) => Promise<Answer<Status>>

/** `client.status`. */
export function createStatus(transport: Transport): GetStatus {
  return async ({ signal } = {}) => {
    const schema = async () => (await import('../../contract/schemas/service.ts')).statusSchema
    const { content, info } = await request(transport, { route: 'status', signal }, schema)
    return { ...content, ...info }
  }
}
