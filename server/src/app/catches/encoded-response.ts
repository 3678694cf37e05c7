import { MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { createSharedWork } from '../core/shared-work.ts'
import { type ContentEncoder, chooseCoding } from '../http/encoding.ts'
import { empty, type HandlerResponse, jsonBytes, matchesEntityTag } from '../http/response.ts'
import { createResponseCache } from './response-cache.ts'

const MIN_COMPRESSED_BYTES = 1024

interface Content {
  readonly etag: string
  /** Text that changes whenever the content changes. */
  readonly version: string
  /** The name of the content in the cache. */
  readonly name: string
  /** Key of the site of the client, for its turns in the encoder's queue. */
  readonly client: string
  /** Headers to add to the response and to replace. @default none */
  readonly headers?: Readonly<Record<string, string>>
}

export type EncodedResponses = ReturnType<typeof createEncodedResponses>

/**
 * Creates responses, JSON by default, with an entity tag and a content coding that the client accepts. Responses with a whole
 * collection or profile are cached.
 */
export function createEncodedResponses(encoder: ContentEncoder, cacheBytes: number) {
  const cache = createResponseCache(cacheBytes)
  const share = createSharedWork<string, HandlerResponse>()

  return (request: Request, { etag, version, name, client, headers: more }: Content) => {
    const headers = { etag, vary: 'Accept-Encoding', 'cache-control': 'no-cache', ...more }
    const { coding, identity } = chooseCoding(request.headers.get('accept-encoding'), encoder.codings)
    const key = [name, coding, identity].join(' ')
    const withCoding = (used: string | undefined) =>
      used === undefined ? headers : { ...headers, 'content-encoding': used }
    async function whole(body: Uint8Array<ArrayBuffer>, isCached: boolean): Promise<HandlerResponse> {
      const shouldEncode = coding !== undefined && (!identity || body.byteLength >= MIN_COMPRESSED_BYTES)
      const encoded = shouldEncode ? await encoder.encode(body, coding, client) : undefined
      const response = jsonBytes(200, encoded ?? body, withCoding(encoded && coding))
      if (isCached && shouldEncode === (encoded !== undefined)) cache.set(key, version, response)
      return response
    }

    return {
      /** Returns a 304 response if the client already has this content. */
      unchanged: (): HandlerResponse | undefined =>
        matchesEntityTag(request.headers.get('if-none-match'), etag) ? empty(304, headers) : undefined,

      cached: (): HandlerResponse | undefined => cache.get(key, version),

      /** @param isCached false for pages of a listing: clients choose the page bounds and could fill the cache */
      whole,

      /** Reads and encodes a body once for all concurrent requests of the same version and coding, and caches it. */
      shared: (read: (signal: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>): Promise<HandlerResponse> =>
        share(`${key} ${version}`, request.signal, async (signal) => whole(await read(signal), true)),

      stream(body: ReadableStream<Uint8Array<ArrayBuffer>>): HandlerResponse {
        const encoded = coding && encoder.encodeStream(body, coding, client)
        const contentHeaders = { 'content-type': MEDIA_TYPES.json, ...withCoding(encoded && coding) }
        return { status: 200, body: encoded ?? body, headers: contentHeaders }
      },
    }
  }
}
