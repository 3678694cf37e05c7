import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('../..', import.meta.url))

/** Bundles a script that stands in no file, as a user's bundler would. */
export async function bundle(source: string, splitting: boolean) {
  return build({
    stdin: { contents: source, resolveDir: folder, loader: 'ts' },
    bundle: true,
    splitting,
    format: 'esm',
    platform: 'node',
    external: ['undici', 'msw'],
    outdir: 'unwritten',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
}

/** Runs a script in a Node process of its own until that ends by itself. */
export async function runInNode(source: string): Promise<{ exitCode: unknown; stdout: string }> {
  const { outputFiles } = await bundle(source, false)
  const child = spawn(process.execPath, ['--input-type=module'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = new Promise((resolve) => child.once('exit', resolve))
  const stdout = text(child.stdout)
  child.stdin.end(outputFiles[0]?.text)
  return { stdout: await stdout, exitCode: await exit }
}
