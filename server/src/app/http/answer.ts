import { type ErrorBody, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { HTTPResponse } from 'h3'
import type { Failure } from './failure.ts'

const encoder = new TextEncoder()

/** A JSON answer of known length: without `content-length`, a body that was cut short looks complete. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): HTTPResponse {
  return jsonBytes(status, encoder.encode(JSON.stringify(value)), headers)
}

/** As {@link json}, of bytes that are JSON already. */
export function jsonBytes(
  status: number,
  body: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): HTTPResponse {
  return new HTTPResponse(body, {
    status,
    headers: { 'content-type': MEDIA_TYPES.json, 'content-length': String(body.byteLength), ...headers },
  })
}

/** An answer without a body. */
export function empty(status: 204 | 304, headers: Readonly<Record<string, string>> = {}): HTTPResponse {
  return new HTTPResponse(null, { status, headers })
}

/** The answer to a failed request. */
export function failed(failure: Failure, requestId: string): HTTPResponse {
  const body: ErrorBody = {
    error: failure.message,
    code: failure.code,
    requestId,
    ...(failure.details ? { details: [...failure.details] } : {}),
  }
  return json(failure.status, body, failure.headers)
}
