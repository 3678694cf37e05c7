import { HttpError } from '../http/http-error.ts'
import { type PageAssets, staticFile } from '../http/response.ts'
import type { Handler } from '../http/router.ts'

/** The name of the service, for people. */
export const SITE = 'Fish and Crab Collection'

/**
 * The headers of pages and their files. Only files of this server are allowed, and no inline scripts or styles, so that
 * injected text cannot run or send anything elsewhere.
 * @param more further directives, and directives to replace
 */
export function pageHeaders(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    // Style sheets contain icons as `data:`.
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...more,
  }
  return {
    'content-security-policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'referrer-policy': 'no-referrer',
  }
}

export function assetHandler({ asset }: PageAssets, headers: Readonly<Record<string, string>>): Handler {
  return async ({ request, params }) => {
    const file = await asset(params.asset ?? '')
    if (!file) throw new HttpError('not_found')
    return staticFile(request, file, headers)
  }
}
