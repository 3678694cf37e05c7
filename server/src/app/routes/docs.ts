import { MEDIA_TYPES, type RouteName } from '@fish-crab/sdk/contract'
import type { OpenApiObject, OpenApiOptions, openApiDocument } from '@fish-crab/sdk/openapi'
import { sha256Hex } from '../core/bytes.ts'
import { lazy } from '../core/cache.ts'
import { yieldToEvents } from '../core/schedule.ts'
import type { ContentCoding } from '../http/encoding.ts'
import { type Docs, type StaticFile, staticFile } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { pageHeaders } from './page-headers.ts'
import type { Services } from './services.ts'

export const DOCS_HEADERS = pageHeaders()

export function docsHandler({ page }: Docs): Handler {
  return async ({ request }) => staticFile(request, await page(), DOCS_HEADERS)
}

/** Builds the document one route at a time, because building all routes at once would block other requests for 35 ms. */
export async function buildInSteps(
  build: typeof openApiDocument,
  { routes, ...options }: OpenApiOptions & { readonly routes: readonly RouteName[] },
): Promise<OpenApiObject> {
  const paths: Record<string, OpenApiObject> = {}
  for (const name of routes) {
    const part = build({ ...options, routes: [name] }).paths as typeof paths
    for (const [path, methods] of Object.entries(part)) paths[path] = { ...paths[path], ...methods }
    await yieldToEvents()
  }
  return { ...build({ ...options, routes: [] }), paths }
}

/** `GET /openapi.json`: the OpenAPI document of these routes, created and encoded once, at the first request. */
export function openApiHandler(
  services: Services,
  load: () => Promise<typeof import('@fish-crab/sdk/openapi')>,
  routes: () => readonly RouteName[],
): Handler {
  const { contentEncoder, version, gamemodes } = services
  const isEncoded = ({ encoded = {} }: StaticFile) => contentEncoder.codings.every((coding) => coding in encoded)

  const plain = lazy(async () => {
    const { openApiDocument } = await load()
    const options = { version, routes: routes(), gamemodes: gamemodes.names }
    const text = JSON.stringify(await buildInSteps(openApiDocument, options))
    return { body: new TextEncoder().encode(text), version: await sha256Hex(text) }
  })

  // If the encoder was too busy for a coding, the next request tries this coding again.
  const document = lazy(async (): Promise<StaticFile> => {
    const { body, version } = await plain()
    const encoded: Partial<Record<ContentCoding, Uint8Array<ArrayBuffer>>> = {}
    for (const coding of contentEncoder.codings) {
      const bytes = await contentEncoder.encode(body, coding, 'openapi')
      if (bytes) encoded[coding] = bytes
    }
    return { contentType: MEDIA_TYPES.json, body, encoded, version }
  }, isEncoded)

  return async ({ request }) => staticFile(request, await document())
}
