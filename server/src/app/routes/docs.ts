import type { Docs, DocsFile } from '../docs.ts'
import { type Answer, empty } from '../http/answer.ts'
import { chooseCoding } from '../http/encoding.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import { Failure } from '../http/failure.ts'
import type { Handler } from '../services.ts'

/**
 * Everything comes from this server, and no script or style stands in the page: whatever an injected text says, it
 * cannot run or send anything elsewhere. The style sheet of the reference has its icons in itself, as `data:`.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /docs`: the API reference. */
export function docsHandler({ page }: Docs): Handler {
  return async ({ request }) => answer(request, await page())
}

/** `GET /docs/:asset`: what the page is made of. */
export function docsAssetHandler({ asset }: Docs): Handler {
  return async ({ request, params }) => {
    const file = await asset(params.asset ?? '')
    if (!file) throw new Failure('not_found')
    return answer(request, file)
  }
}

function answer(request: Request, { contentType, body, gzip, version }: DocsFile): Answer {
  const caching = { etag: `W/"${version}"`, vary: 'Accept-Encoding', 'cache-control': 'no-cache' }
  if (matchesEntityTag(request.headers.get('if-none-match'), caching.etag)) return empty(304, caching)
  const { coding } = chooseCoding(request.headers.get('accept-encoding'), gzip ? ['gzip'] : [])
  const bytes = (coding === 'gzip' ? gzip : undefined) ?? body
  return {
    status: 200,
    body: bytes,
    headers: {
      ...caching,
      'content-type': contentType,
      'content-length': String(bytes.byteLength),
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      ...(coding === undefined ? {} : { 'content-encoding': coding }),
    },
  }
}
