import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { beforeEach, describe, expect, test } from 'vitest'
import { filesWith, newFolder, xdgFolders } from './folders.ts'
import { ADMIN_PASSWORD, type Env, type RunOptions, run, serviceContext, startImpostor } from './harness.ts'

const context = serviceContext()
let home: string
let base: Env

beforeEach(() => {
  home = newFolder()
  base = { ...xdgFolders(home), FISH_MAX_WAIT: '0' }
})

const secretsFile = () => join(home, 'state', 'fish-crab', 'secrets.json')
const configFile = () => join(home, 'config', 'fish-crab', 'config.json')
const fish = (argv: readonly string[], env: Env = {}, options: RunOptions = {}) =>
  run(argv, { ...options, env: { ...base, ...env } })
const at = () => ['--url', context.service.url]
const login = (env: Env = {}, ...more: readonly string[]) =>
  fish(['login', 'Alex', ...at(), '-g', 'earth', ...more], { FISH_PASSWORD: context.alex.password, ...env })

async function newPlayer(name: string) {
  const { stdout } = await run(['user', 'create', name, '--json'], { env: context.admin })
  return JSON.parse(stdout)
}

describe('login', () => {
  test('stores the key and the profile, so that add and list need no further settings', async () => {
    const { status, stdout, stderr } = await login()
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('profile default')
    expect((await fish(['add', 'Login Koi', '-r', 'gold'])).status).toBe(0)
    expect((await fish(['list'])).stdout).toContain('Login Koi')
  })

  test('reads the password from stdin, a file or a prompt', async () => {
    const file = join(home, 'password')
    await writeFile(file, `${context.alex.password}\n`)
    const ways: [Env, RunOptions, string[]][] = [
      [{}, { piped: `${context.alex.password}\r\n` }, ['--password-stdin']],
      [{ FISH_PASSWORD_FILE: file }, {}, []],
      [{}, { terminal: true, typed: `${context.alex.password}\r` }, []],
    ]
    for (const [env, options, more] of ways) {
      const { status } = await fish(['login', 'alex', ...at(), '-g', 'earth', ...more], env, options)
      expect(status).toBe(0)
      expect((await fish(['logout'])).status).toBe(0)
    }
  })

  test('adds https to an address without a scheme, or http on this machine, and prints the full address', async () => {
    const { host, port } = new URL(context.service.url)
    const local = await fish(['login', 'Alex', '--url', host, '-g', 'earth'], { FISH_PASSWORD: context.alex.password })
    expect(local).toMatchObject({ status: 0, stderr: `The address of the service is http://${host}\n` })
    expect(local.stdout).toContain(`Logged in to http://${host} as Alex`)
    const name = `fish.invalid:${port}`
    const remote = await fish(['login', 'Alex', '--profile', 'other'], { FISH_URL: name, FISH_PASSWORD: 'x' })
    expect(remote).toMatchObject({
      status: 69,
      stderr: expect.stringContaining(`The address of the service is https://${name}\n`),
    })
  })

  test('never prompts with --no-input, and rejects --password-stdin if stdin is a terminal', async () => {
    const asked = await fish(['login', 'Alex', ...at(), '--no-input'], {}, { terminal: true, typed: 'x\r' })
    expect(asked.status).toBe(4)
    expect(asked.stderr).toContain('FISH_PASSWORD')
    expect((await fish(['login', 'Alex', ...at(), '--password-stdin'], {}, { terminal: true })).status).toBe(4)
    await expect(stat(configFile())).rejects.toThrow('ENOENT')
  })

  test('stores nothing if the password is wrong or the service is unreachable', async () => {
    expect((await login({ FISH_PASSWORD: 'wrong-password' })).status).toBe(4)
    const nobody = ['login', 'Alex', '--url', 'http://127.0.0.1:1']
    expect((await fish(nobody, { FISH_PASSWORD: 'x' })).status).toBe(69)
    await expect(stat(configFile())).rejects.toThrow('ENOENT')
    await expect(stat(secretsFile())).rejects.toThrow('ENOENT')
  })

  test('needs confirmation to replace the player of a profile, but not to create a profile', async () => {
    const { password } = await newPlayer('Bella')
    await login({ FISH_API_KEY: context.alex.apiKey }, '--with-api-key')
    const bella = (...more: string[]) => fish(['login', 'Bella', ...more], { FISH_PASSWORD: password })
    expect((await bella()).status).toBe(2)
    const other = await bella('--profile', 'bella', ...at())
    expect(other.status).toBe(0)
    expect(other.stdout).toContain('\nThe current profile is now bella. To switch back: fish-cli profile default\n')
    expect(JSON.parse((await fish(['whoami', '--json'])).stdout)).toMatchObject({ profile: 'bella', user: 'Bella' })
    expect(JSON.parse((await fish(['whoami', '--json', '--profile', 'default'])).stdout)).toMatchObject({
      user: 'Alex',
      accepted: true,
    })
    expect((await bella('--profile', 'default', '--yes')).status).toBe(0)
    for (const secret of [context.alex.fernetKey, context.alex.apiKey])
      expect(await filesWith(secret, home)).toEqual([])
  })

  test('reports a change of the current profile, also if there was no profile before', async () => {
    expect((await login()).stdout).not.toContain('current profile')
    await fish(['profile', 'default', '--remove', '--yes'])
    const { stdout } = await login({}, '--profile', 'p1')
    expect(stdout).toMatch(/\nThe current profile is now p1\.\n$/)
    expect((await login({}, '--profile', 'p1')).stdout).not.toContain('current profile')
    expect((await login({}, '--profile', 'default')).stdout).toContain('To switch back: fish-cli profile p1\n')
  })

  test('prints the stored profile', async () => {
    const { stdout } = await login({}, '--json')
    expect(JSON.parse(stdout)).toEqual({
      profile: 'default',
      url: context.service.url,
      user: 'Alex',
      gamemode: 'earth',
      secrets: 'file',
    })
  })

  test('repairs a broken configuration, broken secrets or a missing profile when run as the hint suggests', async () => {
    const typed = async (hint: string) => {
      const argv = hint.slice(hint.indexOf('fish-cli ') + 'fish-cli '.length).split(' ')
      return fish(argv, { FISH_URL: context.service.url, FISH_USER: 'Alex', FISH_PASSWORD: context.alex.password })
    }
    const hintOf = async (...argv: string[]) => JSON.parse((await fish([...argv, '--json'])).stdout).error.hint
    const missing = await hintOf('whoami', '--profile', 'nope')
    expect(missing).toContain('--profile nope')
    expect((await typed(missing)).status).toBe(0)
    expect((await fish(['whoami', '--profile', 'nope'])).status).toBe(0)
    for (const file of [configFile(), secretsFile()]) {
      await writeFile(file, '{')
      const hint = await hintOf('whoami')
      await rm(file)
      expect((await typed(hint)).status).toBe(0)
      expect((await fish(['whoami'])).status).toBe(0)
    }
  })

  test('does not store a key that the service rejects', async () => {
    const { fernetKey } = await newPlayer('Other')
    const liar = await startImpostor(async (request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url?.startsWith('/get/user/key')) return response.end(JSON.stringify({ fernetKey }))
      return response.writeHead(400).end('{"error":"No.","code":"invalid_token","requestId":"r"}')
    })
    const { status, stderr } = await fish(['login', 'Alex', '--url', liar.url], { FISH_PASSWORD: 'x' })
    liar.close()
    expect(status).toBe(4)
    expect(stderr).toContain('Nothing was saved')
    await expect(stat(secretsFile())).rejects.toThrow('ENOENT')
  })

  test('stores an API key only if the service accepts the key, and keeps the API key at a later login', async () => {
    const wrong = await login({ FISH_API_KEY: 'fck_wrong' }, '--with-api-key')
    expect(wrong.status).toBe(4)
    expect((await login({ FISH_API_KEY: context.alex.apiKey }, '--with-api-key')).status).toBe(0)
    expect(JSON.parse((await fish(['whoami', '--json'])).stdout)).toMatchObject({ apiKey: 'file', accepted: true })
    // A later login without an API key keeps the stored API key.
    await login()
    expect(await readFile(secretsFile(), 'utf8')).toContain(context.alex.apiKey)
  })

  test('warns about an unencrypted connection before the prompt for the password', async () => {
    const { stderr } = await fish(['login', 'Alex', '--url', 'http://fish.invalid', '--no-input'])
    expect(stderr).toContain('not encrypted')
  })
})

describe('the stored secret', () => {
  test('is in a file that only its owner can read, and no file contains the password', async () => {
    await login()
    expect((await stat(secretsFile())).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(secretsFile(), 'utf8'))).toEqual({
      version: 1,
      profiles: { default: { url: context.service.url, user: 'Alex', fernetKey: context.alex.fernetKey } },
    })
    expect(await filesWith(context.alex.fernetKey, home)).toEqual([secretsFile()])
    expect(await filesWith(context.alex.password, home)).toEqual([])
  })

  test('does not remain in the temporary file of a killed process after the next login', async () => {
    await login()
    await writeFile(`${secretsFile()}.new`, 'canary half')
    await login()
    expect(await filesWith('canary', home)).toEqual([])
    expect(await filesWith(context.alex.fernetKey, home)).toEqual([secretsFile()])
  })

  test.each([
    ['{', 'invalid_secrets'],
    ['{"version":2,"profiles":{}}', 'secrets_too_new'],
  ])('is not overwritten if the secrets file cannot be read: %s', async (text, code) => {
    await login()
    await writeFile(secretsFile(), text)
    expect(JSON.parse((await login({}, '--json')).stdout).error.code).toBe(code)
    expect(await readFile(secretsFile(), 'utf8')).toBe(text)
  })

  test('is sent only to the service of its profile', async () => {
    await login({ FISH_API_KEY: context.alex.apiKey }, '--with-api-key')
    const seen: string[] = []
    const other = await startImpostor((request, response) => {
      seen.push(JSON.stringify(request.headers))
      response.end()
    })
    for (const env of [{}, { FISH_URL: other.url }]) {
      const url = 'FISH_URL' in env ? [] : ['--url', other.url]
      await fish(['status', ...url], env)
      const { status, stderr } = await fish(['add', 'Cod', '-r', '1', ...url], env)
      expect(status).toBe(4)
      expect(stderr).toContain('FISH_KEY')
      expect(stderr).toContain(`The key of profile default works only at ${context.service.url}.`)
    }
    other.close()
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join()).not.toContain(context.alex.apiKey)
  })

  test('is used only for the player of its profile', async () => {
    await login()
    const refused = await fish(['add', 'Cod', '-r', '1', '--user', 'Bob', ...at()])
    expect(refused).toMatchObject({
      status: 4,
      stderr: expect.stringContaining(`fish-cli login Bob ${at().join(' ')}`),
    })
    expect((await fish(['add', 'Cod', '-r', '1', '--user', 'ALEX'])).status).toBe(0)
  })

  test('is overridden by the environment', async () => {
    await login()
    const env = { FISH_KEY: Buffer.alloc(32, 7).toString('base64') }
    expect((await fish(['add', 'Cod', '-r', '1'], env)).status).toBe(4)
    expect(JSON.parse((await fish(['whoami', '--offline', '--json'], env)).stdout).key).toBe('environment')
  })

  test('is removed by logout, which keeps the profile', async () => {
    await login()
    expect(await filesWith(context.alex.fernetKey, home)).toEqual([secretsFile()])
    expect(JSON.parse((await fish(['logout', '--json'])).stdout)).toEqual({
      profile: 'default',
      removed: 'file',
    })
    expect(await filesWith(context.alex.fernetKey, home)).toEqual([])
    expect(JSON.parse((await fish(['whoami', '--json'])).stdout)).toMatchObject({ user: 'Alex', key: null })
    const again = { status: 0, stdout: 'Profile default has no stored secrets.\n', stderr: '' }
    expect(await fish(['logout'])).toMatchObject(again)
  })

  test('is removed when its profile is removed', async () => {
    await login()
    await fish(['profile', 'default', '--remove', '--yes'])
    expect(await filesWith(context.alex.fernetKey, home)).toEqual([])
    expect((await fish(['logout'])).status).toBe(4)
  })

  test('is stored for each profile when logins to several profiles run at the same time', async () => {
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map((name) => login({}, '--profile', name)))
    expect(Object.keys(JSON.parse(await readFile(secretsFile(), 'utf8')).profiles).sort()).toEqual(names)
    for (const name of names) expect((await fish(['whoami', '--profile', name])).status).toBe(0)
  })
})

// On other systems, the environment cannot make the keyring unavailable.
describe.skipIf(process.platform !== 'linux')('a missing keyring (Linux: no session bus)', () => {
  beforeEach(async () => {
    await login()
    const config = JSON.parse(await readFile(configFile(), 'utf8'))
    config.profiles.default.secrets = 'keyring'
    await writeFile(configFile(), JSON.stringify(config))
    await rm(secretsFile())
  })

  test('is reported by the commands that need the keyring', async () => {
    for (const argv of [['whoami'], ['add', 'Cod', '-r', '1'], ['logout']]) {
      const { status, stdout } = await fish([...argv, '--json'])
      expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 4, code: 'keyring_unavailable' })
    }
  })

  test('does not prevent a login that stores secrets in a file', async () => {
    expect((await login()).status).toBe(0)
    expect(JSON.parse((await fish(['whoami', '--json'])).stdout)).toMatchObject({ key: 'file', accepted: true })
  })

  test('does not prevent the removal of a profile, which exits with 7 because the secrets remain', async () => {
    const { status, stdout } = await fish(['profile', 'default', '--remove', '-y', '--json'])
    expect({ status, removed: JSON.parse(stdout).secretsRemoved }).toEqual({ status: 7, removed: false })
    expect(JSON.parse((await fish(['profile', '--json'])).stdout).profiles).toEqual([])
  })
})

describe('whoami', () => {
  test('reports where the key is stored and whether the service accepts the key, but prints no secret', async () => {
    await login()
    const { status, stdout } = await fish(['whoami', '--json'])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      profile: 'default',
      url: context.service.url,
      user: 'Alex',
      gamemode: 'earth',
      key: 'file',
      apiKey: null,
      admin: null,
      sessionUntil: null,
      accepted: true,
    })
  })

  test('prints a line for each field on a terminal', async () => {
    await login()
    const { stdout } = await fish(['whoami'], {}, { terminal: true, columns: 80, rows: 24 })
    expect(stdout).toBe(
      `profile: default\nurl: ${context.service.url}\nuser: Alex\ngamemode: earth\nkey: file\napi key: none\n` +
        'accepted: yes\nadmin: none\nsession until (local): none\n',
    )
  })

  test('checks the key without adding a catch', async () => {
    const { password } = await newPlayer('Witness')
    await fish(['login', 'Witness', ...at(), '-g', 'earth'], { FISH_PASSWORD: password })
    await fish(['whoami'])
    for (const gamemode of ['oneblock', 'earth', 'survival', 'factions']) {
      expect(JSON.parse((await fish(['list', '-g', gamemode, '--json'])).stdout).fish).toEqual([])
    }
  })

  test('exits with 4 after a reset of the key, or if no login is stored', async () => {
    const { password } = await newPlayer('Reset')
    await fish(['login', 'Reset', ...at()], { FISH_PASSWORD: password })
    await run(['user', 'reset', 'Reset', '-t', 'fernet', '--yes', '--show'], { env: context.admin })
    const refused = await fish(['whoami', '--json', ...at()])
    expect(refused.status).toBe(4)
    expect(JSON.parse(refused.stdout).error.hint).toContain(`fish-cli login Reset ${at().join(' ')}`)
    expect((await fish(['doctor', ...at(), '--csv'])).stdout).toContain(`fish-cli login Reset ${at().join(' ')}`)
    expect((await fish(['whoami', '--offline'])).status).toBe(0)
    const notAdded = await fish(['add', 'Cod', '-r', 'bronze', '-g', 'earth'])
    expect(notAdded).toMatchObject({ status: 4, stderr: expect.stringContaining('log in again: fish-cli login') })
    await fish(['profile', 'default', '--remove', '-y'])
    expect((await fish(['whoami'])).stderr).toContain('You are not logged in')
  })
})

describe('the session of an administrator', () => {
  const admin = (...more: readonly string[]) =>
    fish(['login', 'admin', '--admin', ...at(), ...more], { FISH_ADMIN_PASSWORD: ADMIN_PASSWORD })

  test('is stored instead of the password, has an expiry time, and authorizes later commands', async () => {
    const { status, stdout } = await admin('--json')
    expect(status).toBe(0)
    expect(Date.parse(JSON.parse(stdout).expiresAt)).toBeGreaterThan(Date.now())
    expect(await filesWith(ADMIN_PASSWORD, home)).toEqual([])
    expect((await fish(['user', 'create', 'Sessioned'])).status).toBe(0)
  })

  test('is reported by whoami and doctor if the service rejects the session', async () => {
    await admin()
    expect(JSON.parse((await fish(['whoami', '--json'])).stdout)).toMatchObject({ admin: 'admin', accepted: true })
    const stored = JSON.parse(await readFile(secretsFile(), 'utf8'))
    stored.profiles.default.session.token += 'x'
    await writeFile(secretsFile(), JSON.stringify(stored))
    const refused = await fish(['whoami', '--json', ...at()])
    expect(refused.status).toBe(4)
    const next = `Log in again: fish-cli login admin --admin ${at().join(' ')}`
    expect(JSON.parse(refused.stdout).error).toMatchObject({ code: 'invalid_session', hint: next })
    const { stdout } = await fish(['doctor', '--csv', ...at()])
    expect(stdout).toMatch(/^session,warn/m)
    expect(stdout).toContain(next)
  })

  test('is ended at the service by logout, which warns if the service does not confirm the end of the session', async () => {
    await admin()
    const before = await readFile(secretsFile(), 'utf8')
    expect((await fish(['logout'])).stderr).not.toContain('did not confirm')
    await admin()
    await writeFile(secretsFile(), before)
    expect(JSON.parse((await fish(['whoami', '--json'])).stdout).error).toMatchObject({ code: 'invalid_session' })
    await admin()
    const stored = await readFile(secretsFile(), 'utf8')
    await writeFile(secretsFile(), stored.replaceAll(JSON.parse(stored).profiles.default.url, 'http://127.0.0.1:1'))
    const { status, stderr } = await fish(['logout'])
    expect([status, stderr]).toEqual([0, expect.stringContaining('did not confirm that the session ended')])
    expect(await filesWith(JSON.parse(stored).profiles.default.session.token, home)).toEqual([])
  })

  test('is never sent to another service when its profile logs in there', async () => {
    await using other = await createMock({ seed: { users: [{ name: 'Alex', password: 'alex-password' }] } })
    const { url } = await other.serve()
    await admin()
    const { token } = JSON.parse(await readFile(secretsFile(), 'utf8')).profiles.default.session
    const moved = ['login', 'Alex', '--url', url, '--profile', 'default', '--yes']
    expect((await fish(moved, { FISH_PASSWORD: 'alex-password' })).status).toBe(0)
    expect(await fish(['audit'])).toMatchObject({ status: 4, stderr: expect.stringContaining('FISH_ADMIN_PASSWORD') })
    await fish(['whoami'])
    await fish(['logout'])
    expect(other.requests.map(({ route }) => route)).toEqual(['getUserKey', 'postFish', 'postFish'])
    expect(await filesWith(token, home)).toEqual([])
  })

  test('requires the password again after it has expired', async () => {
    await admin()
    const stored = JSON.parse(await readFile(secretsFile(), 'utf8'))
    stored.profiles.default.session.expiresAt = '2020-01-01T00:00:00.000Z'
    await writeFile(secretsFile(), JSON.stringify(stored))
    const { status, stderr } = await fish(['user', 'create', 'Late'])
    expect(status).toBe(4)
    expect(stderr).toContain('FISH_ADMIN_PASSWORD')
  })

  test('authorizes the reset of a key, which needs confirmation', async () => {
    const reset = ['user', 'reset', '--type', 'fernet']
    const { fernetKey } = await newPlayer('Rota')
    await admin()
    expect((await fish([...reset, 'Rota', '--show'])).status).toBe(2)
    expect((await fish([...reset, 'Nobody', '--yes', '--show'])).status).toBe(5)
    const { status, stdout } = await fish([...reset, 'Rota', '--yes', '--show'])
    expect({ status, isNew: stdout.trim() !== fernetKey }).toEqual({ status: 0, isNew: true })
    const out = join(home, 'rota.key')
    expect((await fish([...reset, 'Rota', '-y', '--out', out])).status).toBe(0)
    expect((await stat(out)).mode & 0o777).toBe(0o600)
  })
})

describe('login flags that take no value', () => {
  test.each([['--no-input=canary'], ['--password-stdin=canary'], ['--with-api-key=canary'], ['--admin=canary']])(
    'reject a value, and do not print the value: %s',
    async (flag) => {
      const { status, stderr } = await fish(['login', flag], {}, { terminal: true, typed: '\r' })
      expect(status).toBe(2)
      expect(stderr).toContain('takes no value')
      expect(stderr).not.toContain('canary')
    },
  )
})
