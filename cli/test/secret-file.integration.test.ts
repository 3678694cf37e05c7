import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createMock, type Mock, type MockServer } from '@fish-crab/mocks'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
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

/** The commands that write a secret to a file, and the pattern of the hint if the secret is lost. */
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

/** Starts a proxy that calls `happening` before it forwards a request, except for logins and reads of the account and the status. */
async function serviceAfter(happening: () => void): Promise<string> {
  const between = await startImpostor(async (request, response) => {
    const body = await text(request)
    if (!['/admin/login', '/admin/me', '/status'].includes(request.url ?? '')) happening()
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
  test('reserves space on the disk before the request, and leaves no padding', async () => {
    const file = join(folder, 'secret')
    let before = 0
    const FISH_URL = await serviceAfter(() => {
      before = statSync(file).size
    })
    expect(await fish([...argv, flag, file], { env: { FISH_URL } })).toMatchObject({ status: 0 })
    expect(before).toBeGreaterThanOrEqual(4096)
    expect(readFileSync(file, 'utf8')).toMatch(/^\S[^\0]*\S\n$/)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('reports the completed change at the service and the next command if the file then cannot be written', async () => {
    const file = join(folder, 'secret')
    const FISH_URL = await serviceAfter(() => mkdirSync(file, { recursive: true }))
    const { status, stdout } = await fish([...argv, flag, file, '--force', '--json', '--url', FISH_URL])
    const { error } = JSON.parse(stdout)
    expect({ status, code: error.code }).toEqual({ status: 7, code: 'secret_not_saved' })
    expect(error.message).toMatch(/^(The service|The old) .*could not be saved\.$/)
    expect(error.hint).toMatch(again)
    expect(readdirSync(folder)).toEqual(['secret'])
  })

  test('sends no request if the name of the file ends with a slash', async () => {
    for (const how of [[], ['--force']]) {
      const { status, stdout } = await fish([...argv, flag, join(folder, 'new/'), ...how, '--json'])
      expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 2, code: 'usage' })
    }
    expect(secretRequests()).toEqual([])
  })

  describe.skipIf(POSIX !== '')(`on POSIX${POSIX}`, () => {
    test('replaces only a regular file, even with --force', async () => {
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
      // A limit of the file size simulates a full disk. The trap is needed because the signal of the limit would end
      // the process.
      const limited = `trap '' XFSZ; ulimit -f 1; exec "$@"`
      const child = spawn('sh', ['-c', limited, 'sh', process.execPath, PROGRAM, ...argv, flag, file, '--json'], {
        // Prevent the cache of compiled code, because the test expects no other files in the folder.
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
