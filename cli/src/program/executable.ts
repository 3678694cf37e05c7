// The start of the single executable. Node runs this file from the executable, where `require` finds only built-in
// modules. The program itself is unpacked once, because workers, ES modules and native modules need files.
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getAsset, getRawAsset } from 'node:sea'
import { brotliDecompressSync } from 'node:zlib'
import { VACUUM_PART, vacuumInto } from '../../../server/src/maintenance/core/vacuum.ts'
import { cacheFolder } from '../session/paths.ts'

/** The files of the program, in the order of their bytes. */
interface Index {
  /** The hash of all files. */
  readonly id: string
  readonly files: readonly { readonly path: string; readonly size: number; readonly sha256: string }[]
}

const FOLDER = /^program-[0-9a-f]{16}$/

function start(): void {
  if (process.argv[2] === VACUUM_PART) {
    vacuumInto(process.argv.slice(3))
    return
  }
  // NO_COLOR overrides FORCE_COLOR. Node warns if both are set.
  delete process.env[process.env.NO_COLOR ? 'FORCE_COLOR' : 'NO_COLOR']
  const index: Index = JSON.parse(getAsset('index', 'utf8'))
  const cache = cacheFolder(process.platform, process.env)
  const folder = (cache && unpackOnce(index, cache)) ?? unpackForThisRun(index)
  const load = createRequire(join(folder, 'dist', 'main.cjs'))
  const { tryFastPath } = load('./fast-path.cjs') as typeof import('./fast-path.ts')
  if (tryFastPath(process.argv.slice(2), folder)) return
  if (cache) enableCompileCache(cache)
  const { main } = load('./main.cjs') as typeof import('./main.ts')
  void main()
}

/** Returns the folder with the program, or `undefined` if the cache cannot be written. */
function unpackOnce(index: Index, cache: string): string | undefined {
  const name = `program-${index.id.slice(0, 16)}`
  const folder = join(cache, name)
  if (isIntact(index, folder)) return folder
  const draft = join(cache, `${name}.${process.pid}`)
  try {
    unpack(index, draft)
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
    for (const other of readdirSync(cache)) {
      if (FOLDER.test(other) && other !== name) rmSync(join(cache, other), { recursive: true, force: true })
    }
    return folder
  } catch {
    rmSync(draft, { recursive: true, force: true })
    // Another process may have unpacked the program at the same time.
    return isIntact(index, folder) ? folder : undefined
  }
}

function unpackForThisRun(index: Index): string {
  const folder = mkdtempSync(join(tmpdir(), 'fish-cli-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  unpack(index, folder)
  return folder
}

function unpack({ files }: Index, folder: string): void {
  const bytes = brotliDecompressSync(new Uint8Array(getRawAsset('files')))
  let offset = 0
  for (const { path, size } of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, bytes.subarray(offset, offset + size), { mode: 0o600 })
    offset += size
  }
}

/** Whether every file has its bytes. A full disk or another program may have changed them. */
function isIntact({ files }: Index, folder: string): boolean {
  try {
    return files.every(({ path, sha256 }) => hash('sha256', readFileSync(join(folder, path))) === sha256)
  } catch {
    return false
  }
}

start()
