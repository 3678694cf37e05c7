import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { runModule } from './package-process.ts'

/** The result of bundling a module that imports the built package for a page. */
export interface Bundle {
  /** Maps each file name to its code. The entry is `page.js`. */
  readonly files: ReadonlyMap<string, string>
  /** Maps each output file to the source files whose code the output file contains. */
  readonly inputs: ReadonlyMap<string, readonly string[]>
}

/** Bundles the built package for browsers. `splitting` puts dynamic imports into separate files. */
export async function bundleForPage(source: string, { splitting = false } = {}): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL('..', import.meta.url)), sourcefile: 'page.js' },
    entryNames: 'page',
    outdir: 'unwritten',
    bundle: true,
    splitting,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    external: ['node:*'],
    // Ignore the project's tsconfig.json, because its paths resolve to the sources instead of the build.
    tsconfigRaw: '{}',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const inputs = Object.entries(metafile.outputs).map(([path, output]) => {
    const kept = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    return [basename(path), kept.map(([name]) => name)] as const
  })
  return { files: new Map(outputFiles.map(({ path, text }) => [basename(path), text])), inputs: new Map(inputs) }
}

/** Bytes over the wire, with each file gzipped separately. */
export function gzippedBytes({ files }: Bundle, names: Iterable<string> = files.keys()): number {
  return [...names].reduce((sum, name) => sum + gzipSync(files.get(name) ?? '', { level: 9 }).length, 0)
}

/** Runs a split bundle and returns the names of the files that it loaded. */
export async function filesLoaded({ files }: Bundle): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fish-crab-bundle-'))
  try {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    for (const [name, code] of files) await writeFile(join(folder, name), code)
    const { stdout } = await runModule(`
      import { registerHooks } from 'node:module'
      const urls = []
      registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context) } })
      await import(${JSON.stringify(pathToFileURL(join(folder, 'page.js')).href)})
      process.stdout.write(JSON.stringify(urls))
    `)
    const urls = JSON.parse(stdout) as string[]
    return urls.map((url) => basename(url)).filter((name) => files.has(name))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
