import type { RawResponse } from '../client/api-request.ts'
import type { ResponseSchema } from '../client/call.ts'
import type { Transport } from '../client/transport.ts'
import type { ErrorCode } from '../contract/error-codes.ts'

const GONE: readonly ErrorCode[] = ['user_not_found', 'record_not_found', 'admin_not_found']

/**
 * A transport for deletions. A further try, after one whose answer was lost, may find that the first one did its work:
 * nothing is left to delete, and that is what was asked for.
 */
export function untilGone(transport: Transport): Transport {
  return async (request) => {
    const answer = await transport({ ...request, accepts: (refusal, failures) => failures > 0 && saysGone(refusal) })
    return answer.status === 204 || answer.status === 404 ? { ...answer, text: 'null' } : answer
  }
}

/** The answer to a deletion, which has no content. */
export const NOTHING: ResponseSchema<object> = {
  safeParse: (value) =>
    value === null
      ? { success: true, data: {} }
      : { success: false, error: { issues: [{ path: [], message: 'Must be without content.' }] } },
}

function saysGone({ status, text }: RawResponse): boolean {
  return status === 404 && GONE.some((code) => text.includes(`"${code}"`))
}
