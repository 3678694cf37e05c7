// The start of the single executable. Node runs this file from the executable, where `require` finds only built-in
// modules. The program itself is unpacked, because workers, ES modules and native modules need files.
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire, enableCompileCache, registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { getAsset, getRawAsset } from 'node:sea'
import { brotliDecompressSync } from 'node:zlib'
import { VACUUM_PART, vacuumInto } from '../../../server/src/maintenance/core/vacuum.ts'
import { cacheFolder } from '../session/paths.ts'
import { tryFastPath } from './fast-path.ts'

/** Files that are unpacked together. */
interface Part {
  /** The asset with the compressed files. */
  readonly name: string
  /** The part is needed before the first import of a module whose specifier starts with this text. */
  readonly specifier?: string
  /** In the order of their bytes. */
  readonly files: readonly { readonly path: string; readonly size: number; readonly sha256: string }[]
}

interface Index {
  /** The hash of all files. */
  readonly id: string
  readonly parts: readonly Part[]
}

const FOLDER = /^program-[0-9a-f]{16}$/
const APP_NAME = /^fish[ -]?collection\b/i
const DAY_MS = 24 * 60 * 60 * 1000
const UNUSED_DAYS = 30

function start(): void {
  if (process.argv[2] === VACUUM_PART) {
    vacuumInto(process.argv.slice(3))
    return
  }
  // A double-click on the file with this name opens the program for players.
  if (process.argv.length === 2 && APP_NAME.test(basename(process.execPath))) {
    // While the process of a bundle runs, macOS starts no second one, which would open the page again.
    if (process.platform === 'darwin') {
      spawn(process.execPath, ['app'], { detached: true, stdio: 'ignore' }).unref()
      return
    }
    process.argv.push('app')
  }
  // NO_COLOR overrides FORCE_COLOR. Node warns if both are set.
  delete process.env[process.env.NO_COLOR ? 'FORCE_COLOR' : 'NO_COLOR']
  const pages: Readonly<Record<string, string>> = JSON.parse(getAsset('pages', 'utf8'))
  if (tryFastPath(process.argv.slice(2), { root: openProgram, read: (path) => pages[path] })) return
  const load = createRequire(join(openProgram(), 'dist', 'main.cjs'))
  const { main } = load('./main.cjs') as typeof import('./main.ts')
  void main()
}

/** Unpacks the program, and returns its folder. Unpacks each further part before the first import from it. */
function openProgram(): string {
  const { id, parts }: Index = JSON.parse(getAsset('index', 'utf8'))
  const needed = new Set(parts)
  const cache = cacheFolder(process.platform, process.env)
  const own = cache && join(cache, `program-${id.slice(0, 16)}`)
  const unpackFor = (to: string, specifier: string) =>
    [...needed]
      .filter((part) => specifier.startsWith(part.specifier ?? ''))
      .every((part) => unpack(part, to) && needed.delete(part))
  const isCached = own !== undefined && unpackFor(own, '')
  const folder = isCached ? own : temporaryFolder()
  const prepare = (specifier: string) => {
    if (!unpackFor(folder, specifier)) throw new Error(`The program cannot be written to ${folder}.`)
  }
  prepare('')
  if (cache && isCached) {
    keepFolder(folder)
    removeUnused(cache)
    enableCompileCache(cache)
  }
  registerHooks({
    resolve(specifier, context, next) {
      prepare(specifier)
      return next(specifier, context)
    },
  })
  return folder
}

/**
 * Writes each file that is missing or does not have its bytes, since a full disk or another program may have changed
 * it. Each file is replaced by a rename, so that a process that runs from this folder never reads half a file. Returns
 * whether all files have their bytes.
 */
function unpack({ name, files }: Part, folder: string): boolean {
  const isIntact = ({ path, sha256 }: Part['files'][number]) => {
    try {
      return hash('sha256', readFileSync(join(folder, path))) === sha256
    } catch {
      return false
    }
  }
  if (files.every(isIntact)) return true
  const bytes = brotliDecompressSync(new Uint8Array(getRawAsset(name)))
  let offset = 0
  try {
    for (const file of files) {
      const { path, size } = file
      const content = bytes.subarray(offset, offset + size)
      offset += size
      if (isIntact(file)) continue
      const target = join(folder, path)
      const draft = `${target}.${process.pid}`
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      writeFileSync(draft, content, { mode: 0o600 })
      renameSync(draft, target)
    }
    return true
  } catch {
    // The folder is read-only, the disk is full, or another process has just unpacked the program and runs it (Windows).
    return files.every(isIntact)
  }
}

/** Marks the folder as used at each start and on each day, because a server imports parts of itself long after its start. */
function keepFolder(folder: string): void {
  const touch = () => {
    try {
      utimesSync(folder, new Date(), new Date())
    } catch {
      // A read-only folder is complete, and no other version removes it.
    }
  }
  touch()
  setInterval(touch, DAY_MS).unref()
}

/** Removes versions that no process has used for {@link UNUSED_DAYS}: an older version may still run. */
function removeUnused(cache: string): void {
  try {
    for (const name of readdirSync(cache)) {
      const other = join(cache, name)
      const isUnused = () => statSync(other).mtimeMs < Date.now() - UNUSED_DAYS * DAY_MS
      if (FOLDER.test(name) && isUnused()) rmSync(other, { recursive: true, force: true })
    }
  } catch {
    // Another process removes the same folder, or the cache is read-only.
  }
}

/** A folder for this run. A killed process leaves the folder behind. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fish-cli-'))
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Windows does not remove a native module that is loaded.
    }
  })
  return folder
}

start()
