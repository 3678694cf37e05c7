import { HttpError } from '../http/http-error.ts'
import { type PageAssets, staticFile } from '../http/response.ts'
import type { Handler } from '../http/router.ts'

/** The name of the service on pages and cards. */
export const SITE = 'Fish and Crab Collection'

/** @param headers further headers of each file; scripts and styles need no policy, because it applies to documents */
export function assetHandler({ asset }: PageAssets, headers: Readonly<Record<string, string>> = {}): Handler {
  return async ({ request, params }) => {
    const file = await asset(params.asset ?? '')
    if (!file) throw new HttpError('not_found')
    return staticFile(request, file, headers)
  }
}
