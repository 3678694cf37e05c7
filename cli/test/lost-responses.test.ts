import { createMock, type Mock } from '@fish-crab/mocks'
import { type Clock, createClient } from '@fish-crab/sdk'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run } from './harness.ts'

const PASSWORD = 'admin-password'
const FOREVER = { times: Number.POSITIVE_INFINITY }

let mock: Mock
let env: Env
let clock: Clock
/** Runs once, during the first wait of a command. */
let whileWaiting: () => Promise<void>

beforeEach(async () => {
  mock = await createMock({
    seed: {
      users: [{ name: 'Alex', fish: { earth: [{ name: 'Cod', rarity: 1 }] } }],
      admins: [{ username: 'admin', password: PASSWORD }],
    },
  })
  onTestFinished(() => mock.close())
  const { url } = await mock.serve()
  const { password } = mock.user('Alex')
  env = { ...xdgFolders(newFolder()), FISH_URL: url, FISH_USER: 'Alex', FISH_PASSWORD: password, FISH_MAX_WAIT: '100' }
  whileWaiting = async () => {}
  clock = {
    now: () => mock.clock.now(),
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      const waiting = whileWaiting
      whileWaiting = async () => {}
      await waiting()
      await mock.clock.advance(Math.ceil(ms))
    },
  }
})

const fish = (argv: readonly string[], more: Env = {}) => run(argv, { env: { ...env, ...more }, clock })

async function ids(gamemode: string): Promise<readonly string[]> {
  const response = await mock.fetch(`/get/fish?name=Alex&gamemode=${gamemode}&detail=full`)
  return ((await response.json()) as { fish: { id: string }[] }).fish.map(({ id }) => id)
}

const AS_ADMIN = ['--user', 'Alex', '--admin', 'admin']

describe.each([
  ['a player', 'moveOwnFish', [], {}],
  ['an administrator', 'moveUserFish', AS_ADMIN, { FISH_ADMIN_PASSWORD: PASSWORD }],
] as const)('a move by %s', (_, on, words, more) => {
  const move = async (...argv: string[]) => {
    const [id = ''] = await ids('earth')
    return { id, ...(await fish(['move', id, '--from', 'earth', '-g', 'survival', '--yes', ...words, ...argv], more)) }
  }

  test('counts as moved if the response is lost and the call is sent again', async () => {
    mock.fail('lost-response', { on })
    const { id, status, stdout, stderr } = await move('--json')
    expect([status, stderr, JSON.parse(stdout)]).toEqual([
      0,
      '',
      { user: 'Alex', from: 'earth', to: 'survival', moved: [id], catches: 1 },
    ])
    expect([await ids('earth'), await ids('survival')]).toEqual([[], [id]])
  })

  test('is reported as moved or removed if somebody removes the record between the attempts', async () => {
    mock.fail('lost-response', { on })
    whileWaiting = async () => {
      const player = createClient({ ...mock.client('Alex'), gamemode: 'survival' })
      const [id = ''] = await ids('survival')
      await player.fish.remove(id, { password: mock.user('Alex').password })
    }
    const { status, stdout, stderr } = await move()
    expect([status, stdout]).toEqual([0, 'Moved 0 catches of Alex from earth to survival.\n'])
    expect(stderr).toContain('fish-cli: Already moved or removed: 1 catch.\n')
  })

  test('says that the record may have been moved, and where to look, if no response comes', async () => {
    mock.fail('lost-response', { on, ...FOREVER })
    const { status, stderr } = await move()
    expect(status).toBe(69)
    expect(stderr).toContain('(ECONNRESET). The record may have been moved.\n')
    expect(stderr).toContain('\n  See whether it was moved: fish-cli list fish Alex --detail --gamemode survival\n')
  })
})

test.each([
  ['user create', 'createUser', ['user', 'create', 'Bella'], /whether Bella was created: fish-cli user show Bella\n/],
  [
    'user reset',
    'resetUser',
    ['user', 'reset', 'Alex', '--type', 'fernet', '--show', '--yes'],
    /\n {2}If the Fernet key was replaced, the old one no longer works. Repeat the command/,
  ],
  ['admin create', 'createAdmin', ['admin', 'create', 'zoe'], /whether zoe was created: fish-cli admin list\n/],
  [
    'admin reset-password',
    'resetAdmin',
    ['admin', 'reset-password', 'mia', '--show', '--yes'],
    /\n {2}If the password was replaced, the old one no longer works. Repeat the command/,
  ],
  ['password', 'changeOwnPassword', ['password', '--user', 'Alex'], /\n {2}Try the new password first\.\n/],
] as const)('%s names the next step if its response is lost', async (_, on, argv, step) => {
  const administrator = {
    FISH_ADMIN_PASSWORD: PASSWORD,
    FISH_NEW_PASSWORD: 'another-password',
    FISH_PASSWORD: PASSWORD,
  }
  for (const fault of ['lost-response', { status: 500 }] as const) {
    mock.fail(fault, { on })
    const { status, stderr } = await fish(argv, administrator)
    expect([status === 0, stderr]).toEqual([false, expect.stringMatching(step)])
  }
})
