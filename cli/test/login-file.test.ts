import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { filesWith, newFolder, xdgFolders } from './folders.ts'
import { type Env, type RunOptions, run, serviceContext, startImpostor } from './harness.ts'

const context = serviceContext()
let home: string
let base: Env
let file: string

beforeEach(() => {
  home = newFolder()
  base = { ...xdgFolders(home), FISH_MAX_WAIT: '0' }
  file = join(home, 'login.json')
})

const fish = (argv: readonly string[], env: Env = {}, options: RunOptions = {}) =>
  run(argv, { ...options, env: { ...base, ...env } })
const create = (name: string, ...more: readonly string[]) =>
  run(['user', 'create', name, ...more], { env: { ...context.admin, ...xdgFolders(home) } })
const whoami = async () => JSON.parse((await fish(['whoami', '--json'])).stdout)

let players = 0

/** Creates a player with a login file, and returns the content of the file. */
async function newPlayer(...more: readonly string[]) {
  players += 1
  const name = `Login${players}`
  expect(await create(name, '--login-file', file, ...more)).toMatchObject({ status: 0 })
  return JSON.parse(await readFile(file, 'utf8'))
}

/** Replaces fields of the login file. */
const edit = async (changed: object) =>
  writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...changed }))

describe('user create --login-file', () => {
  test('writes the login of a player to a file that only its owner can read, and prints no secret', async () => {
    const { status, stdout, stderr } = await create('Wanda', '--login-file', file, '--gamemode', 'Survival')
    expect(status).toBe(0)
    const login = JSON.parse(await readFile(file, 'utf8'))
    expect(login).toEqual({
      version: 1,
      service: context.service.url,
      name: 'Wanda',
      password: expect.any(String),
      fernetKey: expect.any(String),
      apiKey: expect.any(String),
      gamemode: 'survival',
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    for (const secret of [login.password, login.fernetKey, login.apiKey]) expect(stdout + stderr).not.toContain(secret)
    expect(stdout).toContain(`fish-cli login --from ${file}`)
    expect(stderr).toContain('which only this machine can reach')
  })

  test('replaces an existing file only with --force, and otherwise creates no player', async () => {
    await writeFile(file, 'mine')
    expect(await create('Once', '--login-file', file)).toMatchObject({ status: 6 })
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect(await create('Once', '--login-file', file, '--force')).toMatchObject({ status: 0 })
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ name: 'Once' })
  })

  test('prints the login on stdout if the path is -', async () => {
    const { status, stdout } = await create('Piped', '--login-file', '-')
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { version: 1, name: 'Piped' }])
  })

  test.each([
    ['--gamemode without a login file', ['--gamemode', 'earth']],
    ['an unknown gamemode', ['--gamemode', 'canary', '--login-file', 'x.json']],
  ])('rejects %s', async (_title, more) => {
    expect(await create('Nobody', ...more)).toMatchObject({ status: 2 })
  })
})

describe('login --from', () => {
  test('stores the service, name, key, API key and gamemode, so that add needs no further settings', async () => {
    const { name, fernetKey, apiKey, password } = await newPlayer('--gamemode', 'survival')
    const { status, stderr } = await fish(['login', '--from', file])
    expect(status).toBe(0)
    expect(stderr).toContain('contains your secrets. Write the password down')
    expect(await whoami()).toMatchObject({ url: context.service.url, user: name, gamemode: 'survival', apiKey: 'file' })
    expect((await fish(['add', 'Koi', '-r', 'gold'])).status).toBe(0)
    for (const secret of [fernetKey, apiKey]) expect(await filesWith(secret, home)).toHaveLength(2)
    expect(await filesWith(password, home)).toEqual([file])
  })

  test('sends the secrets only to the service that the file names, even if the environment contains a different address', async () => {
    await newPlayer()
    const seen: string[] = []
    const other = await startImpostor((request, response) => {
      seen.push(request.url ?? '')
      response.end()
    })
    expect(await fish(['login', '--from', file], { FISH_URL: other.url, FISH_USER: 'Bob' })).toMatchObject({
      status: 0,
    })
    other.close()
    expect(seen).toEqual([])
  })

  test('accepts a file with a key but no password, or with a password but no key', async () => {
    const { name } = await newPlayer()
    for (const changed of [{ password: undefined }, { fernetKey: undefined, apiKey: undefined }]) {
      await edit(changed)
      if (!('password' in changed)) await edit({ password: (await resetPassword(name)).secret })
      expect(await fish(['login', '--from', file, '--yes'])).toMatchObject({ status: 0 })
      expect(await whoami()).toMatchObject({ user: name, accepted: true })
    }
  })

  test('fetches the current key with the password, because the key in the file may have been replaced', async () => {
    const { name } = await newPlayer()
    const reset = ['user', 'reset', name, '--type', 'fernet', '--yes', '--show']
    expect(await run(reset, { env: context.admin })).toMatchObject({ status: 0 })
    expect(await fish(['login', '--from', file])).toMatchObject({ status: 0 })
    expect(await whoami()).toMatchObject({ accepted: true })
  })

  test.each([
    ['a wrong password', { password: 'canary-password' }, 'invalid_credentials'],
    ['a wrong key', { password: undefined, fernetKey: Buffer.alloc(32, 1).toString('base64') }, 'invalid_key'],
    ['a wrong API key', { apiKey: 'fck_canary' }, 'invalid_api_key'],
    ['no password and no key', { password: undefined, fernetKey: undefined }, 'missing_credentials'],
  ])('stores nothing with %s, and prints no secret', async (_title, changed, code) => {
    await newPlayer()
    await edit(changed)
    const { status, stdout } = await fish(['login', '--from', file, '--json'])
    expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 4, code })
    expect(stdout).not.toContain('canary')
    expect(await filesWith('profiles', home)).toEqual([])
  })

  test.each([
    ['a file that is not JSON', 'canary'],
    ['a JSON array', '["canary"]'],
    ['another version', '{"version":2,"service":"http://canary","name":"Alex"}'],
    ['a file without a name', '{"version":1,"service":"http://canary"}'],
    ['an invalid service address', '{"version":1,"service":"canary","name":"Alex"}'],
    ['a password with a line break', '{"version":1,"service":"http://canary","name":"Alex","password":"canary\\n"}'],
  ])('rejects %s, and does not print the content', async (_title, text) => {
    await writeFile(file, text)
    const { status, stdout } = await fish(['login', '--from', file, '--json'])
    expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 2, code: 'invalid_login_file' })
    expect(stdout).not.toContain('canary')
  })

  test('rejects a missing file, a player other than the player in the file, and flags that conflict with the file', async () => {
    expect(await fish(['login', '--from', join(home, 'none')])).toMatchObject({ status: 5 })
    await newPlayer()
    for (const more of [['Bob'], ['--admin'], ['--password-stdin'], ['--with-api-key']]) {
      expect(await fish(['login', '--from', file, ...more])).toMatchObject({ status: 2 })
    }
  })

  test('deletes the file only after confirmation, and warns if other users can read the file', async () => {
    await newPlayer('--gamemode', 'earth')
    await chmod(file, 0o644)
    const kept = await fish(['login', '--from', file, '--yes'], {}, { terminal: true, typed: 'n\r' })
    expect(kept.stderr).toContain(`Others can read ${file}`)
    expect((await stat(file)).isFile()).toBe(true)
    const removed = await fish(['login', '--from', file], {}, { terminal: true, typed: 'y\r' })
    expect(removed).toMatchObject({ status: 0, stderr: expect.stringContaining('Deleted') })
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })
})

async function resetPassword(name: string) {
  const { stdout } = await run(['user', 'reset', name, '--type', 'password', '--yes', '--show', '--json'], {
    env: context.admin,
  })
  return JSON.parse(stdout)
}
