import { execFile } from 'node:child_process'
import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateFernetKey } from '@fish-crab/sdk/fernet'
import { beforeEach, describe, expect, test } from 'vitest'
import { userFolders } from '../../sdk/src/internal/user-folders.node.ts'
import { isSameService } from '../src/core/parse-values.ts'
import { withLock } from '../src/session/lock.ts'
import { homeFolder, lockPath } from '../src/session/paths.ts'
import { resolveTarget, type TargetFlags } from '../src/session/target.ts'
import { newFolder, writeProfiles, xdgFolders } from './folders.ts'
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
const home1 = { home: { url: 'http://home.example' } }
const setUp = (profiles: Parameters<typeof writeProfiles>[1] = home1) => writeProfiles(home, profiles)
const change = () => fish('config', 'max-wait', '5')

describe('profiles', () => {
  test('of an administrator are named if the current profile has no administrator', async () => {
    await setUp({
      home: { url: 'http://127.0.0.1:1', user: 'Alex' },
      boss: { url: 'http://127.0.0.1:1', admin: 'mia' },
    })
    const { status, stderr } = await fish('audit')
    expect(status).toBe(4)
    expect(stderr).toContain('Or use the session of a profile: --profile boss')
  })

  test('can be listed, and any listed profile can become the current profile', async () => {
    await setUp({
      home: { url: 'http://home.example', user: 'Alex', gamemode: 'earth' },
      work: { url: 'http://work.example' },
    })
    expect((await fish('profile', 'work')).stdout).toBe('Using profile work.\n')
    const { current, profiles } = JSON.parse((await fish('profile', '--json')).stdout)
    expect(current).toBe('work')
    expect(profiles).toEqual([
      { name: 'home', current: false, url: 'http://home.example', user: 'Alex', gamemode: 'earth' },
      { name: 'work', current: true, url: 'http://work.example' },
    ])
  })

  test('the profile command suggests a login on stderr if no profile exists, and exits with 0', async () => {
    const { status, stdout, stderr } = await fish('profile')
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toContain('fish-cli login')
  })

  test('an unknown profile is reported with the names of the existing profiles', async () => {
    await setUp()
    for (const argv of [
      ['profile', 'x'],
      ['profile', 'x', '--remove', '-y'],
      ['status', '--profile', 'x'],
    ]) {
      const { status, stderr } = await fish(...argv)
      expect(status).toBe(5)
      expect(stderr).toContain('Profiles: home.')
    }
  })

  test.each(['', '-x', 'a b', '__proto__', 'x'.repeat(33), '../x'])('cannot have the name %j', async (name) => {
    const { status } = await fish('login', 'Alex', '--url', 'http://127.0.0.1:1', `--profile=${name}`, '--no-input')
    expect(status).toBe(2)
    await expect(stat(configFile())).rejects.toThrow('ENOENT')
  })

  test('logout and --remove report the catches that wait for the address of the profile', async () => {
    const address = 'http://127.0.0.1:1'
    const queue = { env: { ...env, FISH_KEY: generateFernetKey() }, piped: 'Cod' }
    await setUp({ home: { url: address, user: 'Alex', gamemode: 'earth' } })
    await run(['add', '--file', '-', '-r', '1', '--again', '--max-wait', '0'], queue)
    const note = `fish-cli: 1 catch is waiting for the service ${address}. Send them: fish-cli outbox --send --url ${address}\n`
    expect((await fish('logout')).stderr).toBe(note)
    expect((await fish('profile', 'home', '--remove', '--yes')).stderr).toBe(note)
  })

  test('--remove removes a profile only after confirmation', async () => {
    await setUp()
    const typed = (text: string) => run(['profile', 'home', '--remove'], { env, terminal: true, typed: text })
    expect((await fish('profile', 'home', '--remove')).stderr).toContain('--yes')
    expect((await fish('profile', 'home', '--remove', '--no-input')).status).toBe(2)
    expect((await typed('n\r')).status).toBe(1)
    expect((await typed('')).status).toBe(1)
    expect((await typed('\u0003')).status).toBe(130)
    expect((await config()).profiles).toHaveProperty('home')
    expect((await typed('y\r')).status).toBe(0)
    expect((await config()).profiles).toEqual({})
  })
})

describe('settings', () => {
  test('a setting applies unless its variable overrides it, and can be removed', async () => {
    await fish('config', 'gamemode', 'survival')
    expect((await fish('config', 'gamemode')).stdout).toBe('survival\n')
    const given = await run(['config', 'gamemode', '--json'], { env: { ...env, FISH_GAMEMODE: 'earth' } })
    expect(JSON.parse(given.stdout)).toEqual({ key: 'gamemode', value: 'earth' })
    expect((await fish('config', 'gamemode', '--unset')).stdout).toBe('gamemode is not set.\n')
    expect((await fish('config', 'gamemode')).stdout).toBe('')
  })

  test('an unknown key is reported with the valid keys, and an invalid value with its rule', async () => {
    for (const argv of [['colour', 'x'], ['colour'], ['colour', '--unset']]) {
      const { status, stderr } = await fish('config', ...argv)
      expect(status).toBe(2)
      expect(stderr).toContain('encoding, gamemode, max-wait, notify, secret-store')
    }
    expect((await fish('config', 'max-wait', 'soon')).stderr).toContain('seconds')
    expect((await fish('config', 'max-wait', '1', '--unset')).status).toBe(2)
  })

  test('the list of settings shows the source of each setting and the path of the file', async () => {
    await fish('config', 'max-wait', '30')
    const { stdout, stderr } = await run(['config'], { env: { ...env, FISH_NOTIFY: 'gold' } })
    expect(stdout).toMatch(/^max-wait +30 +setting/m)
    expect(stdout).toMatch(/^notify +gold +environment/m)
    expect(stderr).toContain(configFile())
  })
})

describe('the configuration file', () => {
  test('and its folder are readable only by their owner, and no temporary file remains', async () => {
    await change()
    expect((await stat(configFile())).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(configFile()))).mode & 0o777).toBe(0o700)
    expect(await readdir(dirname(configFile()))).toEqual(['config.json'])
  })

  test('remains a symbolic link', async () => {
    await setUp()
    const target = join(home, 'dotfiles.json')
    await writeFile(target, await readFile(configFile()))
    await rm(configFile())
    await symlink(target, configFile())
    await change()
    expect(JSON.parse(await readFile(target, 'utf8')).settings).toEqual({ 'max-wait': '5' })
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
    ['{"version":1,"settings":{"notify":"pink"}}', 'notify'],
    ['{"version":1,"settings":{"max-wait":3}}', 'max-wait'],
  ])('that is invalid is reported with the problem and a next step: %s', async (text, what) => {
    await setUp()
    await writeFile(configFile(), text)
    for (const argv of [['status'], ['profile'], ['config', 'max-wait', '5']]) {
      const { status, stdout, stderr } = await fish(...argv, '--json')
      const { error } = JSON.parse(stdout)
      expect({ status, stderr, code: error.code }).toEqual({ status: 2, stderr: '', code: 'invalid_config' })
      expect(error.message).toContain(configFile())
      expect(error.message).toContain(what)
      expect(error.hint).toMatch(/move it away and log in again: fish-cli login$/)
      expect(stdout).not.toContain('canary')
    }
    expect(await readFile(configFile(), 'utf8')).toBe(text)
  })

  test('of a newer fish-cli version remains unchanged', async () => {
    await setUp()
    const text = '{"version":2,"profiles":"other"}'
    await writeFile(configFile(), text)
    const { status, stdout } = await fish('config', 'max-wait', '5', '--json')
    expect(status).toBe(2)
    expect(JSON.parse(stdout).error.code).toBe('config_too_new')
    expect(await readFile(configFile(), 'utf8')).toBe(text)
  })

  test('does not affect --version and --help if it is invalid', async () => {
    await setUp()
    await writeFile(configFile(), '{')
    expect((await fish('--version')).status).toBe(0)
    expect((await fish('list', '--help')).status).toBe(0)
  })

  test('contains the changes of all concurrent writers, in one process and in several processes', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`)
    await setUp(Object.fromEntries([...names, 'q'].map((name) => [name, { url: 'http://q.example' }])))
    const program = fileURLToPath(new URL('../bin/dev.js', import.meta.url))
    const argv = (name: string) => ['profile', name, '--remove', '--yes']
    const elsewhere = ['p6', 'p7'].map((name) =>
      promisify(execFile)(process.execPath, [program, ...argv(name)], { env: { PATH: process.env.PATH, ...env } }),
    )
    await Promise.all([...names.slice(0, 6).map((name) => fish(...argv(name))), ...elsewhere, change()])
    expect(await config()).toMatchObject({ profiles: { q: {} }, settings: { 'max-wait': '5' } })
    expect(Object.keys((await config()).profiles)).toEqual(['q'])
  })

  test('is not changed while another process holds its lock', async () => {
    await change()
    const other = new DatabaseSync(lockPath({ env }))
    other.exec('BEGIN EXCLUSIVE')
    const changes: string[] = []
    const note = () => changes.push('done')
    await expect(withLock({ env }, note, 10)).rejects.toMatchObject({ code: 'config_busy', exit: 1 })
    expect(changes).toEqual([])
    other.close()
    await withLock({ env }, note, 10)
    expect(changes).toEqual(['done'])
  })
})

describe('the service and the player of a command', () => {
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
      '--profile rather than FISH_PROFILE',
      { profile: 'one' },
      { FISH_PROFILE: 'two' },
      ['one', 'http://one.example', 'profile', 'Alex', 'earth', 'profile', '9'],
    ],
    [
      'the environment rather than the profile',
      {},
      { FISH_URL: 'http://e', FISH_USER: 'Eve', FISH_GAMEMODE: 'survival', FISH_MAX_WAIT: '1' },
      ['one', 'http://e', 'environment', 'Eve', 'survival', 'environment', '1'],
    ],
    [
      'flags rather than the environment',
      { url: 'http://f', user: 'Flo', gamemode: 'oneblock', 'max-wait': '2' },
      { FISH_URL: 'http://e', FISH_USER: 'Eve', FISH_GAMEMODE: 'survival', FISH_MAX_WAIT: '1' },
      ['one', 'http://f', 'flag', 'Flo', 'oneblock', 'flag', '2'],
    ],
    [
      'the profile if variables are empty',
      {},
      { FISH_URL: '', FISH_USER: '', FISH_GAMEMODE: '', FISH_PROFILE: '' },
      ['one', 'http://one.example', 'profile', 'Alex', 'earth', 'profile', '9'],
    ],
  ])('come from %s', (_, flags, env, expected) => {
    expect(at(flags, env)).toEqual(expected)
  })

  test('resolveTarget() uses the local service by default', () => {
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
  ])('%s and %s are the same service: %s', (one, other, same) => {
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
  ])('follow the conventions of %s with %j', (platform, env, home, config, state, data) => {
    expect(userFolders({ platform, env, home })).toEqual({ config, state, data })
  })
})

test('the home folder comes from the environment only if its path is absolute', () => {
  const variable = process.platform === 'win32' ? 'USERPROFILE' : 'HOME'
  const absolute = join(tmpdir(), 'alex')
  expect(homeFolder({ [variable]: absolute })).toBe(absolute)
  expect(homeFolder({ [variable]: 'here' })).not.toBe('here')
})
