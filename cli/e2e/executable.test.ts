import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { NtExecutable, NtExecutableResource, Resource } from 'resedit'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../test/folders.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = join(ROOT, 'executables')
const FILE = join(FOLDER, 'fish-cli-linux-x64')
const DOWNLOAD = join(FOLDER, 'Fish-Collection-linux-x64.tar.gz')
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const EM_AARCH64 = 183
const IMAGE_FILE_MACHINE_AMD64 = 0x8664
const [WINDOWS_GUI, WINDOWS_CONSOLE] = [2, 3]
const LIMIT_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
const isLinux = process.platform === 'linux' && process.arch === 'x64'

const build = (target = 'linux-x64') =>
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'executables.ts'), target], { encoding: 'utf8' })
const checkSums = (...files: readonly string[]) =>
  execFileSync('sha256sum', ['--check', ...files.map((file) => `${file}.sha256`)], { cwd: FOLDER })

/** Runs the executable without Node on the PATH. */
async function fish(home: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home }
  const { stdout } = await promisify(execFile)(FILE, args, { env, timeout: LIMIT_MS })
  return stdout
}

const cacheOf = (home: string) => join(home, '.cache', 'fish-cli')
const programsIn = (home: string) => readdirSync(cacheOf(home)).filter((name) => name.startsWith('program-'))
const programOf = (home: string) => join(cacheOf(home), programsIn(home)[0] ?? '')

async function serve(env: Readonly<Record<string, string>>): Promise<{ child: ChildProcess; url: string }> {
  const settings = { PATH: '/usr/bin:/bin', FISH_LOG: 'silent', FISH_ADMIN_PASSWORD: 'canary-admin-password', ...env }
  const args = ['serve', '--port', '0', '--storage', 'memory:']
  const child = spawn(FILE, args, { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  let output = ''
  for await (const text of child.stdout) {
    output += text
    const [, url] = /^listening on (\S+)$/m.exec(output) ?? []
    if (url) return { child, url }
  }
  throw new Error(`It did not start: ${output}`)
}

/** Unpacks the download for players, and returns the folder. */
function unpackDownload(): string {
  const parent = newFolder()
  execFileSync('tar', ['-xzf', DOWNLOAD, '-C', parent])
  return join(parent, 'Fish Collection')
}

/** The command line of a desktop entry, as a desktop makes it for `sh`. */
function commandOf(entry: string): string {
  const [, line = ''] = /^Exec=(.*)$/m.exec(readFileSync(entry, 'utf8')) ?? []
  return line.replaceAll('\\\\', '\\').replace('%k', `'${entry}'`)
}

describe.runIf(isLinux)('the executable', () => {
  let built = ''
  beforeAll(() => {
    built = build()
  })

  test('shows the demo, serves, stores the catches of a growing log, loses nothing at a kill and opens the program for players', async () => {
    const script = join(ROOT, 'scripts', 'smoke-executable.mjs')
    await promisify(execFile)(process.execPath, [script, FILE, DOWNLOAD], { env: {}, timeout: 3 * LIMIT_MS })
  })

  test('has the same bytes when it is built again', () => {
    expect(build()).toBe(built)
  })

  test('shows its version and its help without unpacking anything', async () => {
    const home = newFolder()
    expect(await fish(home, '--version')).toMatch(/^fish-cli\/\S+ linux-x64 node-v/)
    expect(await fish(home, 'list', '--help')).toContain('fish-cli list')
    expect(readdirSync(home)).toEqual([])
  })

  test('prints the licences of Node and of all bundled software', async () => {
    const licences = await fish(newFolder(), 'licences')
    for (const text of ['Node.js is licensed', '@oclif/core', 'undici', 'SIL OPEN FONT LICENSE'])
      expect(licences).toContain(text)
  })

  test('unpacks itself for this user only', async () => {
    const home = newFolder()
    await fish(home, 'config')
    expect(statSync(programOf(home)).mode & 0o777).toBe(0o700)
    expect(statSync(join(programOf(home), 'dist', 'main.cjs')).mode & 0o777).toBe(0o600)
  })

  test.each(['dist/main.cjs', 'dist/services/mocks.js'])('replaces %s if it is changed or truncated', async (file) => {
    const home = newFolder()
    const expected = await fish(home, 'demo')
    const path = join(programOf(home), file)
    const { size } = statSync(path)
    writeFileSync(path, 'process.exit(99)'.padEnd(size))
    expect(await fish(home, 'demo')).toBe(expected)
    truncateSync(path, size / 2)
    expect(await fish(home, 'demo')).toBe(expected)
    expect(statSync(path).size).toBe(size)
  })

  test('starts four times at once with an empty cache', async () => {
    const home = newFolder()
    const outputs = await Promise.all(Array.from({ length: 4 }, () => fish(home, 'demo')))
    expect(new Set(outputs).size).toBe(1)
    const drafts = readdirSync(programOf(home), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.\d+$/.test(name),
    )
    expect(drafts).toEqual([])
  })

  test('removes a version that was unused for 30 days, but not one that may still run', async () => {
    const home = newFolder()
    const [unused, recent] = ['program-0000000000000000', 'program-1111111111111111']
    for (const [name, days] of [
      [unused, 31],
      [recent, 29],
    ] as const) {
      const folder = join(cacheOf(home), name)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const usedAt = new Date(Date.now() - days * DAY_MS)
      utimesSync(folder, usedAt, usedAt)
    }
    chmodSync(join(home, '.cache'), 0o700)
    await fish(home, 'config')
    expect(programsIn(home)).toHaveLength(2)
    expect(programsIn(home)).toContain(recent)
  })

  test('marks its version as used at each start', async () => {
    const home = newFolder()
    await fish(home, 'config')
    const folder = programOf(home)
    utimesSync(folder, 0, 0)
    await fish(home, 'config')
    expect(statSync(folder).mtimeMs).toBeGreaterThan(Date.now() - LIMIT_MS)
  })

  test('serves without a home that can be written, and removes its temporary files at the end', async () => {
    const temporary = newFolder()
    const { child, url } = await serve({ HOME: '/proc', TMPDIR: temporary })
    expect((await fetch(`${url}/status`)).status).toBe(200)
    expect((await fetch(`${url}/docs`)).status).toBe(200)
    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(readdirSync(temporary)).toEqual([])
    expect(existsSync('/proc/.cache')).toBe(false)
  })

  test('is packed for players with a desktop entry and a drawing', () => {
    checkSums('fish-cli-linux-x64', 'Fish-Collection-linux-x64.tar.gz')
    const folder = unpackDownload()
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])
    expect(Object.fromEntries(modes)).toEqual({
      'Fish Collection': 0o755,
      'Fish Collection.desktop': 0o755,
      'fish-collection.svg': 0o644,
    })
    expect(readFileSync(join(folder, 'Fish Collection')).equals(readFileSync(FILE))).toBe(true)
  })

  test.each([
    ['file', (folder: string) => `"${join(folder, 'Fish Collection')}"`],
    ['desktop entry', (folder: string) => commandOf(join(folder, 'Fish Collection.desktop'))],
  ])('opens the program for players from its %s, without arguments', async (_, commandIn) => {
    const home = newFolder()
    const browser = join(home, 'browser')
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${home}/opened'\n`, { mode: 0o755 })
    const env = { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home, BROWSER: browser, FISH_SECRET_STORE: 'file' }
    const child = spawn('sh', ['-c', `exec ${commandIn(unpackDownload())}`], { env, cwd: home })
    onTestFinished(async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    })
    const [output] = await once(child.stdout, 'data')
    const [address = ''] = /http:\/\/\S+/.exec(String(output)) ?? []
    expect((await fetch(address)).status).toBe(200)
    expect(readFileSync(join(home, 'opened'), 'utf8')).toMatch(/^file:.*\.html$/)
  })

  test('is built for Linux on ARM, with its program inside', () => {
    const [, program] = / program (\w+)/.exec(build('linux-arm64')) ?? []
    checkSums('fish-cli-linux-arm64', 'Fish-Collection-linux-arm64.tar.gz')
    const bytes = readFileSync(join(FOLDER, 'fish-cli-linux-arm64'))
    expect(bytes.toString('latin1', 0, 4)).toBe('\x7fELF')
    expect(bytes.readUInt16LE(18)).toBe(EM_AARCH64)
    expect(bytes.includes(`${FUSE}:1`)).toBe(true)
    expect(bytes.includes(`{"id":"${program}"`)).toBe(true)
  })

  test('is built for Windows, with its program, its name and no console window for players', () => {
    const [, program, blob] = / program (\w+) {2}blob (\w+)/.exec(build('windows-x64')) ?? []
    checkSums('fish-cli-windows-x64.exe', 'Fish-Collection-windows-x64.exe')
    const subsystems = ['fish-cli', 'Fish-Collection'].map((name) => {
      const bytes = readFileSync(join(FOLDER, `${name}-windows-x64.exe`))
      expect(bytes.includes(`${FUSE}:1`)).toBe(true)
      expect(bytes.includes(`{"id":"${program}"`)).toBe(true)
      const executable = NtExecutable.from(bytes)
      const { entries } = NtExecutableResource.from(executable)
      const { fileHeader, optionalHeader } = executable.newHeader
      expect(fileHeader.machine).toBe(IMAGE_FILE_MACHINE_AMD64)
      const embedded = entries.find(({ id }) => id === 'NODE_SEA_BLOB')
      expect(hash('sha256', Buffer.from(embedded?.bin ?? new ArrayBuffer()))).toBe(blob)
      const [information] = Resource.VersionInfo.fromEntries(entries)
      expect(information?.getStringValues({ lang: 1033, codepage: 1200 })).toMatchObject({
        FileDescription: 'Fish Collection',
      })
      return optionalHeader.subsystem
    })
    expect(subsystems).toEqual([WINDOWS_CONSOLE, WINDOWS_GUI])
  })
})
