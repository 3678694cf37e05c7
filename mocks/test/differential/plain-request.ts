/** The body of a request: bytes as a latin1 string, repeated `times` times. */
export interface PlainBody {
  readonly latin1: string
  /** @default 1 */
  readonly times?: number
  /** Whether the body is sent in chunks, without a content length. @default false */
  readonly chunked?: boolean
}

/**
 * A request as data that can be printed and sent again. A placeholder such as `{{etag}}` in the target or a header
 * stands for the latest value that the same transport returned; see {@link learn}.
 */
export interface PlainRequest {
  readonly method: string
  /** The path and query, as written on the request line. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: PlainBody
  /** Time to advance the clock before the request, in milliseconds. @default 0 */
  readonly advanceMs?: number
  /** Whether transports that write the request line use the absolute form (RFC 9112, section 3.2.2). @default false */
  readonly absolute?: boolean
}

/** The response that a client received. */
export interface PlainResponse {
  readonly status: number
  /** Headers with lower-case names, sorted by name. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body after content decoding. */
  readonly body: Uint8Array
}

/** The latest values from the responses of a transport, by placeholder name, for later requests. */
export type Learned = Map<string, string>

/** The placeholder name for each learned field of a response body. */
const FIELDS: Readonly<Record<string, string>> = {
  id: 'id',
  token: 'session',
  nextCursor: 'cursor',
  apiKey: 'apiKey',
}
const LARGEST_BYTES = 64 * 1024

/** Stores the values in a response that placeholders of later requests refer to. */
export function learn(learned: Learned, { headers, body }: PlainResponse): void {
  for (const [name, value] of headers) if (name === 'etag') learned.set('etag', value)
  if (body.byteLength > LARGEST_BYTES || body[0] !== 0x7b) return
  const value: unknown = JSON.parse(Buffer.from(body).toString())
  for (const [field, content] of Object.entries(value as object)) {
    const name = FIELDS[field]
    if (name && typeof content === 'string') learned.set(name, content)
    // Lists of entries, such as detailed reads, contain ids. Learn the last id.
    if (Array.isArray(content) && typeof content.at(-1)?.id === 'string') learned.set('id', content.at(-1).id)
  }
}

/** Returns a request with the placeholders replaced by learned values. */
export function resolved(request: PlainRequest, learned: Learned): PlainRequest {
  return {
    ...request,
    target: fill(request.target, learned, encodeURIComponent),
    headers: request.headers.map(([name, value]) => [name, fill(value, learned, (text) => text)] as const),
  }
}

/** Returns the bytes of a body. */
export function bytesOf({ latin1, times = 1 }: PlainBody): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(times === 1 ? latin1 : latin1.repeat(times), 'latin1'))
}

function fill(text: string, learned: Learned, write: (value: string) => string): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => write(learned.get(name) ?? 'unknown'))
}
