// npm run docs: builds the documentation into docs/dist. `-- --dev` serves it while you write.
import './from-sources.ts'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Application } from 'typedoc'
import { build, createServer } from 'vitepress'
import { ROOT, sourcePages } from './docs/pages.ts'
import type { OpenApi } from './docs/reference.ts'

// Static imports would be resolved before `from-sources.ts` runs.
const { apiPage, errorsPage } = await import('./docs/reference.ts')
const { openApiDocument } = await import('@fish-crab/sdk/openapi')

const DOCS = join(ROOT, 'docs')
const REFERENCE = join(DOCS, 'reference')

/** The pages of the SDK's reference by name, each with its source file. */
const MODULES = {
  client: 'sdk/src/index.ts',
  resources: 'scripts/docs/resources.ts',
  admin: 'sdk/src/admin/index.ts',
  outbox: 'sdk/src/outbox/index.ts',
  chat: 'sdk/src/chat/index.ts',
  fernet: 'sdk/src/fernet/index.ts',
  constants: 'sdk/src/constants.ts',
  mocks: 'mocks/src/index.ts',
} as const

await writeReference()
if (process.argv.includes('--dev')) {
  const server = await createServer(DOCS)
  await server.listen()
  server.printUrls()
} else {
  await build(DOCS)
  const dead = deadAnchors(join(DOCS, 'dist'))
  if (dead.length > 0) throw new Error(`Links lead to headings that do not exist:\n${dead.join('\n')}`)
}

async function writeReference(): Promise<void> {
  rmSync(REFERENCE, { recursive: true, force: true })
  mkdirSync(REFERENCE)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  writeFileSync(join(REFERENCE, 'api.md'), apiPage(openApiDocument({ version }) as unknown as OpenApi))
  writeFileSync(join(REFERENCE, 'errors.md'), errorsPage(errorClasses()))
  await writeSdkReference(join(REFERENCE, 'sdk'))
  for (const { path, content } of sourcePages()) {
    mkdirSync(dirname(join(DOCS, path)), { recursive: true })
    writeFileSync(join(DOCS, path), content)
  }
}

/** Reads the table of error classes from the README of the SDK. */
function errorClasses(): string {
  const [, section = ''] = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8').split(/^## Errors\n/m)
  const [table] = /^\|.*?(?=\n\n)/ms.exec(section) ?? []
  if (table === undefined) throw new Error('sdk/README.md has no table under "Errors".')
  return table
}

async function writeSdkReference(out: string): Promise<void> {
  const markdownOptions = {
    router: 'module',
    entryFileName: 'index',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    parametersFormat: 'table',
    // TypeDoc writes its own anchors, since it numbers duplicate headings differently from VitePress.
    useHTMLAnchors: true,
    anchorPrefix: 'sdk-',
  }
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: join(ROOT, 'tsconfig.json'),
    entryPoints: Object.values(MODULES).map((file) => join(ROOT, file)),
    name: 'Packages',
    out,
    readme: 'none',
    // TypeDoc does not check types, because `npm run check` does.
    skipErrorChecking: true,
    disableSources: true,
    excludePrivate: true,
    excludeInternal: true,
    // Some types are inferred from schemas that are not part of the public client, so TypeDoc would warn about them.
    validation: { notExported: false, invalidLink: false },
    groupOrder: ['Functions', 'Interfaces', 'Type Aliases', 'Variables', 'Classes', '*'],
    logLevel: 'Error',
    ...markdownOptions,
  })
  const project = await app.convert()
  if (!project) throw new Error('TypeDoc could not read the sources of the SDK.')
  for (const [name, file] of Object.entries(MODULES)) {
    const module = project.children?.find((one) => project.getSymbolIdFromReflection(one)?.fileName?.endsWith(file))
    if (!module) throw new Error(`TypeDoc found no module in ${file}.`)
    module.name = name
  }
  await app.generateOutputs(project)
}

/** Finds links to headings that do not exist. VitePress checks only links to pages. */
function deadAnchors(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  const pages = new Map(
    files.map((file) => [`/${file.replaceAll('\\', '/')}`, readFileSync(join(folder, file), 'utf8')]),
  )
  return [...pages].flatMap(([page, html]) =>
    Array.from(html.matchAll(/ href="(\/[^"#]*)?#([^"]+)"/g)).flatMap(([, path = page, anchor = '']) => {
      const target = pages.get(path.endsWith('/') ? `${path}index.html` : path)
      return target?.includes(` id="${decodeURIComponent(anchor)}"`) ? [] : [`${page} links to ${path}#${anchor}`]
    }),
  )
}
