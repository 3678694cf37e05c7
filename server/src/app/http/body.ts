import { LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { Failure } from './failure.ts'

/**
 * Reads a request's body, refusing what is too large as soon as it is known to be.
 * The rest of a refused body is left unread, not cancelled: cancelling would cut the connection before the answer.
 */
export async function readBody(request: Request, limit: number = LIMITS.bodyBytes): Promise<Uint8Array<ArrayBuffer>> {
  if (request.headers.get('content-encoding')) {
    throw new Failure('unsupported_media_type', {
      message: 'The body is sent with a Content-Encoding. Send it as it is, without compression.',
    })
  }
  if (Number(request.headers.get('content-length')) > limit) throw new Failure('payload_too_large')
  if (!request.body) return new Uint8Array(0)

  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.byteLength
    if (size > limit) throw new Failure('payload_too_large')
    chunks.push(chunk.value)
  }
  const body = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}

/** Refuses a body of another media type. A body without one is taken for what is expected (RFC 9110, section 8.3). */
export function requireMediaType(request: Request, expected: (typeof MEDIA_TYPES)[keyof typeof MEDIA_TYPES]): void {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== undefined && type !== '' && type !== expected) {
    throw new Failure('unsupported_media_type', {
      message: `The body is of type ${expected} here. Set Content-Type so.`,
    })
  }
}

/** Reads a JSON body. */
export async function readJson(request: Request): Promise<unknown> {
  requireMediaType(request, MEDIA_TYPES.json)
  return parseJson(await readBody(request))
}

/** Parses UTF-8 JSON, strictly. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Failure('invalid_payload', { details: [{ path: '', message: 'Must be a JSON document in UTF-8' }] })
  }
}
