import { readdir, readFile } from 'node:fs/promises'
import { ASSET_FOLDERS } from '@fish-crab/sdk/contract'
import { lazy } from '../app/core/cache.ts'
import type { ContentCoding } from '../app/http/encoding.ts'
import type { PageName, Pages, PageView, StaticFile } from '../app/http/response.ts'
import { toStaticFile } from './static-files.ts'

/** The folder to which `npm run build` writes the pages. A server that runs from sources reads the same folder. */
const FOLDER = new URL(import.meta.url.endsWith('.ts') ? '../../dist/web/' : './web/', import.meta.url)
const ASSETS = new URL(`.${ASSET_FOLDERS.pages}/`, FOLDER)

/** For each file that compression makes smaller, the build writes compressed copies with these suffixes. */
const SUFFIXES: Readonly<Record<ContentCoding, string>> = { br: '.br', gzip: '.gz' }

const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>{{title}}</title>
<h1>The pages are not built</h1>
<p>This server runs from its sources. Run <code>npm run build</code>, restart it, and reload this page.</p>
`

/** Serves the built web pages. Each file is read at its first request. */
export function createPages(): Pages {
  const template = (page: PageName) =>
    lazy(() => readFile(new URL(`${page}.html`, FOLDER), 'utf8').catch(withoutBuild(NOT_BUILT)))
  const templates: Readonly<Record<PageName, () => Promise<string>>> = {
    collection: template('collection'),
    overlay: template('overlay'),
    'overlay-setup': template('overlay-setup'),
    login: template('login'),
    admin: template('admin'),
  }
  const assets = lazy(async () => {
    const names = new Set(await readdir(ASSETS).catch(withoutBuild([])))
    const encodings = Object.entries(SUFFIXES)
    const plain = [...names].filter((name) => !encodings.some(([, suffix]) => name.endsWith(suffix)))
    return new Map(plain.map((name) => [name, lazy(() => readAsset(name, names))]))
  })
  const renderer = lazy(() => import(new URL('render.mjs', FOLDER).href).catch(withoutBuild(undefined)))
  return {
    template: (page) => templates[page](),
    asset: async (name) => (await assets()).get(name)?.(),
    async render(view) {
      const built: Renderer | undefined = await renderer()
      return built?.render(view)
    },
  }
}

/** The part of the build that draws pages. */
interface Renderer {
  render(view: PageView): string
}

async function readAsset(name: string, names: ReadonlySet<string>): Promise<StaticFile> {
  const read = async (file: string) => new Uint8Array(await readFile(new URL(file, ASSETS)))
  const encodings = Object.entries(SUFFIXES).filter(([, suffix]) => names.has(name + suffix))
  const encoded = await Promise.all(encodings.map(async ([coding, suffix]) => [coding, await read(name + suffix)]))
  return toStaticFile(name, await read(name), { encoded: Object.fromEntries(encoded), isImmutable: true })
}

function withoutBuild<Fallback>(fallback: Fallback): (error: NodeJS.ErrnoException) => Fallback {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ERR_MODULE_NOT_FOUND') return fallback
    throw error
  }
}
