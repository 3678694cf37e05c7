import { MEDIA_TYPES, type RouteName } from '@fish-crab/sdk/contract'
import type { ContentCoding } from '../http/encoding.ts'
import { type StaticFile, staticFile } from '../http/static-file.ts'
import type { Handler, Services } from '../services.ts'
import { sha256Hex } from '../users/digest.ts'

type OpenApi = typeof import('@fish-crab/sdk/openapi')

/** `GET /openapi.json`: the contract of these routes. Made, written and encoded once, when it is first asked for. */
export function openApiHandler(
  services: Services,
  load: () => Promise<Pick<OpenApi, 'openApiDocument'>>,
  routes: () => readonly RouteName[],
): Handler {
  const { contentEncoder, version } = services
  let file: Promise<StaticFile> | undefined

  async function makeFile(): Promise<StaticFile> {
    const { openApiDocument } = await load()
    const text = JSON.stringify(openApiDocument({ version, routes: routes() }))
    const body = new TextEncoder().encode(text)
    const encoded: Partial<Record<ContentCoding, Uint8Array<ArrayBuffer>>> = {}
    for (const coding of contentEncoder.codings) {
      const bytes = await contentEncoder.encode(body, coding, 'openapi')
      if (bytes) encoded[coding] = bytes
      // What there is no time to encode now is encoded at the next request.
      else file = undefined
    }
    return { contentType: MEDIA_TYPES.json, body, encoded, version: await sha256Hex(text) }
  }

  return async ({ request }) => {
    file ??= makeFile().catch((error: unknown) => {
      file = undefined
      throw error
    })
    return staticFile(request, await file)
  }
}
