import { createHash } from 'node:crypto'
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { supportedBrowsers, TARGET } from './supported-browsers.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The service serves its pages. The program for players brings its own page. */
const outOf = (mode: string) => at(mode === 'player-app' ? '../../cli/dist/player-app' : '../dist/web')

/**
 * The pages of each build. Pages of one build share files, so a page may load code of the other pages. The admin page
 * has its own build (`vite build --mode admin`), so that players load no code for administrators. The page of
 * `fish-cli app` also has its own build, because the service does not serve it.
 */
const BUILDS: Readonly<Record<string, readonly string[]>> = {
  production: ['collection', 'overlay', 'overlay-setup', 'login'],
  admin: ['admin'],
  'player-app': ['player-app'],
}

/** Code that only the pages of one area share. */
const AREAS = {
  collections: /\/(collection\/(?!.*history).*|texts\/(compare|missing|player|search|species))\.tsx?$/,
  overlays: /\/(overlay\/.*|texts\/overlay)\.tsx?$/,
}

const isShared = (id: string) => !/\/d3-|history|\.css$/.test(id) && !Object.values(AREAS).some((area) => area.test(id))

/** Builds the program with which the service draws its pages. */
const RENDERER: UserConfig = {
  // The program runs no client, so it needs no parts of Node.
  ssr: { noExternal: true, target: 'webworker' },
  build: {
    outDir: at('../dist/web'),
    emptyOutDir: false,
    minify: true,
    ssr: at('src/collection/render.tsx'),
    // Workers and the executable find the file by its name.
    rolldownOptions: { output: { entryFileNames: 'render.mjs', codeSplitting: false } },
    license: { fileName: 'THIRD-PARTY-LICENCES-render.md' },
  },
}

/** Lets browsers refuse a script or style sheet that differs from the built one (W3C, Subresource Integrity). */
function integrity(pages: readonly string[], out: string): Plugin {
  return {
    name: 'integrity',
    // Hash the written files, because only they have their final content: scripts import each other by hashed names.
    async writeBundle() {
      for (const page of pages) {
        const file = `${out}/${page}.html`
        const html = await readFile(file, 'utf8')
        let result = html
        for (const [attribute, path] of html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)) {
          const hash = createHash('sha384').update(await readFile(out + path))
          result = result.replace(attribute, `${attribute} integrity="sha384-${hash.digest('base64')}"`)
        }
        await writeFile(file, result)
      }
    },
  }
}

const FONT = '@fontsource-variable/manrope'

/** Lets browsers load the font together with the style sheet, and adds its licence. Overlays use the system's font. */
function font(licences: string): Plugin {
  return {
    name: 'font',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {}, filename }) {
        if (filename.endsWith('/overlay.html')) return []
        return Object.keys(bundle)
          .filter((file) => file.endsWith('.woff2'))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: true },
            injectTo: 'head',
          }))
      },
    },
    // Vite lists only packages with scripts.
    async writeBundle() {
      const licence = await readFile(fileURLToPath(import.meta.resolve(`${FONT}/LICENSE`)), 'utf8')
      await appendFile(licences, `\n---\n\n## ${FONT} (OFL-1.1)\n\n${licence}`)
    },
  }
}

/** Writes compressed copies beside each file, if they are smaller than the file. */
function precompress(out: string): Plugin {
  const folder = `${out}/assets`
  const codings = { br: promisify(brotliCompress), gz: promisify(gzip) }
  return {
    name: 'precompress',
    async writeBundle() {
      for (const name of await readdir(folder)) {
        if (/\.(br|gz|woff2)$/.test(name)) continue
        const content = await readFile(`${folder}/${name}`)
        for (const [suffix, compress] of Object.entries(codings)) {
          const compressed = await compress(content)
          if (compressed.length < content.length) await writeFile(`${folder}/${name}.${suffix}`, compressed)
        }
      }
    },
  }
}

export default defineConfig(({ mode }) => {
  const common: UserConfig = {
    root: at('.'),
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  }
  if (mode === 'render') return { ...common, ...RENDERER }
  const pages = BUILDS[mode] ?? []
  const out = outOf(mode)
  const licences = `THIRD-PARTY-LICENCES-${mode}.md`
  return {
    ...common,
    plugins: [
      supportedBrowsers(),
      font(`${out}/${licences}`),
      integrity(pages, out),
      ...(mode === 'player-app' ? [] : [precompress(out)]),
    ],
    build: {
      outDir: out,
      emptyOutDir: mode !== 'admin',
      target: TARGET,
      // The Content Security Policy of the pages allows no `data:` URLs for scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: pages.map((page) => at(`${page}.html`)),
        // Each file costs a request, and small files compress badly. The drawing library loads after the first view, and
        // an overlay must not load the styles and texts of other pages.
        output: {
          codeSplitting: {
            groups: [
              { name: 'shared', minShareCount: 2, test: isShared, priority: 1 },
              ...Object.entries(AREAS).map(([name, test]) => ({ name, minShareCount: 2, test })),
              { name: 'page', minShareCount: 2, test: /\/(page|content)\.css$/ },
            ],
          },
        },
      },
      // Each build lists only its own packages.
      license: { fileName: licences },
    },
  }
})
