import { type ErrorCode, LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import type * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import { type ErrorDetail, HttpError } from './http-error.ts'

/**
 * Reads a request's body, refusing what is too large as soon as it is known to be.
 * The rest of a refused body is left unread, not cancelled: cancelling would cut the connection before the answer.
 */
export async function readBody(request: Request, limit: number = LIMITS.bodyBytes): Promise<Uint8Array<ArrayBuffer>> {
  if (request.headers.get('content-encoding')) {
    throw new HttpError('unsupported_media_type', {
      message: 'The body is sent with a Content-Encoding. Send it as it is, without compression.',
    })
  }
  if (Number(request.headers.get('content-length')) > limit) throw new HttpError('payload_too_large')
  if (!request.body) return new Uint8Array(0)

  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.byteLength
    if (size > limit) throw new HttpError('payload_too_large')
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
    throw new HttpError('unsupported_media_type', {
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
    throw new HttpError('invalid_payload', { details: [{ path: '', message: 'Must be a JSON document in UTF-8' }] })
  }
}

const messages = english().localeError

/** The value as the schema has it, or a failure that lists what is wrong with it. */
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

/** The query of a request as the schema has it. A parameter may stand there twice with one value, not with two. */
export function validateQuery<Schema extends z.ZodMiniObject>(
  schema: Schema,
  query: URLSearchParams,
): z.output<Schema> {
  const said: Record<string, string> = {}
  const details: ErrorDetail[] = []
  for (const name of Object.keys(schema.shape)) {
    const [value, ...others] = new Set(query.getAll(name))
    if (value !== undefined) said[name] = value
    if (others.length > 0) details.push({ path: name, message: 'Must not be given twice with different values' })
  }
  if (details.length > 0) throw new HttpError('invalid_query', { details })
  return validate(schema, said, 'invalid_query')
}
