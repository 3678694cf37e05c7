import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { findPage, helpWords } from '../src/core/argv.ts'
import { EXIT, stdoutError } from '../src/core/errors.ts'
import { COMMANDS } from '../src/program/commands.ts'
import { cacheFolder, cachePath } from '../src/session/paths.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'
import { startFish } from './stdin-processes.ts'

const PROGRAM = inject('program')

function launch(argv: readonly string[], stdout: 'pipe' | number) {
  const child = spawn(process.execPath, [PROGRAM, ...argv], {
    env: { PATH: process.env.PATH, HOME: '/dev/null/home' },
    stdio: ['ignore', stdout, 'pipe'],
  })
  const errors: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => errors.push(piece))
  return { child, ended: once(child, 'close').then(([status]) => ({ status, stderr: errors.join('') })) }
}

describe('output to stdout', () => {
  const full = existsSync('/dev/full')
  test.skipIf(!full)(
    `fails with a single error when the disk is full${full ? '' : ' (skipped: no /dev/full here)'}`,
    async () => {
      const { ended } = launch(['help', 'exit-codes'], openSync('/dev/full', 'w'))
      expect(await ended).toEqual({
        status: 1,
        stderr:
          'fish-cli: Cannot write to stdout (ENOSPC: the disk is full).\n' + '  Free some space, or write elsewhere.\n',
      })
    },
  )

  test('ends with exit code 0 if the reader closes the pipe early', async () => {
    const { child, ended } = launch(['help', 'exit-codes'], 'pipe')
    child.stdout?.destroy()
    expect(await ended).toEqual({ status: 0, stderr: '' })
    expect(stdoutError(Object.assign(new Error(), { code: 'EPIPE' }))).toBeUndefined()
    expect(stdoutError(Object.assign(new Error(), { code: 'EIO' }))?.exit).toBe(1)
  })
})

test.each(['20.20.2', '22.18.9'])(
  'Node %s is rejected with a message that contains the required version',
  async (version) => {
    const program = fileURLToPath(new URL('../bin/run.js', import.meta.url))
    const older = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
    const child = spawn(process.execPath, ['--eval', `${older}; require(${JSON.stringify(program)})`])
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(`fish-cli needs Node 22.19 or later; this is Node ${version}.`),
    })
  },
)

describe('help', () => {
  test('exit-codes lists every exit code', async () => {
    const { status, stdout } = await run(['help', 'exit-codes'])
    expect(status).toBe(0)
    for (const code of Object.values(EXIT)) expect(stdout).toMatch(new RegExp(`^ *${code} {2}\\S`, 'm'))
    expect((await run(['--help'])).stdout).toContain('fish-cli help exit-codes')
  })

  test('describes every topic of the command list', async () => {
    const first = COMMANDS.ids.flatMap((id) => (id.includes(':') ? [id.replace(/:.*/, '')] : []))
    expect(Object.keys(COMMANDS.topics).toSorted()).toEqual([...new Set(first)].toSorted())
    const root = await run(['--help'])
    for (const [topic, description] of Object.entries(COMMANDS.topics)) {
      expect(root.stdout).toContain(description)
      expect((await run([topic, '--help'])).stdout).toContain(`${topic} `)
    }
  })

  test('is shown for help, for --help and for an empty command line, but not if --help follows --', () => {
    expect(helpWords([])).toEqual([])
    expect(helpWords(['help', 'user', 'create'])).toEqual(['user', 'create'])
    expect(helpWords(['list', 'Alex', '--help', '--json'])).toEqual(['list', 'Alex'])
    expect(helpWords(['list', 'Alex', '-h'])).toEqual(['list', 'Alex'])
    expect(helpWords(['list', '--', '--help'])).toBeUndefined()
    expect(helpWords(['list'])).toBeUndefined()
  })

  test('is shown for the longest command or topic at the start of the typed words', () => {
    const ids = new Set([...COMMANDS.ids, ...Object.keys(COMMANDS.topics)])
    expect(findPage([], ids)).toBe('')
    expect(findPage(['user', 'create', 'Alex'], ids)).toBe('user:create')
    expect(findPage(['user', 'fly'], ids)).toBe('user')
    expect(findPage(['list', 'Alex'], ids)).toBe('list')
    expect(findPage(['fly'], ids)).toBeUndefined()
  })
})

describe('compiled code', () => {
  test('is cached in the cache folder of the current user', () => {
    expect(cachePath('linux', { HOME: '/home/me', XDG_CACHE_HOME: '/c' })).toBe('/c/fish-cli')
    expect(cachePath('linux', { HOME: '/home/me', XDG_CACHE_HOME: 'relative' })).toBe('/home/me/.cache/fish-cli')
    expect(cachePath('darwin', { HOME: '/Users/me' })).toBe('/Users/me/Library/Caches/fish-cli')
    expect(cachePath('linux', {})).toBeUndefined()
  })

  test('is cached in a folder that only the current user can read, even in a new home folder', () => {
    const HOME = newFolder()
    const folder = join(HOME, '.cache', 'fish-cli')
    expect(cacheFolder('linux', { HOME })).toBe(folder)
    for (const made of [folder, join(HOME, '.cache')]) expect(statSync(made).mode & 0o077).toBe(0)
    expect(cacheFolder('linux', { HOME })).toBe(folder)
  })

  test.runIf(process.geteuid?.() === 0)('is not cached in a folder that another user can change', () => {
    const NOBODY = 65_534
    const make = (name: string) => {
      const XDG_CACHE_HOME = join(newFolder(), name)
      mkdirSync(join(XDG_CACHE_HOME, 'fish-cli'), { recursive: true, mode: 0o700 })
      return { XDG_CACHE_HOME, folder: join(XDG_CACHE_HOME, 'fish-cli') }
    }
    const [foreign, foreignAbove, open, linked] = ['a', 'b', 'c', 'd'].map(make) as ReturnType<typeof make>[]
    for (const given of [foreign, foreignAbove, open, linked])
      expect(cacheFolder('linux', { ...given })).toBe(given?.folder)
    chownSync(foreign?.folder ?? '', NOBODY, NOBODY)
    chownSync(foreignAbove?.XDG_CACHE_HOME ?? '', NOBODY, NOBODY)
    chmodSync(open?.folder ?? '', 0o777)
    renameSync(linked?.folder ?? '', `${linked?.folder}-real`)
    symlinkSync(`${linked?.folder}-real`, linked?.folder ?? '')
    for (const given of [foreign, foreignAbove, open, linked])
      expect(cacheFolder('linux', { ...given })).toBeUndefined()
  })

  test('is not cached if the cache folder cannot be created, and the program does not create the home folder', () => {
    const HOME = join(newFolder(), 'home')
    expect(cacheFolder('linux', { HOME })).toBeUndefined()
    expect(existsSync(HOME)).toBe(false)
    expect(cacheFolder('linux', {})).toBeUndefined()
    writeFileSync(HOME, 'in the way')
    expect(cacheFolder('linux', { XDG_CACHE_HOME: HOME })).toBeUndefined()
  })
})

// In /proc, creating a folder fails with ENOENT although the parent folder exists.
const oddFolder = existsSync('/proc/self')
describe.skipIf(!oddFolder)(
  `a folder in which no folder can be created${oddFolder ? '' : ' (skipped: no /proc here)'}`,
  () => {
    const within = async (argv: readonly string[], env: NodeJS.ProcessEnv) => {
      const child = spawn(process.execPath, argv, {
        env: { PATH: process.env.PATH, HOME: '/dev/null/home', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
      const [status, signal] = await once(child, 'close')
      return { status, signal, said }
    }

    test.each([
      ['XDG_CACHE_HOME', '/proc'],
      ['XDG_CACHE_HOME', '/proc/x'],
      ['XDG_CACHE_HOME', '/proc/x/y'],
      ['HOME', '/proc'],
      ['HOME', '/proc/x'],
    ])('does not stop the program if %s=%s', async (variable, folder) => {
      const source = new URL('../src/session/paths.ts', import.meta.url).href
      const script = `import { cacheFolder, cachePath } from ${JSON.stringify(source)}
      import { enableCompileCache } from 'node:module'
      const folder = cacheFolder('linux', process.env)
      if (folder) enableCompileCache(folder)
      console.log(folder)`
      const { status, said } = await within(['--input-type=module', '--eval', script], { [variable]: folder })
      expect({ status, said }).toEqual({ status: 0, said: 'undefined\n' })
    })

    test.each(['/proc', '/proc/x', '/proc/x/y'])(
      'causes an error document if the configuration is in %s',
      async (folder) => {
        const env = { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: newFolder() }
        const argv = [PROGRAM, 'config', 'max-wait', '5', '--json']
        const { status, signal, said } = await within(argv, env)
        expect({ status, signal }).toEqual({ status: 1, signal: null })
        expect(JSON.parse(said).error.code).toBe('file_not_written')
        const locked = await within(argv, { XDG_CONFIG_HOME: newFolder(), XDG_STATE_HOME: folder })
        expect(JSON.parse(locked.said).error.code).toBe('file_not_locked')
      },
    )
  },
)

test.each(['1', ''])(
  'NO_COLOR=%j with FORCE_COLOR prints no warning, and only an empty NO_COLOR keeps colours',
  async (no) => {
    const { ended } = startFish(['demo'], { NO_COLOR: no, FORCE_COLOR: '1' })
    const { status, stdout, stderr } = await ended
    expect({ status, stderr, coloured: stdout.includes('\u{1b}') }).toEqual({
      status: 0,
      stderr: '',
      coloured: no === '',
    })
  },
)
