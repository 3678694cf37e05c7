import { type ClientOptions, createClient, ValidationError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { FERNET_KEY, player, saved, scriptedFetch } from './stubs.ts'

const SALMON = { name: 'Salmon', rarity: 3 } as const

async function issuePaths(call: Promise<unknown>): Promise<string[]> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ValidationError))
    throw new Error('The call did not end in a ValidationError.', { cause: error })
  return error.issues.map(({ path }) => path)
}

test.each([
  ['an empty name', { name: '', rarity: 1 }, ['fish.0.name']],
  ['a name of 101 characters', { name: 'x'.repeat(101), rarity: 1 }, ['fish.0.name']],
  ['a control character', { name: 'a\nb', rarity: 1 }, ['fish.0.name']],
  ['a missing name', { rarity: 1 }, ['fish.0.name']],
  ['rarity 8', { name: 'a', rarity: 8 }, ['fish.0.rarity']],
  ['rarity 1.5', { name: 'a', rarity: 1.5 }, ['fish.0.rarity']],
  ['an unknown label', { name: 'a', rarity: 'Purple' }, ['fish.0.rarity']],
  ['a missing rarity', { name: 'a' }, ['fish.0.rarity']],
  ['an invalid date', { name: 'a', rarity: 1, caughtAt: new Date(Number.NaN) }, ['fish.0.caughtAt']],
  ['a time without zone', { name: 'a', rarity: 1, caughtAt: '2026-01-01T00:00:00' }, ['fish.0.caughtAt']],
  ['a date that does not exist', { name: 'a', rarity: 1, caughtAt: '2026-02-29T10:00:00Z' }, ['fish.0.caughtAt']],
  ['a year beyond 9999', { name: 'a', rarity: 1, caughtAt: new Date(8e15) }, ['fish.0.caughtAt']],
  ['null instead of an entry', null, ['fish.0']],
  ['several invalid fields', [{ name: 'a', rarity: 1 }, { name: '' }], ['fish.1.rarity', 'fish.1.name']],
  ['an empty list', [], ['fish']],
  ['501 entries', Array.from({ length: 501 }, () => SALMON), ['fish']],
])('fish.add() rejects %s and sends nothing', async (_, entries, paths) => {
  const { options, requests } = player()
  expect(await issuePaths(createClient(options).fish.add(entries as never))).toEqual(paths)
  expect(requests).toEqual([])
})

test('500 entries that are too large when encrypted are rejected, and the error suggests fewer entries', async () => {
  const { options, requests } = player()
  const entries = Array.from({ length: 500 }, () => ({ name: '🐟'.repeat(100), rarity: 1 as const }))
  await expect(createClient(options).fish.add(entries)).rejects.toThrow(/fewer entries/)
  expect(requests).toEqual([])
})

test('a call rejects with an error that names the options to set if the user, the key and the gamemode are missing', async () => {
  const { fetch, requests } = scriptedFetch()
  const call = createClient({ fetch }).fish.add(SALMON)
  await expect(call).rejects.toThrow(/Pass user, .*Pass gamemode, .*Pass fernetKey /s)
  expect(await issuePaths(call)).toEqual(['user', 'gamemode', 'fernetKey'])
  expect(requests).toEqual([])
})

test('a read rejects a missing user or gamemode, and an invalid user, gamemode, limit or detail', async () => {
  const { fetch, requests } = scriptedFetch()
  const client = createClient({ fetch })
  expect(await issuePaths(client.crabs.list())).toEqual(['user', 'gamemode'])
  const wrong = { user: '-x', gamemode: 'Earth', limit: 0, detail: 'some' } as never
  expect(await issuePaths(client.crabs.list(wrong))).toEqual(['user', 'gamemode', 'limit', 'detail'])
  expect(requests).toEqual([])
})

test('keys.get() rejects a username with a colon and an empty password', async () => {
  const { fetch, requests } = scriptedFetch()
  const call = createClient({ fetch }).keys.get({ username: 'a:b', password: '' })
  expect(await issuePaths(call)).toEqual(['username', 'password'])
  expect(requests).toEqual([])
})

test('createClient() names all invalid options, without their values', () => {
  const wrong = {
    baseUrl: 'http://alex:hunter2@fish.example',
    user: 'a b',
    fernetKey: 'hunter2',
    gamemode: 'Earth',
    apiKey: 'hunter2\n',
    timeoutMs: 0,
    maxWaitMs: -1,
    maxRetries: 1.5,
    maxResponseBytes: 0,
    userAgent: 'a\r\nb',
  } as unknown as ClientOptions
  const thrown = (() => {
    try {
      return createClient(wrong)
    } catch (error) {
      return error
    }
  })()
  if (!(thrown instanceof ValidationError)) throw new Error('There was no ValidationError.')
  expect(thrown.issues.map(({ path }) => path).sort()).toEqual(Object.keys(wrong).sort())
  expect(thrown.message).not.toContain('hunter2')
})

test('unknown options are rejected with the closest known option', async () => {
  const wrong = { baseURL: 'https://fish.example', gamemod: 'earth', nonsense: 1, apiKey: undefined } as object
  expect(() => createClient(wrong)).toThrow(
    expect.objectContaining({
      issues: [
        { path: 'baseURL', message: 'Unknown option. Did you mean baseUrl?' },
        { path: 'gamemod', message: 'Unknown option. Did you mean gamemode?' },
        { path: 'nonsense', message: 'Unknown option.' },
      ],
    }),
  )
  const { options, requests } = player()
  const client = createClient(options)
  for (const [one, meant] of [
    [{ gamemod: 'earth' }, 'gamemode'],
    [{ maxRetires: 0 }, 'maxRetries'],
    [{ timeoutMS: 5 }, 'timeoutMs'],
  ] as const) {
    const message = `Unknown option. Did you mean ${meant}?`
    for (const call of [client.fish.list(one as object), client.crabs.add({}, one as object)]) {
      await expect(call).rejects.toMatchObject({ code: 'invalid_input', issues: [{ message }] })
    }
  }
  const ofList = client.fish.add({ name: 'Koi', rarity: 1 }, { limit: 5 } as object)
  await expect(ofList).rejects.toMatchObject({ issues: [{ path: 'limit', message: 'Unknown option.' }] })
  expect(requests).toHaveLength(0)
})

test('whitespace around a key is ignored', async () => {
  const { options } = player(saved())
  const client = createClient({ ...options, fernetKey: ` ${FERNET_KEY}\n` })
  expect((await client.fish.add(SALMON)).id).toBe('record-1')
})

test.each([{ fetch: 1 }, { fetch: null }])(
  'the options %o are rejected with the name of the invalid option',
  (wrong) => {
    const create = () => createClient({ gamemode: 'earth', ...wrong } as never)
    expect(create).toThrow(ValidationError)
    expect(create).toThrow(/fetch: Must be a function\.$/m)
  },
)
