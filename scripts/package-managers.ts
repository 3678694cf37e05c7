// npm run package-managers: installs the packed packages from files with each package manager, and uses them. Scoped
// packages of this project resolve to a registry that does not exist, so that only the tarballs can provide them.

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

/** The oldest compiler that the documentation names. It is installed beside the package managers. */
const OLDEST_COMPILER = 'typescript@5.0.4'
const COMPILE = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'esnext,dom']

const folder = await mkdtemp(join(tmpdir(), 'fish-managers-'))
const tarballs = join(folder, 'tarballs')
const managers = join(folder, 'managers/node_modules')
try {
  process.exitCode = await tryAll()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function tryAll(): Promise<number> {
  await mkdir(tarballs)
  const packages = ['sdk', 'server', 'mocks', 'cli'].map((name) => `--workspace=${name}`)
  const pack = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', tarballs]
  await succeed('npm', [...pack, ...packages], PROJECT)
  const selected = Object.entries(MANAGERS)
  const programs = selected.map(([, { packageName }]) => packageName)
  await succeed('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--prefix',
    join(folder, 'managers'),
    ...programs,
    OLDEST_COMPILER,
  ])

  const rows = [['', 'program', 'fish-cli', 'types']]
  const problems: string[] = []
  for (const [name, manager] of selected) {
    const { printed, version, typeErrors } = await tryManager(name, manager)
    rows.push([name, printed, version, typeErrors === undefined ? 'not compiled' : typeErrors ? 'wrong' : 'ok'])
    if (typeErrors) problems.push(typeErrors)
    if (printed !== '1 true') problems.push(`${name}: the program printed ${printed}`)
    if (!version.startsWith('fish-cli/')) problems.push(`${name}: fish-cli printed ${version}`)
  }
  process.stdout.write([textTable(rows), ...problems].join('\n'))
  return problems.length === 0 ? 0 : 1
}

/** Installs the tarballs in a new project, and uses them. */
async function tryManager(name: string, { program, add, exec }: Manager) {
  const command = join(managers, '.bin', program)
  const project = join(folder, name)
  await mkdir(project)
  await cp(tarballs, join(project, 'tarballs'), { recursive: true })
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await writeFile(join(project, 'program.ts'), PROGRAM)
  const npmRegistryServer = (await succeed('npm', ['config', 'get', 'registry'])).trim()
  await writeFile(join(project, '.npmrc'), `registry=${npmRegistryServer}\n@fish-crab:registry=${NO_REGISTRY}\n`)
  const settings = {
    npmRegistryServer,
    npmScopes: { 'fish-crab': { npmRegistryServer: NO_REGISTRY } },
    unsafeHttpWhitelist: ['127.0.0.1'],
    enableScripts: false,
    enableGlobalCache: false,
    enableTelemetry: false,
  }
  // JSON is valid YAML.
  await writeFile(join(project, '.yarnrc.yml'), JSON.stringify(settings))

  const packages = (await readdir(tarballs)).map((file) => {
    const packageName = file.replace(/-\d.*/, '').replace('fish-crab-', '@fish-crab/')
    return `${packageName}@file:./tarballs/${file}`
  })
  await succeed(command, [...add, ...packages], project)
  const runProgram = name === 'Bun' ? ['run', 'program.ts'] : [...exec, 'node', 'program.ts']
  return {
    printed: (await succeed(command, runProgram, project)).trim(),
    version: (await succeed(command, [...exec, 'fish-cli', '--version'], project)).trim(),
    // Yarn keeps packages in archives, which the compiler alone cannot read.
    typeErrors: name === 'Yarn' ? undefined : await compile(project),
  }
}

/** Compiles with the compiler of this project, and with the oldest one that the documentation names. */
async function compile(project: string): Promise<string> {
  const newest = [join(PROJECT, 'node_modules/typescript/bin/tsc'), ...COMPILE]
  const oldest = [join(managers, 'typescript/bin/tsc'), ...COMPILE, '--skipLibCheck']
  const outputs: string[] = []
  for (const compiler of [newest, oldest]) {
    const args = [...compiler, 'program.ts']
    const { status, stdout, stderr } = await run(process.execPath, args, ENV, project, { maxMs: MAX_MS })
    if (status !== 0) outputs.push(stdout || stderr || `The compiler ended with ${status}.`)
  }
  return outputs.join('')
}

async function succeed(command: string, args: readonly string[], cwd = folder): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, ENV, cwd, { maxMs: MAX_MS })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}
