import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ASSET_FOLDERS, ROUTES } from '@fish-crab/sdk/contract'
import { lazy } from '../app/core/cache.ts'
import type { Docs } from '../app/http/response.ts'
import { toStaticFile } from './static-files.ts'

const compress = promisify(gzip)
const FOLDER = ASSET_FOLDERS.docs

const PACKAGE = 'swagger-ui-dist'
/** The source paths of the files. The build copies the files next to its output. */
const SOURCES = {
  'accessibility.js': new URL('./reference/accessibility.js', import.meta.url).href,
  'start.js': new URL('./reference/start.js', import.meta.url).href,
  'reference.css': new URL('./reference/reference.css', import.meta.url).href,
  'icon.svg': new URL('../../web/src/icon.svg', import.meta.url).href,
  'swagger-ui.css': `${PACKAGE}/swagger-ui.css`,
  'swagger-ui-bundle.js': `${PACKAGE}/swagger-ui-bundle.js`,
}

const page = (hasPages: boolean) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>Fish and Crab Collection Service: API reference</title>
<link rel="stylesheet" href="${FOLDER}/swagger-ui.css">
<link rel="stylesheet" href="${FOLDER}/reference.css">
<link rel="icon" type="image/svg+xml" href="${FOLDER}/icon.svg">
</head>
<body>
<header>
${hasPages ? `<nav><a href="${ROUTES.homePage.path}">Collections</a></nav>` : ''}
<p>This reference has no dark theme, and the Tab key can leave its authorization dialog while the dialog is open. Tools of your choice can show the same reference from <a href="${ROUTES.openapi.path}">${ROUTES.openapi.path}</a>.</p>
</header>
<div id="reference" data-document="${ROUTES.openapi.path}"></div>
<noscript>The reference needs JavaScript. The OpenAPI document: <a href="${ROUTES.openapi.path}">${ROUTES.openapi.path}</a></noscript>
<script src="${FOLDER}/swagger-ui-bundle.js"></script>
<script type="module" src="${FOLDER}/start.js"></script>
</body>
</html>
`

/**
 * Serves Swagger UI. The page sends no requests to other servers. Each file is read and compressed at its first
 * request.
 * @param hasPages whether the reference links to pages for people
 */
export function createDocs(hasPages: boolean): Docs {
  const file = (name: string, read: () => Promise<Uint8Array>) =>
    lazy(async () => {
      const content = await read()
      return toStaticFile(name, content, { encoded: { gzip: new Uint8Array(await compress(content)) } })
    })
  const assets = new Map(
    Object.entries(SOURCES).map(([name, source]) => [
      name,
      file(name, () => readFile(fileURLToPath(locate(name, source)))),
    ]),
  )
  return {
    page: file('index.html', async () => Buffer.from(page(hasPages))),
    asset: async (name) => assets.get(name)?.(),
  }
}

function locate(name: string, source: string): string {
  return import.meta.url.endsWith('.ts') ? import.meta.resolve(source) : new URL(`./docs/${name}`, import.meta.url).href
}
