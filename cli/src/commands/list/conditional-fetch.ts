const NOT_MODIFIED = 304
// These headers describe the transfer of one response, not the cached content.
const TRANSFER_HEADERS = ['content-encoding', 'content-length', 'transfer-encoding']

interface CachedResponse {
  readonly url: string
  readonly tag: string
  readonly headers: Headers
  readonly body: ArrayBuffer
}

/**
 * Polls one URL with conditional requests (RFC 9110, 13.1.2): while the content has not changed, the last body is
 * returned again.
 */
export function conditionalFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  let cached: CachedResponse | undefined
  return async (input, init) => {
    const request = new Request(input, init)
    if (request.method !== 'GET') return fetch(request)
    const last = cached?.url === request.url ? cached : undefined
    if (last) request.headers.set('if-none-match', last.tag)
    const response = await fetch(request)
    if (response.status === NOT_MODIFIED && last) {
      const headers = new Headers(last.headers)
      for (const [name, value] of response.headers) headers.set(name, value)
      return responseOf({ ...last, headers })
    }
    const tag = response.headers.get('etag')
    if (response.status !== 200 || tag === null) return response
    const body = await response.arrayBuffer()
    cached = { url: request.url, tag, headers: response.headers, body }
    return responseOf(cached)
  }
}

function responseOf({ headers, body }: CachedResponse): Response {
  const own = new Headers(headers)
  for (const name of TRANSFER_HEADERS) own.delete(name)
  return new Response(body, { status: 200, headers: own })
}
