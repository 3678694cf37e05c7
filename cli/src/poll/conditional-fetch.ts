const NOT_MODIFIED = 304
// These are about the bytes of one answer on its way, not about the content that was kept.
const OF_TRANSFER = ['content-encoding', 'content-length', 'transfer-encoding']

interface Kept {
  readonly url: string
  readonly tag: string
  readonly headers: Headers
  readonly body: ArrayBuffer
}

/**
 * A fetch that asks whether what it read last has changed (RFC 9110, 13.1.2), and where it has not, answers that again
 * with the headers of the new answer. For a program that reads the same thing again and again: one answer is kept.
 */
export function conditionalFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  let kept: Kept | undefined
  return async (input, init) => {
    const request = new Request(input, init)
    if (request.method !== 'GET') return fetch(request)
    const last = kept?.url === request.url ? kept : undefined
    if (last) request.headers.set('if-none-match', last.tag)
    const response = await fetch(request)
    if (response.status === NOT_MODIFIED && last) {
      const headers = new Headers(last.headers)
      for (const [name, value] of response.headers) headers.set(name, value)
      return contentOf({ ...last, headers })
    }
    const tag = response.headers.get('etag')
    if (response.status !== 200 || tag === null) return response
    const body = await response.arrayBuffer()
    kept = { url: request.url, tag, headers: response.headers, body }
    return contentOf(kept)
  }
}

function contentOf({ headers, body }: Kept): Response {
  const own = new Headers(headers)
  for (const name of OF_TRANSFER) own.delete(name)
  return new Response(body, { status: 200, headers: own })
}
