import { execFile } from 'node:child_process'
import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateFernetKey } from '@fish-crab/sdk/fernet'
import { beforeEach, describe, expect, test } from 'vitest'
import { userFolders } from '../../sdk/src/internal/user-folders.node.ts'
import { withLock } from '../src/config/lock.ts'
import { homeFolder, lockPath } from '../src/config/paths.ts'
import { isSameService } from '../src/config/profile.ts'
import { resolveTarget, type TargetFlags } from '../src/config/target.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run } from './harness.ts'

let home: string
let env: Env

beforeEach(() => {
  home = newFolder()
  env = xdgFolders(home)
})

const configFile = () => join(home, 'config', 'fish-crab', 'config.json')
const config = async () => JSON.parse(await readFile(configFile(), 'utf8'))
const fish = (...argv: readonly string[]) => run(argv, { env })
const add = (name: string, ...more: readonly string[]) =>
  fish('profile', 'add', name, '--url', `http://${name}.example`, ...more)

describe('profiles', () => {
  test('the first one is the current one, and --use makes another so', async () => {
    await add('home', '--user', 'Alex', '--gamemode', 'earth')
    await add('work')
    expect((await config()).current).toBe('home')
    await add('third', '--use')
    const { stdout } = await fish('profile', 'list', '--json')
    const { current, profiles } = JSON.parse(stdout)
    expect(current).toBe('third')
    expect(profiles).toEqual([
      { name: 'home', current: false, url: 'http://home.example', user: 'Alex', gamemode: 'earth' },
      { name: 'work', current: false, url: 'http://work.example' },
      { name: 'third', current: true, url: 'http://third.example' },
    ])
  })

  test('an empty list is reported on stderr, and is no failure', async () => {
    const { status, stdout, stderr } = await fish('profile', 'list')
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toContain('fish-cli login')
  })

  test('one that exists is replaced only when that is said', async () => {
    await add('home', '--user', 'Alex')
    expect((await add('home', '--user', 'Bob')).status).toBe(6)
    expect((await config()).profiles.home.user).toBe('Alex')
    expect((await add('home', '--user', 'Bob', '--replace')).status).toBe(0)
    expect((await config()).profiles.home.user).toBe('Bob')
  })

  test('an unknown one lists those there are', async () => {
    await add('home')
    for (const argv of [
      ['profile', 'use', 'x'],
      ['profile', 'remove', 'x', '-y'],
      ['status', '--profile', 'x'],
    ]) {
      const { status, stderr } = await fish(...argv)
      expect(status).toBe(5)
      expect(stderr).toContain('Profiles: home.')
    }
  })

  test.each(['', '-x', 'a b', '__proto__', 'x'.repeat(33), '../x'])('none can be called %j', async (name) => {
    const { status } = await fish('profile', 'add', '--url', 'http://a.example', '--', name)
    expect(status).toBe(2)
    await expect(stat(configFile())).rejects.toThrow('ENOENT')
  })

  test('a wrong address, user or gamemode is refused as the SDK refuses it', async () => {
    expect((await fish('profile', 'add', 'x', '--url', 'ftp://a')).status).toBe(2)
    expect((await add('x', '--user', 'not a name')).status).toBe(2)
    expect((await add('x', '--gamemode', 'skyblock')).stderr).toContain('--gamemode')
  })

  test('one that loses its address or its secrets reports what is queued for that address', async () => {
    const home = 'http://127.0.0.1:1'
    const queue = { env: { ...env, FISH_KEY: generateFernetKey() }, piped: 'Cod' }
    await fish('profile', 'add', 'home', '--url', home, '--user', 'Alex', '--gamemode', 'earth')
    await run(['add', '--file', '-', '-r', '1', '--no-wait'], queue)
    await run(['add', '--file', '-', '-r', '1', '--no-wait', '--url', 'http://127.0.0.1:2'], queue)
    const note = `fish-cli: 1 catch not sent to ${home} yet. Send them: fish-cli outbox flush --url ${home}\n`
    expect((await fish('logout')).stderr).toBe(note)
    expect((await fish('profile', 'add', 'home', '--url', home, '--user', 'Bob', '--replace')).stderr).toBe('')
    expect((await fish('profile', 'add', 'home', '--url', 'http://localhost:1', '--replace')).stderr).toBe(note)
    await fish('profile', 'add', 'home', '--url', home, '--replace')
    expect((await fish('profile', 'remove', 'home', '--yes')).stderr).toBe(note)
  })

  test('removing asks first; only a yes removes', async () => {
    await add('home')
    const typed = (text: string) => run(['profile', 'remove', 'home'], { env, terminal: true, typed: text })
    expect((await fish('profile', 'remove', 'home')).stderr).toContain('--yes')
    expect((await fish('profile', 'remove', 'home', '--no-input')).status).toBe(2)
    expect((await typed('n\r')).status).toBe(1)
    expect((await typed('')).status).toBe(1)
    expect((await typed('\u0003')).status).toBe(130)
    expect((await config()).profiles).toHaveProperty('home')
    expect((await typed('y\r')).status).toBe(0)
    expect(await config()).toEqual({ version: 1, profiles: {}, settings: {} })
  })
})

describe('settings', () => {
  test('a setting counts until its variable says otherwise, and can be taken back', async () => {
    await fish('config', 'set', 'gamemode', 'survival')
    expect((await fish('config', 'get', 'gamemode')).stdout).toBe('survival\n')
    const given = await run(['config', 'get', 'gamemode', '--json'], { env: { ...env, FISH_GAMEMODE: 'earth' } })
    expect(JSON.parse(given.stdout)).toEqual({ key: 'gamemode', value: 'earth' })
    expect((await fish('config', 'unset', 'gamemode')).stdout).toBe('gamemode is not set.\n')
    expect((await fish('config', 'get', 'gamemode')).stdout).toBe('')
    expect(JSON.parse((await fish('config', 'unset', 'gamemode', '--json')).stdout)).toEqual({
      key: 'gamemode',
      value: null,
    })
  })

  test('output is how rows are printed where no flag says it', async () => {
    await add('home')
    await fish('config', 'set', 'output', 'csv')
    expect((await fish('profile', 'list', '--fields', 'name')).stdout).toMatch(/^name\r?\nhome\r?\n$/)
    expect((await fish('profile', 'list', '--fields', 'name', '-o', 'jsonl')).stdout).toBe('{"name":"home"}\n')
    expect(JSON.parse((await fish('profile', 'list', '--json')).stdout).current).toBe('home')
  })

  test('a wrong key lists the right ones, and a wrong value says what it must be', async () => {
    const key = await fish('config', 'set', 'colour', 'x')
    expect(key.status).toBe(2)
    expect(key.stderr).toContain('gamemode, max-wait, notify, output, secret-store')
    expect((await fish('config', 'set', 'max-wait', 'soon')).stderr).toContain('seconds')
    expect((await fish('config', 'set', 'max-wait')).status).toBe(2)
    expect((await fish('config', 'unset', 'colour')).stderr).toContain(
      'gamemode, max-wait, notify, output, secret-store',
    )
  })

  test('list shows where each comes from', async () => {
    await fish('config', 'set', 'max-wait', '30')
    const { stdout } = await run(['config', 'list', '-o', 'tsv', '--fields', 'key,value,from'], {
      env: { ...env, FISH_OUTPUT: 'json' },
    })
    expect(stdout.split('\n')).toContain('max-wait\t30\tsetting')
    expect(stdout.split('\n')).toContain('output\tjson\tenvironment')
  })

  test('path says where the file is, also when it cannot be read', async () => {
    await add('home')
    await writeFile(configFile(), '{')
    expect((await fish('config', 'path')).stdout).toBe(`${configFile()}\n`)
  })
})

describe('the file', () => {
  test('and its folder can be read by their owner alone, and no draft stays behind', async () => {
    await add('home')
    expect((await stat(configFile())).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(configFile()))).mode & 0o777).toBe(0o700)
    expect(await readdir(dirname(configFile()))).toEqual(['config.json'])
  })

  test('stays a link when it is one', async () => {
    await add('home')
    const target = join(home, 'dotfiles.json')
    await writeFile(target, await readFile(configFile()))
    await rm(configFile())
    await symlink(target, configFile())
    await add('work')
    expect(Object.keys(JSON.parse(await readFile(target, 'utf8')).profiles)).toEqual(['home', 'work'])
  })

  test.each([
    ['{', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    ['{}', 'version'],
    ['{"version":"1"}', 'version'],
    ['{"version":1,"profiles":[]}', 'profiles'],
    ['{"version":1,"profiles":{"a b":{"url":"http://x"}}}', 'name'],
    ['{"version":1,"profiles":{"a":{}}}', 'url'],
    ['{"version":1,"profiles":{"a":{"url":"http://u:canary@x"}}}', 'url'],
    ['{"version":1,"profiles":{"a":{"url":"http://x","gamemode":"The Sky"}}}', 'gamemode'],
    ['{"version":1,"current":"b"}', 'current'],
    ['{"version":1,"settings":{"output":"xml"}}', 'output'],
    ['{"version":1,"settings":{"max-wait":3}}', 'max-wait'],
  ])('that cannot be used is named, with what is wrong and what to do: %s', async (text, what) => {
    await add('home')
    await writeFile(configFile(), text)
    for (const argv of [['status'], ['profile', 'list'], ['config', 'set', 'output', 'csv']]) {
      const { status, stdout, stderr } = await fish(...argv, '--json')
      const { error } = JSON.parse(stdout)
      expect({ status, stderr, code: error.code }).toEqual({ status: 2, stderr: '', code: 'invalid_config' })
      expect(error.message).toContain(configFile())
      expect(error.message).toContain(what)
      expect(error.hint).toMatch(/move it away and start again: fish-cli login USER$/)
      expect(stdout).not.toContain('canary')
    }
    expect(await readFile(configFile(), 'utf8')).toBe(text)
  })

  test('of a newer fish-cli is left as it is', async () => {
    await add('home')
    const text = '{"version":2,"profiles":"other"}'
    await writeFile(configFile(), text)
    const { status, stdout } = await fish('config', 'set', 'output', 'csv', '--json')
    expect(status).toBe(2)
    expect(JSON.parse(stdout).error.code).toBe('config_too_new')
    expect(await readFile(configFile(), 'utf8')).toBe(text)
  })

  test('of a broken configuration does not stop what needs none', async () => {
    await add('home')
    await writeFile(configFile(), '{')
    expect((await fish('--version')).status).toBe(0)
    expect((await fish('list', '--help')).status).toBe(0)
  })

  test('loses nothing when many change it at once, in one process and in several', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`)
    const program = fileURLToPath(new URL('../bin/dev.js', import.meta.url))
    const own = { PATH: process.env.PATH, ...env }
    const elsewhere = ['q1', 'q2'].map((name) =>
      promisify(execFile)(process.execPath, [program, 'profile', 'add', name, '--url', 'http://q.example'], {
        env: own,
      }),
    )
    await Promise.all([...names.map((name) => add(name)), ...elsewhere])
    expect(Object.keys((await config()).profiles).sort()).toEqual([...names, 'q1', 'q2'].sort())
  })

  test('waits for whoever changes it, and gives up with nothing changed', async () => {
    await add('home')
    const other = new DatabaseSync(lockPath({ env }))
    other.exec('BEGIN EXCLUSIVE')
    const changes: string[] = []
    const change = () => changes.push('done')
    await expect(withLock({ env }, change, 10)).rejects.toMatchObject({ code: 'config_busy', exit: 1 })
    expect(changes).toEqual([])
    other.close()
    await withLock({ env }, change, 10)
    expect(changes).toEqual(['done'])
  })
})

describe('what decides whom a command talks to', () => {
  const profiles = new Map([
    ['one', { url: 'http://one.example', user: 'Alex', gamemode: 'earth' }],
    ['two', { url: 'http://two.example' }],
  ])
  const config = { current: 'one', profiles, patterns: [], settings: { gamemode: 'factions', 'max-wait': '9' } }
  const at = (flags: TargetFlags, env: Env) => {
    const { profile, url, user, gamemode, maxWait } = resolveTarget({ env, config }, flags)
    return [profile?.name, url.value, url.from, user?.value, gamemode?.value, gamemode?.from, maxWait]
  }

  test.each<[string, TargetFlags, Env, ReturnType<typeof at>]>([
    ['the current profile', {}, {}, ['one', 'http://one.example', 'profile', 'Alex', 'earth', 'profile', '9']],
    [
      'FISH_PROFILE',
      {},
      { FISH_PROFILE: 'two' },
      ['two', 'http://two.example', 'profile', undefined, 'factions', 'setting', '9'],
    ],
    [
      '--profile before FISH_PROFILE',
      { profile: 'one' },
      { FISH_PROFILE: 'two' },
      ['one', 'http://one.example', 'profile', 'Alex', 'earth', 'profile', '9'],
    ],
    [
      'the environment before the profile',
      {},
      { FISH_URL: 'http://e', FISH_USER: 'Eve', FISH_GAMEMODE: 'survival', FISH_MAX_WAIT: '1' },
      ['one', 'http://e', 'environment', 'Eve', 'survival', 'environment', '1'],
    ],
    [
      'flags before the environment',
      { url: 'http://f', user: 'Flo', gamemode: 'oneblock', 'max-wait': '2' },
      { FISH_URL: 'http://e', FISH_USER: 'Eve', FISH_GAMEMODE: 'survival', FISH_MAX_WAIT: '1' },
      ['one', 'http://f', 'flag', 'Flo', 'oneblock', 'flag', '2'],
    ],
    [
      'nothing from empty variables',
      {},
      { FISH_URL: '', FISH_USER: '', FISH_GAMEMODE: '', FISH_PROFILE: '' },
      ['one', 'http://one.example', 'profile', 'Alex', 'earth', 'profile', '9'],
    ],
  ])('is %s', (_, flags, env, expected) => {
    expect(at(flags, env)).toEqual(expected)
  })

  test('is the local service where nothing is said', () => {
    const empty = { current: undefined, profiles: new Map(), patterns: [], settings: {} }
    expect(resolveTarget({ env: {}, config: empty }, {}).url).toEqual({
      value: 'http://127.0.0.1:8787',
      from: 'default',
    })
  })

  test.each([
    ['http://a.example', 'http://A.example:80/', true],
    ['https://a.example/fish/', 'https://a.example/fish', true],
    ['http://a.example', 'https://a.example', false],
    ['https://a.example/fish', 'https://a.example', false],
    ['https://a.example', 'https://a.example.evil.example', false],
  ])('takes %s and %s for one service: %s', (one, other, same) => {
    expect(isSameService(one, other)).toBe(same)
  })
})

describe('folders', () => {
  test.each([
    [
      'linux',
      {},
      '/home/a',
      '/home/a/.config/fish-crab',
      '/home/a/.local/state/fish-crab',
      '/home/a/.local/share/fish-crab',
    ],
    [
      'linux',
      { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_DATA_HOME: '/d' },
      '/home/a',
      '/c/fish-crab',
      '/s/fish-crab',
      '/d/fish-crab',
    ],
    [
      'linux',
      { XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: '' },
      '/h',
      '/h/.config/fish-crab',
      '/h/.local/state/fish-crab',
      '/h/.local/share/fish-crab',
    ],
    [
      'darwin',
      {},
      '/Users/a',
      '/Users/a/Library/Application Support/fish-crab',
      '/Users/a/Library/Application Support/fish-crab',
      '/Users/a/Library/Application Support/fish-crab',
    ],
    [
      'darwin',
      { XDG_CONFIG_HOME: '/c' },
      '/Users/a',
      '/c/fish-crab',
      '/Users/a/Library/Application Support/fish-crab',
      '/Users/a/Library/Application Support/fish-crab',
    ],
    [
      'win32',
      { APPDATA: 'C:\\r', LOCALAPPDATA: 'C:\\l' },
      'C:\\u',
      'C:\\r\\fish-crab',
      'C:\\l\\fish-crab',
      'C:\\l\\fish-crab',
    ],
    [
      'win32',
      {},
      'C:\\u',
      'C:\\u\\AppData\\Roaming\\fish-crab',
      'C:\\u\\AppData\\Local\\fish-crab',
      'C:\\u\\AppData\\Local\\fish-crab',
    ],
  ])('on %s with %j', (platform, env, home, config, state, data) => {
    expect(userFolders({ platform, env, home })).toEqual({ config, state, data })
  })
})

describe('the home folder', () => {
  const known = () => '/home/known'

  test.each([
    ['linux', { HOME: '/home/alex' }, '/home/alex'],
    ['linux', {}, '/home/known'],
    ['linux', { HOME: '' }, '/home/known'],
    ['linux', { HOME: 'here' }, '/home/known'],
    ['win32', { USERPROFILE: 'C:\\u', HOME: '/home/alex' }, 'C:\\u'],
  ] as const)('on %s with %j is %s', (platform, env, home) => {
    expect(homeFolder(env, platform, known)).toBe(home)
  })

  test('of a user whom the system does not know is one that is not there', () => {
    const unknown = () => {
      throw new Error('ENOENT')
    }
    expect(homeFolder({}, 'linux', unknown)).toBe('/nonexistent')
  })
})
