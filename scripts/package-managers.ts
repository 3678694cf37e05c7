// npm run package-managers: installs the packed packages from files with each package manager, and uses them. Names that
// begin with @fish-crab are asked of a registry that does not exist, so that nothing can come from elsewhere.

import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textTable } from './lib/text-table.ts'
import { type ChildEnv, run } from './test-support/child-process.ts'
import { PROJECT } from './test-support/language-tools.ts'

interface Manager {
  /** The npm package of the manager. */
  readonly packageName: string
  /** Runs the manager: a program in `node_modules/.bin` of the folder with the managers. */
  readonly program: string
  readonly add: readonly string[]
  /** Runs a program of an installed package. */
  readonly exec: readonly string[]
}

const MANAGERS: Readonly<Record<string, Manager>> = {
  npm: {
    packageName: 'npm@12.2.2',
    program: 'npm',
    add: ['install', '--ignore-scripts'],
    exec: ['exec', '--offline', '--'],
  },
  pnpm: { packageName: 'pnpm@12.21.0', program: 'pnpm', add: ['add', '--ignore-scripts'], exec: ['exec'] },
  Yarn: { packageName: '@yarnpkg/cli-dist@4.18.1', program: 'yarn', add: ['add'], exec: ['exec'] },
  Bun: { packageName: 'bun@1.4.5', program: 'bun', add: ['add', '--ignore-scripts'], exec: ['run'] },
}
const NO_REGISTRY = 'http://127.0.0.1:9/'
const MAX_MS = 180_000
/** The managers need the proxy and the certificates of this machine. */
const ENV = process.env as ChildEnv

const PROGRAM = `import { createClient, type Gamemode, NotFoundError } from '@fish-crab/sdk'
import { createMock, type Gamemode as GamemodeOfMocks } from '@fish-crab/mocks'
import type { Gamemode as GamemodeOfServer } from '@fish-crab/server/app'

const gamemode: GamemodeOfMocks & GamemodeOfServer = 'earth' satisfies Gamemode
const mock = await createMock({ gamemodes: [gamemode], seed: { users: [{ name: 'Alex' }] } })
const client = createClient({ ...mock.client('Alex'), gamemode })
await client.fish.add({ name: 'Salmon', rarity: 'gold' })
const missing = await client.fish.list({ user: 'Nobody' }).catch((error: unknown) => error)
console.log(mock.sent.fish().length, missing instanceof NotFoundError)
`

const folder = await mkdtemp(join(tmpdir(), 'fish-managers-'))
try {
  process.exitCode = await tryAll(process.argv.slice(2))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function tryAll(only: readonly string[]): Promise<number> {
  const tarballs = join(folder, 'tarballs')
  await mkdir(tarballs)
  const packages = ['sdk', 'server', 'mocks', 'cli'].map((name) => `--workspace=${name}`)
  await succeed(
    'npm',
    ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', tarballs, ...packages],
    PROJECT,
  )
  const wanted = Object.entries(MANAGERS).filter(([name]) => only.length === 0 || only.includes(name))
  const managers = join(folder, 'managers')
  await mkdir(managers)
  await writeFile(join(managers, 'package.json'), '{}')
  await succeed(
    'npm',
    ['install', '--no-audit', '--no-fund', ...wanted.map(([, { packageName }]) => packageName)],
    managers,
  )

  const rows = [['', 'installs', 'types', 'runs', 'fish-cli']]
  let failures = 0
  for (const [name, manager] of wanted) {
    const { packages, types, prints, version } = await tryManager(name, manager, tarballs)
    if (types !== '' || prints !== '1 true' || !version.startsWith('fish-cli/')) failures += 1
    rows.push([name, `${packages} folders`, types || 'ok', prints, version])
  }
  process.stdout.write(textTable(rows))
  return failures === 0 ? 0 : 1
}

async function tryManager(name: string, { program, add, exec }: Manager, tarballs: string) {
  const command = join(folder, 'managers/node_modules/.bin', program)
  const project = join(folder, name)
  await mkdir(project)
  const registry = (await succeed('npm', ['config', 'get', 'registry'], PROJECT)).trim()
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await writeFile(join(project, '.npmrc'), `registry=${registry}\n@fish-crab:registry=${NO_REGISTRY}\n`)
  const scopes = { 'fish-crab': { npmRegistryServer: NO_REGISTRY } }
  const yarn = {
    npmRegistryServer: registry,
    npmScopes: scopes,
    enableScripts: false,
    unsafeHttpWhitelist: ['127.0.0.1'],
  }
  // JSON is YAML.
  await writeFile(
    join(project, '.yarnrc.yml'),
    JSON.stringify({ ...yarn, enableTelemetry: false, enableGlobalCache: false }),
  )
  await writeFile(join(project, 'program.ts'), PROGRAM)
  const files = await readdir(tarballs)
  await cp(tarballs, join(project, 'tarballs'), { recursive: true })
  const named = files.map((file) => {
    const packageName = file.replace(/-\d.*/, '').replace('fish-crab-', '@fish-crab/')
    return `${packageName}@file:./tarballs/${file}`
  })
  await succeed(command, [...add, ...named], project)
  // Yarn installs no folder that the compiler could read.
  const isReadable = name !== 'Yarn'
  const compiler = join(PROJECT, 'node_modules/typescript/bin/tsc')
  const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2024']
  const types = isReadable
    ? await run(process.execPath, [compiler, ...strict, 'program.ts'], {}, project, { maxMs: MAX_MS })
    : undefined
  const printed = await succeed(command, [...(name === 'Bun' ? ['run'] : [...exec, 'node']), 'program.ts'], project)
  const installed = isReadable ? (await readdir(join(project, 'node_modules'))).length : files.length
  return {
    packages: installed,
    types: types ? types.stdout.trim() : '',
    prints: printed.trim(),
    version: (await succeed(command, [...exec, 'fish-cli', '--version'], project)).trim(),
  }
}

async function succeed(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, ENV, cwd, { maxMs: MAX_MS })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}
