import { type ErrorBody, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import type { Failure } from './failure.ts'

/** What a handler answers with. Headers that every answer carries are added on its way out. */
export interface Answer {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

const encoder = new TextEncoder()
/** A text that has as many bytes as characters. */
const ASCII = /^[ -~]*$/

/** A JSON answer of known length: without `content-length`, a body that was cut short looks complete. */
export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Answer {
  const body = JSON.stringify(value)
  return jsonOf(status, body, ASCII.test(body) ? body.length : encoder.encode(body).byteLength, headers)
}

/** As {@link json}, of bytes that are JSON already. */
export function jsonBytes(
  status: number,
  body: Uint8Array<ArrayBuffer>,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return jsonOf(status, body, body.byteLength, headers)
}

function jsonOf(
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  length: number,
  headers: Readonly<Record<string, string>> | undefined,
): Answer {
  return { status, body, headers: { 'content-type': MEDIA_TYPES.json, 'content-length': String(length), ...headers } }
}

/** An answer without a body. */
export function empty(status: 204 | 304, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body: null, headers }
}

/** The body of an error response. */
export function errorBody({ message, code, details }: Failure, requestId: string): ErrorBody {
  return { error: message, code, requestId, ...(details ? { details: [...details] } : {}) }
}

/** The answer to a failed request. */
export function failed(failure: Failure, requestId: string): Answer {
  return json(failure.status, errorBody(failure, requestId), failure.headers)
}

/** The init of an answer's response, with the headers that belong on it whatever it is. */
export function responseInit({ status, headers }: Answer, common: Readonly<Record<string, string>>): ResponseInit {
  const vary = headers.vary && common.vary ? { vary: `${headers.vary}, ${common.vary}` } : undefined
  return { status, headers: { ...headers, ...common, ...vary } }
}
