/** The body of a request: a text of bytes (latin1), given so many times over. */
export interface PlainBody {
  readonly latin1: string
  /** @default 1 */
  readonly times?: number
  /** Sent in chunks, without a length. @default false */
  readonly chunked?: boolean
}

/**
 * A request as data, to be printed and sent again. `{{etag}}` and the like in its target and headers stand for what
 * the transport itself answered last; see {@link learn}.
 */
export interface PlainRequest {
  readonly method: string
  /** Path and query, as written on the request line. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: PlainBody
  /** How far the clock moves before it, in milliseconds. @default 0 */
  readonly advanceMs?: number
  /** Sent in the absolute form (RFC 9112, section 3.2.2) by transports that write the request line. @default false */
  readonly absolute?: boolean
}

/** The response that a client received. */
export interface PlainResponse {
  readonly status: number
  /** In lower case and sorted. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Without its coding. */
  readonly body: Uint8Array
}

/** What a transport has returned so far that later requests may refer to. */
export type Learned = Map<string, string>

/** Which fields of responses are learned, and under which name requests refer to them. */
const FIELDS: Readonly<Record<string, string>> = {
  id: 'id',
  token: 'session',
  nextCursor: 'cursor',
  apiKey: 'apiKey',
}
const LARGEST_BYTES = 64 * 1024

/** Remembers the fields of a response that later requests may refer to. */
export function learn(learned: Learned, { headers, body }: PlainResponse): void {
  for (const [name, value] of headers) if (name === 'etag') learned.set('etag', value)
  if (body.byteLength > LARGEST_BYTES || body[0] !== 0x7b) return
  const value: unknown = JSON.parse(Buffer.from(body).toString())
  for (const [field, content] of Object.entries(value as object)) {
    const name = FIELDS[field]
    if (name && typeof content === 'string') learned.set(name, content)
    // Listings and detailed reads hold the ids.
    if (Array.isArray(content) && typeof content.at(-1)?.id === 'string') learned.set('id', content.at(-1).id)
  }
}

/** The request with its references resolved. */
export function resolved(request: PlainRequest, learned: Learned): PlainRequest {
  return {
    ...request,
    target: fill(request.target, learned, encodeURIComponent),
    headers: request.headers.map(([name, value]) => [name, fill(value, learned, (text) => text)] as const),
  }
}

/** The bytes of a body. */
export function bytesOf({ latin1, times = 1 }: PlainBody): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(times === 1 ? latin1 : latin1.repeat(times), 'latin1'))
}

function fill(text: string, learned: Learned, write: (value: string) => string): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => write(learned.get(name) ?? 'unknown'))
}
