import { spawn, spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('../../sdk', import.meta.url))

/** Bundles the source of a script like a user's bundler. */
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

/** The exit code and the output of a script. */
export interface Ended {
  readonly exitCode: unknown
  readonly stdout: string
  readonly stderr: string
}

/** Starts a script in a new Node process. */
export async function startInNode(
  source: string,
  { node = process.execPath, env = {} }: { node?: string | undefined; env?: Record<string, string> } = {},
) {
  const { outputFiles } = await bundle(source, false)
  const child = spawn(node, ['--input-type=module'], { cwd: folder, stdio: 'pipe', env: { ...process.env, ...env } })
  child.stdin.end(outputFiles[0]?.text)
  return child
}

/** Runs a script in a new Node process until the process exits by itself. */
export async function runInNode(
  source: string,
  { node = process.execPath, env = {} }: { node?: string | undefined; env?: Record<string, string> } = {},
): Promise<Ended> {
  const child = await startInNode(source, { node, env })
  const exit = new Promise((resolve) => child.once('exit', resolve))
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  return { stdout: await stdout, stderr: await stderr, exitCode: await exit }
}

/** Finds a Node on this machine that is older than the packages require. */
export function olderNode(): string | undefined {
  const programs = (process.env.PATH ?? '').split(delimiter).map((at) => join(at, 'node'))
  return programs.find((program) => {
    const { status, stdout } = spawnSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' })
    const [major = 0, minor = 0] = status === 0 ? stdout.split('.').map(Number) : [99]
    return major >= 18 && (major < 22 || (major === 22 && minor < 19))
  })
}
