import { type ErrorCode, LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import type * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import { readBytes } from '../../../../sdk/src/internal/body.ts'
import type { BodyReader } from '../core/host.ts'
import type { RequestContext } from './context.ts'
import { HttpError } from './http-error.ts'

/** The part of the request context that contains the body. */
type RequestBody = Pick<RequestContext, 'request'> & Partial<Pick<RequestContext, 'readBody'>>

/**
 * Reads the body of a request. Throws `payload_too_large` as soon as the body exceeds `limit` bytes. The rest of the
 * body stays unread, because cancelling the body would close the connection before the response.
 */
export async function readBody(
  { request, readBody: read = streamReader(request) }: RequestBody,
  limit: number = LIMITS.bodyBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  if (request.headers.get('content-encoding')) {
    throw new HttpError('unsupported_media_type', {
      message: 'Content-Encoding is not supported. Send the body without compression.',
    })
  }
  const tooLarge = () => new HttpError('payload_too_large')
  if (Number(request.headers.get('content-length')) > limit) throw tooLarge()
  return read(limit, tooLarge)
}

function streamReader({ body }: Request): BodyReader {
  return async (maxBytes, tooLarge) => (body ? readBytes(body, maxBytes, tooLarge) : new Uint8Array(0))
}

/**
 * Throws `unsupported_media_type` for a media type other than `expected`. A body without a media type is assumed to
 * have the expected type (RFC 9110, section 8.3).
 */
export function requireMediaType(request: Request, expected: (typeof MEDIA_TYPES)[keyof typeof MEDIA_TYPES]): void {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== undefined && type !== '' && type !== expected) {
    throw new HttpError('unsupported_media_type', {
      message: `Unsupported media type. Set Content-Type to ${expected}.`,
    })
  }
}

/**
 * Reads a JSON body of at most `limit` bytes. Refuses a body without a media type, because any web page can make the browser send such a body
 * together with a remembered password.
 */
export async function readJson(context: RequestBody, limit?: number): Promise<unknown> {
  const { request } = context
  if (!request.headers.get('content-type')) throw new HttpError('unsupported_media_type')
  requireMediaType(request, MEDIA_TYPES.json)
  return parseJson(await readBody(context, limit))
}

const decoder = new TextDecoder('utf-8', { fatal: true })

export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw new HttpError('invalid_payload', { details: [{ path: '', message: 'Must be a JSON document in UTF-8' }] })
  }
}

const messages = english().localeError

/** Validates a value. Throws an {@link HttpError} that lists every mistake. */
export function validate<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  code: Extract<ErrorCode, 'invalid_payload' | 'invalid_query'>,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: messages })
  if (result.success) return result.data
  throw new HttpError(code, {
    details: result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })),
  })
}

/**
 * Creates a function that reads the parameters of a schema from a query. All values of a repeated parameter must be
 * equal. Most queries have none of the parameters, so the result for such queries is computed once.
 */
export function queryReader<Schema extends z.ZodMiniObject>(
  schema: Schema,
): (query: URLSearchParams) => z.output<Schema> {
  let none: z.output<Schema> | undefined
  return (query) => {
    const values: Record<string, string> = {}
    const repeated = new Set<string>()
    for (const [name, value] of query) {
      if (!Object.hasOwn(schema.shape, name)) continue
      values[name] ??= value
      if (values[name] !== value) repeated.add(name)
    }
    if (repeated.size > 0) {
      const details = [...repeated].map((path) => ({ path, message: 'Must not be repeated with different values' }))
      throw new HttpError('invalid_query', { details })
    }
    if (Object.keys(values).length > 0) return validate(schema, values, 'invalid_query')
    none ??= validate(schema, {}, 'invalid_query')
    return none
  }
}
