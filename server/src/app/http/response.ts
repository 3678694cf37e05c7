import {
  type ErrorCode,
  type Gamemode,
  type Kind,
  MEDIA_TYPES,
  type Profile,
  type PublicLeaderboard,
} from '@fish-crab/sdk/contract'
import { type ContentCoding, chooseCoding } from './encoding.ts'
import { errorBody, type HttpError } from './http-error.ts'
import type { Month } from './month.ts'

/** The response of a handler. The pipeline adds the common headers of all responses. */
export interface HandlerResponse {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The error code of an error response. */
  readonly code?: ErrorCode
}

const encoder = new TextEncoder()

/** Creates a JSON response with `content-length`. Without this header, a truncated body could look complete. */
export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): HandlerResponse {
  const text = JSON.stringify(value)
  return { status, body: text, headers: jsonHeaders(utf8Length(text), headers) }
}

// The pattern omits control characters, because JSON escapes them.
const ASCII = /^[ -~]*$/

function utf8Length(text: string): number {
  return ASCII.test(text) ? text.length : encoder.encode(text).byteLength
}

export function jsonBytes(status: number, body: Uint8Array<ArrayBuffer>, headers?: Readonly<Record<string, string>>) {
  return { status, body, headers: jsonHeaders(body.byteLength, headers) }
}

function jsonHeaders(length: number, more?: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { 'content-type': MEDIA_TYPES.json, 'content-length': String(length), ...more }
}

export function empty(status: 204 | 301 | 304, headers: Readonly<Record<string, string>> = {}): HandlerResponse {
  return { status, body: null, headers }
}

/** Creates a body that is read only as fast as the client reads it. A client that leaves ends the generator. */
export function textStream(texts: AsyncGenerator<string, void>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await texts.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await texts.return()
      },
    },
    { highWaterMark: 0 },
  )
}

export function errorResponse(error: HttpError, requestId: string): HandlerResponse {
  return { ...json(error.status, errorBody(error, requestId), error.headers), code: error.code }
}

/**
 * Adds the headers of a response to the common headers, and joins both values of `vary`. A response without
 * `cache-control` gets `no-store`, because some caches store responses even if the request had credentials.
 * @param all the common headers, which are changed in place, because spread syntax would copy all headers several times
 * for each request
 */
export function addHeaders({ headers }: HandlerResponse, all: Record<string, string>): void {
  for (const name in headers) {
    const value = headers[name] as string
    if (name === 'vary' && all.vary !== undefined) all.vary = `${value}, ${all.vary}`
    else all[name] ??= value
  }
  all['x-content-type-options'] = 'nosniff'
  all['cache-control'] ??= 'no-store'
}

/** A file that is the same for every client. */
export interface StaticFile {
  /** Media type, with the charset of a text. */
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
  /** The body in some content codings. @default none */
  readonly encoded?: Partial<Readonly<Record<ContentCoding, Uint8Array<ArrayBuffer>>>>
  /** Text that changes whenever the content changes, without quotation marks. */
  readonly version: string
  /** Whether the URL changes with the content, so that clients need not revalidate it. @default false */
  readonly isImmutable?: boolean
}

/** Sends a file, or 304 if the client has its current version. */
export function staticFile(
  request: Request,
  { contentType, body, encoded = {}, version, isImmutable = false }: StaticFile,
  headers: Readonly<Record<string, string>> = {},
): HandlerResponse {
  const cacheControl = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'
  const caching = { etag: `W/"${version}"`, vary: 'Accept-Encoding', 'cache-control': cacheControl }
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

/** The files that a page loads. */
export interface PageAssets {
  /** Returns the file with this name, or `undefined` if no file has the name. */
  asset(name: string): Promise<StaticFile | undefined>
}

/**
 * The page of the API reference. The host provides the page, because it is large and mocks do not need it. The page
 * loads files only from `/docs/`.
 */
export interface Docs extends PageAssets {
  /** Returns the page. */
  page(): Promise<StaticFile>
}

/** Name of a page for people. */
export type PageName = 'collection' | 'overlay' | 'overlay-setup' | 'admin' | 'login'

/** The data from which a page is drawn, in the shapes of the API: what the API sends to the same client. */
export type PageData =
  | {
      readonly view: 'player'
      readonly profile: Profile
      readonly isPartial: boolean
      /** The last month, if the page links to it. */
      readonly recentMonth?: string | undefined
    }
  | ({ readonly view: 'month' } & Month)
  | { readonly view: 'versus'; readonly profiles: readonly [Profile, Profile] }
  | { readonly view: 'leaderboard'; readonly kind: Kind; readonly leaders: PublicLeaderboard['leaderboard'] }

/** A page to draw. */
export interface PageView {
  readonly site: { readonly gamemodes: readonly Gamemode[]; readonly hasLeaderboard: boolean }
  /** The address of the page: the query has its `?`. */
  readonly place: { readonly pathname: string; readonly search: string }
  readonly data: PageData
}

/** The pages for people. The host provides the pages, which load their files from `/assets/`. */
export interface Pages extends PageAssets {
  /**
   * Returns the HTML of a page with the placeholders `{{title}}`, `{{description}}`, `{{gamemodes}}`, `{{publicUrl}}`
   * and `{{leaderboard}}`. The placeholder `<!--{{preview}}-->` is replaced by the tags for the canonical address and
   * the preview image, and `<!--{{app}}-->` by the drawn page.
   */
  template(page: PageName): Promise<string>
  /** Returns the first view of a page as HTML, or `undefined` if browsers draw the pages. @default browsers draw them */
  render?(view: PageView): Promise<string | undefined>
}

/**
 * Maximum number of tags that are compared, because a request head has room for thousands. Clients have fewer tags.
 */
const MAX_TAGS = 100

/** Uses weak comparison (RFC 9110, section 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaqueTag = opaqueTagOf(tag)
  return ifNoneMatch.split(',', MAX_TAGS).some((entry) => opaqueTagOf(entry) === opaqueTag)
}

function opaqueTagOf(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
