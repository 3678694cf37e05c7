import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ROUTES } from '@fish-crab/sdk/contract'
import { lazy } from '../app/core/cache.ts'
import type { Docs, StaticFile } from '../app/http/response.ts'
import { toStaticFile } from './static-files.ts'

const compress = promisify(gzip)
const FOLDER = ROUTES.docs.path
const START = 'start.js'

const PACKAGED = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const

/** The build copies the files next to its output; from sources, they are read from the package. */
function locate(name: string): string {
  return import.meta.url.endsWith('.ts')
    ? import.meta.resolve(`swagger-ui-dist/${name}`)
    : new URL(`./docs/${name}`, import.meta.url).href
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fish and Crab Collection Service: API reference</title>
<link rel="stylesheet" href="${FOLDER}/swagger-ui.css">
<link rel="icon" type="image/png" href="${FOLDER}/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript. The OpenAPI document: <a href="${ROUTES.openapi.path}">${ROUTES.openapi.path}</a></noscript>
<script src="${FOLDER}/swagger-ui-bundle.js"></script>
<script src="${FOLDER}/${START}"></script>
</body>
</html>
`

/** A separate file, since the policy of the page forbids inline scripts. The validator would be another origin. */
const START_SCRIPT = `SwaggerUIBundle({
  url: ${JSON.stringify(ROUTES.openapi.path)},
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
})
`

/** Swagger UI without requests to other servers. Each file is read and compressed at its first request. */
export function createDocs(): Docs {
  const file = (name: string, read: () => Promise<Uint8Array>) => lazy(async () => toDocsFile(name, await read()))
  const page = file('index.html', async () => Buffer.from(PAGE))
  const assets = new Map([
    [START, file(START, async () => Buffer.from(START_SCRIPT))],
    ...PACKAGED.map((name) => [name, file(name, () => readFile(fileURLToPath(locate(name))))] as const),
  ])
  return { page, asset: async (name) => assets.get(name)?.() }
}

async function toDocsFile(name: string, content: Uint8Array): Promise<StaticFile> {
  if (name.endsWith('.png')) return toStaticFile(name, content)
  return toStaticFile(name, content, { encoded: { gzip: new Uint8Array(await compress(content)) } })
}
