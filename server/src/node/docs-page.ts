import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ROUTES } from '@fish-crab/sdk/contract'
import type { Docs, StaticFile } from '../app/http/response.ts'

const compress = promisify(gzip)
const FOLDER = ROUTES.docs.path
const START = 'start.js'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
}

/** What of Swagger UI the page needs; the rest of it is not shipped. */
const PACKAGED = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const

/** The build lays the files beside itself; from sources they come out of the package they are taken from. */
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
<noscript>The reference needs JavaScript. The same as a document: <a href="${ROUTES.openapi.path}">${ROUTES.openapi.path}</a></noscript>
<script src="${FOLDER}/swagger-ui-bundle.js"></script>
<script src="${FOLDER}/${START}"></script>
</body>
</html>
`

/** In a file of its own, since the page's policy allows no script inside it. The validator would be another origin. */
const START_SCRIPT = `SwaggerUIBundle({
  url: ${JSON.stringify(ROUTES.openapi.path)},
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
})
`

/**
 * Makes the API reference: Swagger UI from its package, with no request to anywhere else. A file is read and
 * compressed once, when it is first asked for.
 */
export function createDocs(): Docs {
  const sources = new Map<string, () => Promise<Uint8Array>>([
    [START, async () => Buffer.from(START_SCRIPT)],
    ...PACKAGED.map((name): [string, () => Promise<Uint8Array>] => [name, () => readFile(fileURLToPath(locate(name)))]),
  ])
  const files = new Map<string, Promise<StaticFile>>()
  const once = (name: string, read: () => Promise<Uint8Array>) => {
    const known = files.get(name)
    if (known) return known
    const file = read().then((bytes) => describe(name, bytes))
    files.set(name, file)
    file.catch(() => files.delete(name))
    return file
  }
  return {
    page: () => once('index.html', async () => Buffer.from(PAGE)),
    async asset(name) {
      const read = sources.get(name)
      return read && once(name, read)
    },
  }
}

async function describe(name: string, read: Uint8Array): Promise<StaticFile> {
  const body = new Uint8Array(read)
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return {
    contentType: TYPES[extension] ?? 'application/octet-stream',
    body,
    ...(extension === 'png' ? {} : { encoded: { gzip: new Uint8Array(await compress(body)) } }),
    version: createHash('sha256').update(body).digest('base64url').slice(0, 22),
  }
}
