import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Runtime } from '../sdk/e2e/runtimes.ts'

interface Pinned {
  readonly version: string
  /** The npm package with the program for this machine. */
  readonly packageName: string
  /** The path of the program in the package. */
  readonly program: string
  readonly args: readonly string[]
}

// The runtimes have a separate folder, so that `npm ci` does not install half a gigabyte of programs.
const FOLDER = fileURLToPath(new URL('../node_modules/.cache/runtimes', import.meta.url))
const NO_PATHS = join(FOLDER, 'tsconfig.json')

const { platform, arch } = process
const node = { packageName: `node-${platform}-${arch}`, program: 'bin/node', args: [] }

/** The oldest supported Node, the newest one, a version between them, and other runtimes. */
const RUNTIMES: Readonly<Record<string, Pinned>> = {
  'Node 22.19': { ...node, version: '22.19.0' },
  'Node 24': { ...node, version: '24.21.0' },
  'Node 26': { ...node, version: '26.10.0' },
  Bun: {
    version: '1.4.5',
    packageName: `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`,
    program: 'bin/bun',
    // Without the override, Bun resolves packages to their sources by the `paths` in the project's tsconfig.json.
    args: ['--no-install', `--tsconfig-override=${NO_PATHS}`, 'run'],
  },
  Deno: {
    version: '2.9.6',
    packageName: `@deno/${platform}-${arch}-glibc`,
    program: 'deno',
    args: ['run', '--allow-all', '--no-check', '--no-lock', '--cached-only'],
  },
  // The runtime of Cloudflare Workers.
  workerd: {
    version: '1.20261117.1',
    packageName: `@cloudflare/workerd-${platform}-${arch === 'arm64' ? arch : '64'}`,
    program: 'bin/workerd',
    args: [],
  },
}

/**
 * Installs missing runtimes from npm packages that contain only the program. No install script runs, and nothing else
 * is downloaded.
 *
 * @returns the runtimes by name, or the reason why this machine cannot run them
 */
export function installRuntimes(): ReadonlyMap<string, Runtime> | string {
  if (platform !== 'linux' || isMusl() || !['x64', 'arm64'].includes(arch)) {
    return `the runtimes are taken from packages for Linux with glibc on x64 or arm64, and this is ${platform} on ${arch}.`
  }
  const wanted = Object.entries(RUNTIMES)
  const folderOf = (name: string) => name.toLowerCase().replace(' ', '-')
  const dependencies = wanted.map(([name, { packageName, version }]) => [
    folderOf(name),
    `npm:${packageName}@${version}`,
  ])
  const manifest = JSON.stringify({ private: true, dependencies: Object.fromEntries(dependencies) })
  const runtimes = new Map(
    wanted.map(([name, { program, args }]) => {
      return [name, { command: join(FOLDER, 'node_modules', folderOf(name), program), args }]
    }),
  )
  const isThere = [...runtimes.values()].every(({ command }) => existsSync(command))
  if (!isThere || readIfThere(join(FOLDER, 'package.json')) !== manifest) {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(join(FOLDER, 'package.json'), manifest)
    process.stdout.write(`Installing ${wanted.map(([name]) => name).join(', ')} …\n`)
    const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', ['install', '--prefix', FOLDER, ...options], { stdio: 'inherit' })
  }
  writeFileSync(NO_PATHS, '{}')
  return runtimes
}

function isMusl(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime === undefined
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
