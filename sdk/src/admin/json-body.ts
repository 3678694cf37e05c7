import type { ApiRequest } from '../client/api-request.ts'
import { MEDIA_TYPES } from '../contract/headers.ts'

/** The parts of a request that carry a value as JSON. */
export function jsonBody(value: unknown): Pick<ApiRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': MEDIA_TYPES.json }, body: async () => JSON.stringify(value) }
}
