import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'

/** The bundle of a page script that imports the built packages. */
export interface PageBundle {
  /** The code of each file, by name. The entry is `page.js`. */
  readonly files: ReadonlyMap<string, string>
  /** Returns the file whose name has the given prefix, and all static imports of that file. */
  readonly load: (beginning: string) => Loaded
}

/** The files that a page loads together. */
export interface Loaded {
  readonly files: readonly string[]
  /** The size of each module in these files before compression, in bytes. */
  readonly modules: ReadonlyMap<string, number>
}

/** Bundles a script for browsers, with separate files for dynamic imports. */
export async function bundlePage(source: string, external: readonly string[] = []): Promise<PageBundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL('..', import.meta.url)), sourcefile: 'page.js' },
    entryNames: 'page',
    outdir: 'unwritten',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    external: [...external],
    // Ignore the project's tsconfig, since its `paths` would resolve to the sources instead of the built packages.
    tsconfigRaw: '{}',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return {
    files: new Map(outputFiles.map(({ path, text }) => [basename(path), text])),
    load(beginning) {
      const paths = loadedWith(metafile, beginning)
      return { files: paths.map((path) => basename(path)), modules: modulesOf(metafile, paths) }
    },
  }
}

/** Returns the number of transferred bytes, with each file gzipped separately. */
export function gzippedBytes({ files }: PageBundle, names: Iterable<string> = files.keys()): number {
  return [...names].reduce((sum, name) => sum + gzipSync(files.get(name) ?? '', { level: 9 }).length, 0)
}

function modulesOf({ outputs }: Metafile, paths: readonly string[]): Map<string, number> {
  const modules = new Map<string, number>()
  for (const path of paths) {
    for (const [name, { bytesInOutput }] of Object.entries(outputs[path]?.inputs ?? {})) {
      if (bytesInOutput > 0) modules.set(name, (modules.get(name) ?? 0) + bytesInOutput)
    }
  }
  return modules
}

function loadedWith({ outputs }: Metafile, beginning: string): string[] {
  const entry = Object.keys(outputs).find((path) => basename(path).startsWith(beginning)) ?? ''
  const found = new Set([entry])
  for (const path of found) {
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && !external) found.add(imported)
    }
  }
  return [...found]
}
