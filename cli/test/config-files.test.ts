import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { newFolder, writeProfiles, xdgFolders } from './folders.ts'
import { type Env, run } from './harness.ts'

// Requests to this service fail, and the command exits with 69.
const UNREACHABLE = 'http://127.0.0.1:1'

const COMMANDS = {
  login: ['login', 'Alex', '--url', UNREACHABLE],
  'login of an administrator': ['login', 'mia', '--admin', '--url', UNREACHABLE, '--yes'],
  logout: ['logout'],
  'profile work': ['profile', 'work'],
  'profile home --remove': ['profile', 'home', '--remove', '--yes'],
  'profile work --remove': ['profile', 'work', '--remove', '--yes'],
  'config max-wait 30': ['config', 'max-wait', '30'],
  'config max-wait --unset': ['config', 'max-wait', '--unset'],
} as const

const CONFIG = 'config/fish-crab/config.json'
const SECRETS = 'state/fish-crab/secrets.json'
const LOCK = 'state/fish-crab/changes.lock'
const READABLE = { version: 1, profiles: { home: { url: UNREACHABLE, user: 'Alex', fernetKey: 'k' } } }

let home: string
let env: Env
const at = (path: string) => join(home, path)

function put(path: string, content: string, mode = 0o600) {
  rmSync(at(path), { recursive: true, force: true })
  writeFileSync(at(path), content, { mode })
}

function putFolder(path: string) {
  rmSync(at(path), { recursive: true, force: true })
  mkdirSync(at(path), { recursive: true, mode: 0o700 })
}

// Each entry damages files. The code is the error code of the login if the login reports the damage before its first
// request, otherwise null.
const DAMAGES: Readonly<Record<string, readonly [code: string | null, damage: () => void]>> = {
  'the configuration folder is a file': [null, () => put('config/fish-crab', '')],
  'the folder above the configuration folder is a file': [null, () => put('config', '')],
  'the folder above the configuration folder is a dangling link': [
    null,
    () => {
      rmSync(at('config'), { recursive: true })
      symlinkSync(at('nothing'), at('config'))
    },
  ],
  'the configuration is a folder': ['file_not_read', () => putFolder(CONFIG)],
  'the configuration is broken': ['invalid_config', () => put(CONFIG, '{')],
  'the temporary file of the configuration is a folder': [null, () => putFolder(`${CONFIG}.new`)],
  'the state folder is a file': [null, () => put('state/fish-crab', '')],
  'the folder above the state folder is a file': [null, () => put('state', '')],
  'the lock is a folder': [null, () => putFolder(LOCK)],
  'the lock is a file with unknown content': [null, () => put(LOCK, 'no lock, but long enough for one: '.repeat(100))],
  'the secrets are a folder': ['file_not_read', () => putFolder(SECRETS)],
  'the secrets are broken': ['invalid_secrets', () => put(SECRETS, '{')],
  'the secrets are readable by others': ['secrets_not_private', () => put(SECRETS, JSON.stringify(READABLE), 0o644)],
  'the secrets were written by a newer version': ['secrets_too_new', () => put(SECRETS, '{"version":2}')],
  'the temporary file of the secrets is a folder': [null, () => putFolder(`${SECRETS}.new`)],
}

/** The path, modification time and content of every file below the test folder. */
function everything() {
  const paths = readdirSync(home, { recursive: true, encoding: 'utf8' })
  return paths.sort().map((path) => {
    const found = statSync(at(path), { throwIfNoEntry: false })
    return [path, found?.mtimeMs, found?.isFile() && readFileSync(at(path), 'utf8')]
  })
}

async function outcome(argv: readonly string[]) {
  const { status, stdout } = await run([...argv, '--json'], { env })
  return { status, error: JSON.parse(stdout).error }
}

beforeEach(async () => {
  home = newFolder()
  env = { ...xdgFolders(home), FISH_MAX_WAIT: '0', FISH_PASSWORD: 'x', FISH_ADMIN_PASSWORD: 'x' }
  const alex = { url: UNREACHABLE, user: 'Alex' }
  await writeProfiles(home, { home: { ...alex, secrets: 'file' }, work: alex })
  mkdirSync(at('state/fish-crab'), { recursive: true, mode: 0o700 })
  put(SECRETS, JSON.stringify(READABLE))
})

describe.each(Object.entries(DAMAGES))('if %s', (_, [, damage]) => {
  test.each(Object.entries(COMMANDS))('a failed "%s" does not change the configuration', async (_name, argv) => {
    damage()
    const configuration = () => everything().filter(([path]) => String(path).startsWith('config'))
    const before = configuration()
    const { status } = await outcome(argv)
    if (status !== 0) expect(configuration()).toEqual(before)
  })
})

test.each(Object.entries(DAMAGES).filter(([, [code]]) => code !== null))(
  'a login reports the problem before it sends a request if %s',
  async (_, [code, damage]) => {
    damage()
    expect((await outcome(COMMANDS.login)).error.code).toBe(code)
  },
)
