import { type Answer, empty } from './answer.ts'
import { type ContentCoding, chooseCoding } from './encoding.ts'
import { matchesEntityTag } from './entity-tag.ts'

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
): Answer {
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
