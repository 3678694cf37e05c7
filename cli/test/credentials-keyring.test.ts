import { beforeEach, describe, expect, test } from 'vitest'
import type { KeyringEntry } from '../src/core/system.ts'
import { keyringStore } from '../src/session/keyring.ts'
import { filesWith, newFolder, writeProfiles, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext } from './harness.ts'

const SECRETS = { url: 'http://a.example', user: 'Alex', fernetKey: 'canary-key' }

/** A keyring in memory: its entries, and a function that opens an entry as the keyring library does. */
function memoryKeyring() {
  const entries = new Map<string, string>()
  const open = (service: string, account: string): KeyringEntry => {
    const name = `${service}/${account}`
    return {
      getPassword: async () => entries.get(name) ?? null,
      setPassword: async (password) => {
        entries.set(name, password)
      },
      deletePassword: async () => entries.delete(name),
    }
  }
  return { entries, open }
}

/** A locked keyring. Every operation fails with an error that contains a secret. */
const broken = (): KeyringEntry => {
  const refuse = async () => {
    throw new Error('locked; it held canary-key')
  }
  return { getPassword: refuse, setPassword: refuse, deletePassword: refuse }
}

describe('a login with a keyring', () => {
  const context = serviceContext()
  let home: string

  beforeEach(() => {
    home = newFolder()
  })

  test('leaves no secret in a file, and moves the stored secrets if a different store is chosen', async () => {
    const { entries, open } = memoryKeyring()
    const base = { ...xdgFolders(home), FISH_SECRET_STORE: '' }
    const fish = (argv: readonly string[], env: Env = {}) => run(argv, { env: { ...base, ...env }, keyring: open })
    const { password, fernetKey } = context.alex
    const login = (env: Env = {}) =>
      fish(['login', 'Alex', '-g', 'earth', '--url', context.service.url], { FISH_PASSWORD: password, ...env })

    expect((await login()).stdout).toContain("the system's keyring")
    expect([...entries.keys()]).toEqual(['fish-crab/default'])
    expect(await filesWith(fernetKey, home)).toEqual([])
    expect((await fish(['add', 'Cod', '-r', '1'])).status).toBe(0)
    expect(JSON.parse((await fish(['whoami', '--json'])).stdout)).toMatchObject({ key: 'keyring', accepted: true })

    await login({ FISH_SECRET_STORE: 'file' })
    expect(entries.size).toBe(0)
    expect(await filesWith(fernetKey, home)).toHaveLength(1)

    await login()
    expect(entries.size).toBe(1)
    expect(await filesWith(fernetKey, home)).toEqual([])
    expect([...entries.values()].join()).not.toContain(password)

    await fish(['logout'])
    expect(entries.size).toBe(0)
  })

  test('stores nothing if the keyring is unavailable', async () => {
    const env = { ...xdgFolders(home), FISH_SECRET_STORE: '' }
    const argv = ['login', 'Alex', '--url', context.service.url, '--json']
    const { status, stdout } = await run(argv, {
      env: { ...env, FISH_PASSWORD: context.alex.password },
      keyring: broken,
    })
    expect(status).toBe(4)
    expect(JSON.parse(stdout).error.code).toBe('keyring_unavailable')
    expect(stdout).not.toContain('canary')
    expect((await run(['whoami', '--offline', '--json'], { env, keyring: broken })).stdout).not.toContain('keyring"')
  })
})

describe('a keyring', () => {
  test('stores the secrets of each profile in a separate entry', async () => {
    const { entries, open } = memoryKeyring()
    const store = keyringStore(open)
    expect(await store.get('home')).toBeUndefined()
    await store.update('home', () => SECRETS)
    await store.update('work', () => ({ url: 'http://b.example', apiKey: 'x' }))
    expect(await store.get('home')).toEqual(SECRETS)
    expect([...entries.keys()]).toEqual(['fish-crab/home', 'fish-crab/work'])
  })

  test('updates the entry of a profile, and deletes the entry when its last secret is deleted', async () => {
    const { entries, open } = memoryKeyring()
    const store = keyringStore(open)
    await store.update('home', () => SECRETS)
    await store.update('home', (kept) => ({ ...(kept as typeof SECRETS), apiKey: 'x' }))
    expect(await store.get('home')).toEqual({ ...SECRETS, apiKey: 'x' })
    await store.update('home', () => undefined)
    expect(entries.size).toBe(0)
    await store.update('home', () => undefined)
  })

  test.each(['{', '[]', 'null', '{"url":1}', '{"url":"http://a","session":{}}'])(
    'ignores a malformed entry: %s',
    async (text) => {
      const { entries, open } = memoryKeyring()
      entries.set('fish-crab/home', text)
      const home = newFolder()
      await writeProfiles(home, { home: { url: 'http://a.example', user: 'Alex', secrets: 'keyring' } })
      const { status, stdout } = await run(['whoami', '--offline', '--json'], { env: xdgFolders(home), keyring: open })
      expect({ status, ...JSON.parse(stdout) }).toMatchObject({
        status: 0,
        user: 'Alex',
        key: null,
        sessionUntil: null,
      })
    },
  )

  test('causes an error with a next step and no secrets if the keyring is locked or cannot be opened', async () => {
    const absent = () => {
      throw new Error('no such service')
    }
    for (const open of [broken, absent]) {
      const store = keyringStore(open)
      for (const act of [() => store.get('home'), () => store.update('home', () => SECRETS)]) {
        const error = await act().catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({
          code: 'keyring_unavailable',
          exit: 4,
          hint: expect.stringContaining('secret-store file'),
        })
        expect(String(error)).not.toContain('canary')
      }
    }
  })
})
