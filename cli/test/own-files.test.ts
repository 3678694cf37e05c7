import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkReplaceable, makeFolderOf, replaceFile } from '../src/config/files.ts'
import { keptIn, newFolder } from './folders.ts'
import { type Env, run } from './harness.ts'

// Whoever asks this service ends with 69.
const NOBODY = 'http://127.0.0.1:1'

const DEEDS = {
  login: ['login', 'Alex', '--url', NOBODY],
  'login of an administrator': ['login', 'mia', '--admin', '--url', NOBODY, '--yes'],
  logout: ['logout'],
  'profile add': ['profile', 'add', 'x', '--url', NOBODY],
  'profile use': ['profile', 'use', 'work'],
  'profile remove': ['profile', 'remove', 'home', '--yes'],
  'profile remove without secrets': ['profile', 'remove', 'work', '--yes'],
  'config set': ['config', 'set', 'output', 'csv'],
  'config unset': ['config', 'unset', 'output'],
} as const

const CONFIG = 'config/fish-crab/config.json'
const SECRETS = 'state/fish-crab/secrets.json'
const LOCK = 'state/fish-crab/changes.lock'
const READABLE = { version: 1, profiles: { home: { url: NOBODY, user: 'Alex', fernetKey: 'k' } } }

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

// What is wrong, and what a login says of it.
const DAMAGES: Readonly<Record<string, readonly [code: string, deed: () => void]>> = {
  'the folder of the configuration is a file': ['file_not_written', () => put('config/fish-crab', '')],
  'the folder above is a file': ['file_not_written', () => put('config', '')],
  'the folder of the configuration is a link to nothing': [
    'file_not_written',
    () => {
      rmSync(at('config'), { recursive: true })
      symlinkSync(at('nothing'), at('config'))
    },
  ],
  'the configuration is a folder': ['file_not_read', () => putFolder(CONFIG)],
  'the configuration is broken': ['invalid_config', () => put(CONFIG, '{')],
  'the draft of the configuration is a folder': ['file_not_written', () => putFolder(`${CONFIG}.new`)],
  'the state folder is a file': ['file_not_locked', () => put('state/fish-crab', '')],
  'the folder above the state folder is a file': ['file_not_locked', () => put('state', '')],
  'the lock is a folder': ['file_not_locked', () => putFolder(LOCK)],
  'the lock is something else': ['file_not_locked', () => put(LOCK, 'no lock, but long enough for one: '.repeat(100))],
  'the secrets are a folder': ['file_not_read', () => putFolder(SECRETS)],
  'the secrets are broken': ['invalid_secrets', () => put(SECRETS, '{')],
  'the secrets are readable by others': ['secrets_not_private', () => put(SECRETS, JSON.stringify(READABLE), 0o644)],
  'the secrets are of a newer program': ['secrets_too_new', () => put(SECRETS, '{"version":2}')],
  'the draft of the secrets is a folder': ['file_not_written', () => putFolder(`${SECRETS}.new`)],
}

/** Everything below the folder, with what was changed when. */
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
  env = { ...keptIn(home), FISH_MAX_WAIT: '0', FISH_PASSWORD: 'x', FISH_ADMIN_PASSWORD: 'x' }
  for (const name of ['home', 'work']) {
    await run(['profile', 'add', name, '--url', NOBODY, '--user', 'Alex'], { env })
  }
  const config = JSON.parse(readFileSync(at(CONFIG), 'utf8'))
  config.profiles.home.secrets = 'file'
  put(CONFIG, JSON.stringify(config))
  put(SECRETS, JSON.stringify(READABLE))
})

describe.each(Object.entries(DAMAGES))('where %s', (_, [code, damage]) => {
  test.each(Object.entries(DEEDS))(
    '--dry-run of %s ends as the deed does, and changes nothing',
    async (_name, argv) => {
      damage()
      const before = everything()
      const planned = await outcome([...argv, '--dry-run'])
      expect(everything()).toEqual(before)
      expect(planned).toEqual(await outcome(argv))
    },
  )

  test('a login says so before it asks the service', async () => {
    damage()
    expect((await outcome(DEEDS.login)).error.code).toBe(code)
  })
})

describe('where nothing is wrong', () => {
  test.each(Object.entries(DEEDS))(
    '--dry-run of %s changes nothing, also when nothing is there',
    async (name, argv) => {
      const before = everything()
      const { status } = await outcome([...argv, '--dry-run'])
      expect(status).toBe(name.startsWith('login') ? 69 : 0)
      expect(everything()).toEqual(before)
      for (const folder of ['config', 'state']) rmSync(at(folder), { recursive: true })
      await outcome([...argv, '--dry-run'])
      expect(everything()).toEqual([])
    },
  )
})

describe('a file that is to be replaced', () => {
  const denied = () => {
    throw Object.assign(new Error('denied'), { code: 'EACCES' })
  }

  test('needs a folder that may be written, or one above where it is to be made', () => {
    expect(() => checkReplaceable(at(CONFIG), () => {})).not.toThrow()
    expect(() => checkReplaceable(at(CONFIG), denied)).toThrow('denied')
    expect(() => checkReplaceable(at('a/b/c.json'), denied)).toThrow('denied')
    const asked: string[] = []
    checkReplaceable(at('a/b/c.json'), (folder) => asked.push(folder))
    expect(asked).toEqual([home])
  })

  test('is looked for where a link leads', () => {
    mkdirSync(at('elsewhere'))
    put('elsewhere/real.json', '')
    symlinkSync(at('elsewhere/real.json'), at('link.json'))
    const asked: string[] = []
    checkReplaceable(at('link.json'), (folder) => asked.push(folder))
    expect(asked.map((folder) => folder.split('/').at(-1))).toEqual(['elsewhere'])
  })

  test('gets the folders it needs, which its owner alone may enter', () => {
    replaceFile(at('a/b/c.json'), 'content')
    expect(readFileSync(at('a/b/c.json'), 'utf8')).toBe('content')
    for (const folder of ['a', 'a/b']) expect(statSync(at(folder)).mode & 0o777).toBe(0o700)
    makeFolderOf(at('d/e/f'), 0o755)
    expect(statSync(dirname(at('d/e/f'))).mode & 0o700).toBe(0o700)
  })
})
