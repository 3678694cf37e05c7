import { MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { type ContentCoding, chooseCoding } from './encoding.ts'
import { errorBody, type HttpError } from './http-error.ts'

/** What a handler answers with. Headers that every answer carries are added on its way out. */
export interface HandlerResponse {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

const encoder = new TextEncoder()
/** A text that has as many bytes as characters. */
const ASCII = /^[ -~]*$/

/** A JSON answer of known length: without `content-length`, a body that was cut short looks complete. */
export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): HandlerResponse {
  const body = JSON.stringify(value)
  return jsonOfLength(status, body, ASCII.test(body) ? body.length : encoder.encode(body).byteLength, headers)
}

/** As {@link json}, of bytes that are JSON already. */
export function jsonBytes(
  status: number,
  body: Uint8Array<ArrayBuffer>,
  headers?: Readonly<Record<string, string>>,
): HandlerResponse {
  return jsonOfLength(status, body, body.byteLength, headers)
}

function jsonOfLength(
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  length: number,
  headers: Readonly<Record<string, string>> | undefined,
): HandlerResponse {
  return { status, body, headers: { 'content-type': MEDIA_TYPES.json, 'content-length': String(length), ...headers } }
}

/** An answer without a body. */
export function empty(status: 204 | 304, headers: Readonly<Record<string, string>> = {}): HandlerResponse {
  return { status, body: null, headers }
}

/** The answer to a failed request. */
export function errorResponse(failure: HttpError, requestId: string): HandlerResponse {
  return json(failure.status, errorBody(failure, requestId), failure.headers)
}

/** The init of an answer's response, with the headers that belong on it whatever it is. */
export function responseInit(
  { status, headers }: HandlerResponse,
  common: Readonly<Record<string, string>>,
): ResponseInit {
  const vary = headers.vary && common.vary ? { vary: `${headers.vary}, ${common.vary}` } : undefined
  return { status, headers: { ...headers, ...common, ...vary } }
}

/** A body that is always the same. */
export interface StaticFile {
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
  /** The same, encoded. @default it is sent as it is */
  readonly encoded?: Partial<Readonly<Record<ContentCoding, Uint8Array<ArrayBuffer>>>>
  /** Changes with the content, and holds no quotation mark. */
  readonly version: string
}

/** Answers with a file, or says that the client's copy is the current one. Encodes nothing. */
export function staticFile(
  request: Request,
  { contentType, body, encoded = {}, version }: StaticFile,
  headers: Readonly<Record<string, string>> = {},
): HandlerResponse {
  const caching = { etag: `W/"${version}"`, vary: 'Accept-Encoding', 'cache-control': 'no-cache' }
  if (matchesEntityTag(request.headers.get('if-none-match'), caching.etag)) return empty(304, caching)
  const codings = Object.keys(encoded) as ContentCoding[]
  const { coding } = chooseCoding(request.headers.get('accept-encoding'), codings)
  const bytes = (coding && encoded[coding]) ?? body
  return {
    status: 200,
    body: bytes,
    headers: {
      ...caching,
      'content-type': contentType,
      'content-length': String(bytes.byteLength),
      ...headers,
      ...(coding === undefined ? {} : { 'content-encoding': coding }),
    },
  }
}

/**
 * The API reference as a page. The app brings none: it is large, and mocks have no use for it. The page finds its
 * files under `/docs/`, and everything it needs among them.
 */
export interface Docs {
  page(): Promise<StaticFile>
  /** The file of this name, `undefined` when there is none. */
  asset(name: string): Promise<StaticFile | undefined>
}

/**
 * Whether `If-None-Match` names this tag, by weak comparison (RFC 9110, section 13.1.2).
 * @example matchesEntityTag('W/"1", W/"2"', 'W/"2"') // true
 */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaqueTag = opaque(tag)
  return ifNoneMatch.split(',').some((entry) => opaque(entry) === opaqueTag)
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
