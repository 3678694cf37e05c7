import type { ErrorCode } from '../../contract/error-codes.ts'
import { MEDIA_TYPES } from '../../contract/headers.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import type { ApiRequest } from './request.ts'
import type { Transport } from './transport.ts'

const GONE: readonly ErrorCode[] = ['user_not_found', 'record_not_found', 'admin_not_found']

/** A transport for changes that the service repeats without effect, such as a move. Its responses have no body. */
export function withoutBody(transport: Transport): Transport {
  return async (request) => {
    const response = await transport(request)
    return response.status === 204 ? { ...response, text: 'null' } : response
  }
}

/**
 * A transport for deletions. A retry after a lost response may find nothing left to delete: then the first attempt
 * succeeded.
 */
export function ignoreMissingOnRetry(transport: Transport): Transport {
  return async (request) => {
    const accepts: ApiRequest['accepts'] = ({ status, text }, failures) =>
      failures > 0 && status === 404 && GONE.some((code) => text.includes(`"${code}"`))
    const response = await transport({ ...request, accepts })
    return response.status === 204 || response.status === 404 ? { ...response, text: 'null' } : response
  }
}

export const EMPTY_RESPONSE: ResponseShape<object> = (json, issues) => {
  if (json !== null) issues.push({ path: '', message: 'Expected an empty body.' })
  return {}
}

export function jsonBody(value: unknown): Pick<ApiRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': MEDIA_TYPES.json }, body: async () => JSON.stringify(value) }
}
