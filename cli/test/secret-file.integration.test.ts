import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createMock, type Mock, type MockServer } from '@fish-crab/mocks'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import type { OpenEntry } from '../src/core/context.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, type RunOptions, run, startImpostor } from './harness.ts'

const PROGRAM = inject('program')
const PASSWORD = 'canary-admin-password'
const KEY = /^[\w+/=-]{44}\n$/
const POSIX =
  process.platform === 'win32' ? ' (not on Windows: it has no named pipes, ulimit or links for everybody)' : ''

let mock: Mock
let served: MockServer
let folder: string
let env: Env

beforeAll(async () => {
  const users = [{ name: 'Alex', password: 'canary-Alex-password' }]
  mock = await createMock({ seed: { users, admins: [{ username: 'admin', password: PASSWORD }] } })
  served = await mock.serve()
})

afterAll(() => served.close())

beforeEach(async () => {
  await mock.reset()
  folder = newFolder()
  env = {
    FISH_URL: served.url,
    FISH_MAX_WAIT: '0',
    FISH_USER: 'Alex',
    FISH_ADMIN_PASSWORD: PASSWORD,
    ...xdgFolders(folder),
  }
})

const fish = (argv: readonly string[], options: RunOptions = {}) =>
  run(argv, { ...options, env: { ...env, ...options.env } })
const SECRET_ROUTES = ['getUserKey', 'resetUser', 'createUser']
const secretRequests = () => mock.requests.filter(({ route }) => SECRET_ROUTES.includes(route))
const resets = () => mock.requests.filter(({ route }) => route === 'resetUser')

/** The commands that write a secret to a file, and the hint after a loss. */
const COMMANDS = [
  { argv: ['key', 'Alex'], flag: '--out', again: /another FILE/ },
  {
    argv: ['user', 'reset', 'Alex', '--type', 'api-key', '--yes'],
    flag: '--out',
    again: /another FILE: fish-cli user reset Alex --type api-key --out FILE --url \S+$/,
  },
  {
    argv: ['user', 'create', 'Dora'],
    flag: '--login-file',
    again: /fish-cli user reset Dora --type password --out FILE --url \S+, and/,
  },
].map((command) => ({ ...command, title: command.argv.slice(0, 2).join(' ') }))

/** The service, where something happens on this machine just before it does what it is asked. */
async function serviceAfter(happening: () => void): Promise<string> {
  const between = await startImpostor(async (request, response) => {
    const body = await text(request)
    if (request.url !== '/admin/login') happening()
    const { host: _, connection: __, ...headers } = request.headers
    const answer = await fetch(`${served.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body === '' ? {} : { body }),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  })
  onTestFinished(() => void between.close())
  return between.url
}

test('space for a secret is reserved before the request, and the secret is on the disk before success is reported', async () => {
  const probe = await open(join(folder, 'probe'), 'w')
  const sync = vi.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'sync')
  onTestFinished(() => sync.mockRestore())
  await probe.close()
  const out = join(folder, 'new.key')
  const synced: { readonly asked: number; readonly size: number }[] = []
  sync.mockImplementation(async function (this: FileHandle) {
    await this.datasync()
    synced.push({ asked: resets().length, size: (await this.stat()).size })
  })
  expect((await fish(['user', 'reset', 'Alex', '-t', 'fernet', '--yes', '--out', out])).status).toBe(0)
  expect(synced).toEqual([
    { asked: 0, size: 4096 },
    { asked: 1, size: 45 },
  ])
  expect(readFileSync(out, 'utf8')).toMatch(KEY)
})

describe.each(COMMANDS)('$title $flag', ({ argv, flag, again }) => {
  test('has space on the disk before the request, and leaves nothing of it', async () => {
    const file = join(folder, 'secret')
    let before = 0
    const FISH_URL = await serviceAfter(() => {
      before = statSync(file).size
    })
    expect(await fish([...argv, flag, file], { env: { FISH_URL } })).toMatchObject({ status: 0, stderr: '' })
    expect(before).toBeGreaterThanOrEqual(4096)
    expect(readFileSync(file, 'utf8')).toMatch(/^\S[^\0]*\S\n$/)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('says what the service has done when the file fails after all, and what to type next', async () => {
    const file = join(folder, 'secret')
    const FISH_URL = await serviceAfter(() => mkdirSync(file, { recursive: true }))
    const { status, stdout } = await fish([...argv, flag, file, '--force', '--json', '--url', FISH_URL])
    const { error } = JSON.parse(stdout)
    expect({ status, code: error.code }).toEqual({ status: 7, code: 'secret_not_saved' })
    expect(error.message).toMatch(/^(The service|The old) .*could not be saved\.$/)
    expect(error.hint).toMatch(again)
    expect(readdirSync(folder)).toEqual(['secret'])
  })

  test('ends with nothing done for a name that ends as a folder does', async () => {
    for (const how of [[], ['--force']]) {
      const { status, stdout } = await fish([...argv, flag, join(folder, 'new/'), ...how, '--json'])
      expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 2, code: 'usage' })
    }
    expect(secretRequests()).toEqual([])
  })

  describe.skipIf(POSIX !== '')(`on POSIX${POSIX}`, () => {
    test('replaces nothing but a regular file, with --force too', async () => {
      const places = ['pipe', 'link', 'nowhere', 'folder'].map((name) => join(folder, name))
      const [pipe = '', link = '', nowhere = '', inner = ''] = places
      execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe])
      writeFileSync(join(folder, 'target'), 'old')
      symlinkSync('target', link)
      symlinkSync('absent', nowhere)
      mkdirSync(inner)
      const kinds = () => readdirSync(folder).map((name) => [name, lstatSync(join(folder, name)).mode])
      const before = kinds()
      for (const place of places) {
        for (const how of [[], ['--force']]) {
          const { status, stdout } = await fish([...argv, flag, place, ...how, '--json'])
          const { code, message } = JSON.parse(stdout).error
          expect({ place, status, code }).toEqual({ place, status: 6, code: 'file_exists' })
          expect(message).toContain('not a regular file')
        }
      }
      expect(kinds()).toEqual(before)
      expect(readFileSync(link, 'utf8')).toBe('old')
      expect(secretRequests()).toEqual([])
    })

    test('detects a full disk before the request', async () => {
      const file = join(folder, 'secret')
      // A limit for files instead of a full disk: the signal that comes with it would end the process.
      const limited = `trap '' XFSZ; ulimit -f 1; exec "$@"`
      const child = spawn('sh', ['-c', limited, 'sh', process.execPath, PROGRAM, ...argv, flag, file, '--json'], {
        // No cache of compiled code: nothing but the secret may be written below the folder.
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          XDG_CACHE_HOME: '/dev/null/cache',
          FISH_SECRET_STORE: 'file',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
      const { code, message } = JSON.parse(stdout).error
      expect({ status, code }).toEqual({ status: 1, code: 'file_not_written' })
      expect(message).toContain('EFBIG')
      expect(readdirSync(folder)).toEqual([])
      expect(secretRequests()).toEqual([])
    })
  })
})

const RENEWALS = [{ argv: ['user', 'reset', 'alex', '--type', 'fernet'], ways: ['--yes', '--dry-run'] }]

describe.each(RENEWALS)('a stored key that $argv replaces', ({ argv, ways }) => {
  const logIn = async (options: RunOptions = {}) => {
    const asAlex = { ...options, env: { ...options.env, FISH_PASSWORD: 'canary-Alex-password' } }
    expect(await fish(['login', 'Alex', '--url', served.url], asAlex)).toMatchObject({ status: 0 })
    return join(folder, 'state', 'fish-crab', 'secrets.json')
  }

  test('is replaced only where the stored one can be replaced', async () => {
    const secrets = await logIn()
    // Even who may do everything cannot remove this as a file.
    mkdirSync(`${secrets}.new`)
    const answer = await fish([...argv, '--yes', '--show', '--out', join(folder, 'secret'), '--json'])
    expect({ ...answer, stdout: JSON.parse(answer.stdout).error.code }).toEqual({
      status: 1,
      stdout: 'file_not_written',
      stderr: '',
    })
    expect(readdirSync(folder)).not.toContain('secret')
    expect(resets()).toEqual([])
  })

  test('is replaced only where the stored one can be read, in a dry run too', async () => {
    const secrets = await logIn()
    writeFileSync(secrets, 'canary')
    for (const how of ways) {
      const { status, stdout } = await fish([...argv, how, '--json'])
      expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 4, code: 'invalid_secrets' })
    }
    expect(resets()).toEqual([])
  })

  test('stays when the service fails, and a dry run changes no byte', async () => {
    const secrets = await logIn()
    // Not as it would be written.
    const strange = JSON.stringify(JSON.parse(readFileSync(secrets, 'utf8')))
    writeFileSync(secrets, strange)
    if (ways.includes('--dry-run')) expect(await fish([...argv, '--dry-run'])).toMatchObject({ status: 0 })
    expect(readFileSync(secrets, 'utf8')).toBe(strange)
    mock.fail({ status: 500 }, { on: 'resetUser' })
    expect(await fish([...argv, '--yes'])).toMatchObject({ status: 1 })
    expect(JSON.parse(readFileSync(secrets, 'utf8'))).toEqual(JSON.parse(strange))
  })

  describe('that cannot be stored after the response', () => {
    const entries = new Map<string, string>()
    /** A keyring that lets nothing in once the service has made the key. */
    const keyring: OpenEntry = (_, account) => ({
      getPassword: async () => entries.get(account) ?? null,
      setPassword: async (password) => {
        if (resets().length > 0) throw new Error('canary')
        entries.set(account, password)
      },
      deletePassword: async () => entries.delete(account),
    })
    const options = { keyring, env: { FISH_SECRET_STORE: '' } }

    beforeEach(async () => {
      entries.clear()
      await logIn(options)
    })

    const message = expect.stringMatching(
      /^fish-cli: The old (Fernet )?key of alex is no longer valid, .* was not saved .*keyring/,
    )

    test('is printed all the same, and the status is 7', async () => {
      const { status, stdout, stderr } = await fish([...argv, '--yes', '--show'], options)
      expect({ status, stderr }).toEqual({ status: 7, stderr: message })
      expect(stdout).toMatch(KEY)
      expect(stderr).not.toContain('canary')
    })

    test('is in the one JSON document, which says that it is not stored', async () => {
      const { status, stdout, stderr } = await fish([...argv, '--yes', '--show', '--json'], options)
      expect({ status, stderr }).toEqual({ status: 7, stderr: message })
      const document = JSON.parse(stdout)
      expect(document).toMatchObject({ user: 'alex', masked: false, stored: false })
      expect(`${document.secret ?? document.fernetKey}\n`).toMatch(KEY)
    })

    test('is in its file, which stays', async () => {
      const file = join(folder, 'secret')
      const { status, stdout, stderr } = await fish([...argv, '--yes', '--out', file, '--json'], options)
      expect({ status, stderr }).toEqual({ status: 7, stderr: message })
      expect(JSON.parse(stdout)).toMatchObject({ user: 'alex', file, stored: false })
      expect(readFileSync(file, 'utf8')).toMatch(KEY)
    })
  })

  test('is stored even where its file fails', async () => {
    const secrets = await logIn()
    const before = readFileSync(secrets, 'utf8')
    const file = join(folder, 'secret')
    // The service is another one by its address, unless the login was there too.
    const url = await serviceAfter(() => mkdirSync(file, { recursive: true }))
    for (const path of [secrets, join(folder, 'config', 'fish-crab', 'config.json')]) {
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(served.url, url))
    }
    const { status } = await fish([...argv, '--yes', '--out', file, '--force'], { env: { FISH_URL: url } })
    expect(status).toBe(7)
    const keyOf = (content: string) => JSON.parse(content).profiles.default.fernetKey
    expect(keyOf(readFileSync(secrets, 'utf8'))).not.toBe(keyOf(before))
  })
})
