import type { Docs } from '../docs.ts'
import { Failure } from '../http/failure.ts'
import { staticFile } from '../http/static-file.ts'
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

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** `GET /docs`: the API reference. */
export function docsHandler({ page }: Docs): Handler {
  return async ({ request }) => staticFile(request, await page(), HEADERS)
}

/** `GET /docs/:asset`: what the page is made of. */
export function docsAssetHandler({ asset }: Docs): Handler {
  return async ({ request, params }) => {
    const file = await asset(params.asset ?? '')
    if (!file) throw new Failure('not_found')
    return staticFile(request, file, HEADERS)
  }
}
