// npm run runtimes [name …]: tests the built packages on every runtime that they support, and prints the results.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { EXPECTED, tryHost } from '../examples/e2e/hosts.ts'
import { installPacked } from '../examples/e2e/packed.ts'
import { type Outcome, PROGRAMS, type Runtime, runSmoke } from '../sdk/e2e/runtimes.ts'
import { textTable } from './lib/text-table.ts'

// The runtimes have a separate folder, so that `npm ci` does not install half a gigabyte of programs.
const FOLDER = fileURLToPath(new URL('../node_modules/.cache/runtimes', import.meta.url))
const NO_PATHS = join(FOLDER, 'tsconfig.json')

const { platform, arch } = process
const node = { program: 'bin/node', args: [] }

/**
 * The oldest supported Node, the newest one, a version between them, and other runtimes. Each npm package contains only
 * the program for this machine.
 */
const RUNTIMES: Readonly<Record<string, Runtime & { readonly source: string }>> = Object.fromEntries(
  [
    { name: 'Node 22.19', source: `node-${platform}-${arch}@22.19.0`, ...node },
    { name: 'Node 24', source: `node-${platform}-${arch}@24.21.0`, ...node },
    { name: 'Node 26', source: `node-${platform}-${arch}@26.10.0`, ...node },
    {
      name: 'Bun',
      source: `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}@1.4.5`,
      program: 'bin/bun',
      // Without the override, Bun resolves packages to their sources by the `paths` in the project's tsconfig.json.
      args: ['--no-install', `--tsconfig-override=${NO_PATHS}`, 'run'],
    },
    {
      name: 'Deno',
      source: `@deno/${platform}-${arch}-glibc@2.9.6`,
      program: 'deno',
      args: ['run', '--allow-all', '--no-check', '--no-lock', '--cached-only'],
    },
    {
      // The runtime of Cloudflare Workers.
      name: 'workerd',
      source: `@cloudflare/workerd-${platform}-${arch === 'arm64' ? arch : '64'}@1.20261117.1`,
      program: 'bin/workerd',
      args: [],
    },
  ].map(({ name, source, program, args }) => {
    return [name, { source, command: join(FOLDER, 'node_modules', folderOf(name), program), args }]
  }),
)

interface Column {
  readonly title: string
  readonly outcomes: readonly Outcome[]
}

/** Runs the example for a runtime in a folder. Runtimes that have no host example are not listed. */
const HOST_EXAMPLES: Readonly<Record<string, (folder: string, runtime: Runtime) => Promise<unknown>>> = {
  Bun: (folder, runtime) => tryHost(join(folder, 'hosts/bun.ts'), {}, runtime),
  Deno: (folder, runtime) => tryHost(join(folder, 'hosts/deno.ts'), { FISH_STORAGE: 'memory:' }, runtime),
  workerd: (folder, { command }) => tryHost(join(folder, 'serve-worker.ts'), { WORKERD: command }),
}

const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } }
if (platform === 'linux' && header.glibcVersionRuntime !== undefined && ['x64', 'arm64'].includes(arch)) {
  installRuntimes()
  process.exitCode = await tryAll(process.argv.slice(2))
} else {
  process.stdout.write(
    `Skipped: the runtimes need Linux with glibc on x64 or arm64, and this is ${platform} on ${arch}.\n`,
  )
}

function folderOf(name: string): string {
  return name.toLowerCase().replace(' ', '-')
}

/** Installs missing or outdated runtimes. No install script runs, and nothing else is downloaded. */
function installRuntimes(): void {
  const entries = Object.entries(RUNTIMES)
  const dependencies = entries.map(([name, { source }]) => [folderOf(name), `npm:${source}`])
  const manifest = JSON.stringify({ private: true, dependencies: Object.fromEntries(dependencies) })
  const file = join(FOLDER, 'package.json')
  const isInstalled = [file, ...entries.map(([, { command }]) => command)].every((path) => existsSync(path))
  if (!isInstalled || readFileSync(file, 'utf8') !== manifest) {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, manifest)
    process.stdout.write(`Installing ${Object.keys(RUNTIMES).join(', ')} …\n`)
    const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', ['install', '--prefix', FOLDER, ...options], { stdio: 'inherit' })
  }
  writeFileSync(NO_PATHS, '{}')
}

async function tryAll(only: readonly string[]): Promise<number> {
  const columns: Column[] = []
  for (const [name, runtime] of Object.entries(RUNTIMES)) {
    if (only.length > 0 && !only.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue
    for (const program of Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]) {
      // The program `server` needs Node. The program `host` needs a built-in server for a `Request`, which Node does
      // not have. workerd runs only Workers, and none of the programs.
      if (program === (name.startsWith('Node') ? 'host' : 'server') || name === 'workerd') continue
      columns.push({ title: `${name} ${program}`, outcomes: await runSmoke(runtime, program) })
    }
    const example = HOST_EXAMPLES[name]
    if (example) {
      const run = (folder: string) => example(folder, runtime)
      columns.push({ title: `${name} example`, outcomes: [await tryExample(run)] })
    }
  }
  process.stdout.write(table(columns))
  const outcomes = columns.flatMap(({ title, outcomes }) => outcomes.map((outcome) => ({ title, ...outcome })))
  for (const { title, check, outcome, detail } of outcomes) {
    if (outcome !== 'ok') process.stdout.write(`\n${title}, ${check}: ${outcome}\n${detail ?? ''}\n`)
  }
  return columns.length > 0 && outcomes.every(({ outcome }) => outcome !== 'failed') ? 0 : 1
}

/** Runs the example of a host with the packed packages. */
async function tryExample(run: (folder: string) => Promise<unknown>): Promise<Outcome> {
  const check = 'example of a host'
  const installed = await installPacked()
  try {
    const result = await run(installed.folder)
    const outcome = isDeepStrictEqual(result, EXPECTED) ? 'ok' : 'failed'
    return { check, outcome, detail: JSON.stringify(result) }
  } catch (error) {
    return { check, outcome: 'failed', detail: String(error) }
  } finally {
    await installed.remove()
  }
}

function table(columns: readonly Column[]): string {
  const checks = [...new Set(columns.flatMap(({ outcomes }) => outcomes.map(({ check }) => check)))]
  const outcomeOf = ({ outcomes }: Column, name: string) => outcomes.find(({ check }) => check === name)?.outcome ?? '-'
  const rows = [
    ['', ...columns.map(({ title }) => title)],
    ...checks.map((check) => [check, ...columns.map((column) => outcomeOf(column, check))]),
  ]
  return textTable(rows)
}
