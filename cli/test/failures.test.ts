import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { FAILURE_SCHEMA } from '../src/failure-schema.ts'
import { type Env, run, startImpostor, startWorld, type World } from './harness.ts'

let world: World
let impostors: Record<'page' | 'broken' | 'conflict', Awaited<ReturnType<typeof startImpostor>>>

beforeAll(async () => {
  world = await startWorld()
  impostors = {
    page: await startImpostor((_, res) => res.setHeader('content-type', 'text/html').end('<p>hello</p>')),
    broken: await startImpostor((_, res) =>
      res.writeHead(500).end('{"error":"It broke.","code":"internal_error","requestId":"r-1"}'),
    ),
    conflict: await startImpostor((_, res) => res.writeHead(200).end('{"unexpected":true}')),
  }
})

afterAll(async () => {
  await world.service.close()
  for (const impostor of Object.values(impostors)) impostor.close()
})

interface Case {
  readonly title: string
  readonly argv: readonly string[]
  readonly env: () => Env
  readonly exit: number
  readonly code: string
}

const failure = z.fromJSONSchema(FAILURE_SCHEMA as unknown as Parameters<typeof z.fromJSONSchema>[0])

/** The one document on stdout, of the promised form. */
function failureOf(stdout: string) {
  return failure.parse(JSON.parse(stdout)) as { readonly error: { readonly code: string; readonly retryAt: string } }
}

const NOBODY = 'http://127.0.0.1:1'
const FISH = ['add', 'Salmon', '-r', '3']

const CASES: readonly Case[] = [
  {
    title: 'no server',
    argv: ['status'],
    env: () => ({ ...world.base, FISH_URL: NOBODY }),
    exit: 69,
    code: 'unreachable',
  },
  {
    title: 'no server for an administrator',
    argv: ['user', 'create', 'X'],
    env: () => ({ ...world.admin, FISH_URL: NOBODY }),
    exit: 69,
    code: 'unreachable',
  },
  {
    title: 'something else at the address',
    argv: ['status'],
    env: () => ({ ...world.base, FISH_URL: impostors.page.url }),
    exit: 1,
    code: 'invalid_response',
  },
  {
    title: 'something else, for an administrator',
    argv: ['user', 'create', 'X'],
    env: () => ({ ...world.admin, FISH_URL: impostors.conflict.url }),
    exit: 1,
    code: 'invalid_response',
  },
  {
    title: 'a failing server',
    argv: ['list', 'Alex'],
    env: () => ({ ...world.base, FISH_URL: impostors.broken.url }),
    exit: 1,
    code: 'internal_error',
  },
  {
    title: 'a wrong password',
    argv: ['key'],
    env: () => ({ ...world.player, FISH_PASSWORD: 'canary-wrong' }),
    exit: 4,
    code: 'invalid_credentials',
  },
  {
    title: 'a wrong password of an administrator',
    argv: ['user', 'create', 'X'],
    env: () => ({ ...world.admin, FISH_ADMIN_PASSWORD: 'canary-wrong' }),
    exit: 4,
    code: 'invalid_credentials',
  },
  {
    title: "another's key as a player",
    argv: ['key', 'Bob'],
    env: () => ({ ...world.base, FISH_ADMIN_USERNAME: 'Alex', FISH_ADMIN_PASSWORD: world.alex.password }),
    exit: 4,
    code: 'forbidden',
  },
  {
    title: 'the key of another player',
    argv: FISH,
    env: () => ({ ...world.player, FISH_KEY: Buffer.alloc(32, 7).toString('base64') }),
    exit: 4,
    code: 'invalid_token',
  },
  {
    title: 'a key that is none',
    argv: FISH,
    env: () => ({ ...world.player, FISH_KEY: 'canary-no-key' }),
    exit: 4,
    code: 'invalid_key',
  },
  {
    title: 'no key',
    argv: FISH,
    env: () => ({ ...world.player, FISH_KEY: undefined }),
    exit: 4,
    code: 'missing_credentials',
  },
  { title: 'no password', argv: ['key', 'Alex'], env: () => world.base, exit: 4, code: 'missing_credentials' },
  {
    title: 'a key file that is not there',
    argv: FISH,
    env: () => ({ ...world.player, FISH_KEY: '', FISH_KEY_FILE: '/no/such' }),
    exit: 4,
    code: 'unreadable_secret_file',
  },
  { title: 'an unknown player', argv: ['list', 'Nobody'], env: () => world.base, exit: 5, code: 'user_not_found' },
  {
    title: 'a player that exists',
    argv: ['user', 'create', 'alex'],
    env: () => world.admin,
    exit: 6,
    code: 'user_exists',
  },
  {
    title: 'a name no player can have',
    argv: ['user', 'create', 'Not a name'],
    env: () => world.admin,
    exit: 2,
    code: 'usage',
  },
  {
    title: 'a gamemode that is none',
    argv: ['list', 'Alex', '-g', 'skyblock'],
    env: () => world.base,
    exit: 2,
    code: 'usage',
  },
  {
    title: 'no gamemode',
    argv: ['list', 'Alex'],
    env: () => ({ ...world.base, FISH_GAMEMODE: '' }),
    exit: 2,
    code: 'usage',
  },
  { title: 'no player', argv: ['list'], env: () => world.base, exit: 2, code: 'usage' },
  { title: 'no rarity', argv: ['add', 'Salmon'], env: () => world.player, exit: 2, code: 'usage' },
  {
    title: 'a rarity that is none',
    argv: ['add', 'Salmon', '-r', '8'],
    env: () => world.player,
    exit: 2,
    code: 'usage',
  },
  {
    title: 'a crab with a rarity',
    argv: ['add', '--crab', '-r', '1'],
    env: () => world.player,
    exit: 2,
    code: 'usage',
  },
  { title: 'nothing to add', argv: ['add'], env: () => world.player, exit: 2, code: 'usage' },
  { title: 'an address that is none', argv: ['status', '--url', 'fish'], env: () => ({}), exit: 2, code: 'usage' },
  { title: 'an unknown flag', argv: ['status', '--bogus'], env: () => world.base, exit: 2, code: 'usage' },
  { title: 'a flag without its value', argv: ['status', '--url'], env: () => world.base, exit: 2, code: 'usage' },
  { title: 'a missing argument', argv: ['user', 'create'], env: () => world.admin, exit: 2, code: 'usage' },
  { title: 'one argument too many', argv: ['status', 'now'], env: () => world.base, exit: 2, code: 'usage' },
  {
    title: 'something that cannot be listed',
    argv: ['list', 'whales', 'Alex'],
    env: () => world.base,
    exit: 2,
    code: 'usage',
  },
  { title: 'an unknown command', argv: ['fly'], env: () => world.base, exit: 2, code: 'usage' },
  { title: 'an unknown command of a topic', argv: ['user', 'fly'], env: () => world.base, exit: 2, code: 'usage' },
  {
    title: 'a wait that is no number',
    argv: ['status', '--max-wait', 'long'],
    env: () => world.base,
    exit: 2,
    code: 'usage',
  },
]

test('what was typed wrongly names the page of help that says how', async () => {
  expect((await run(['user', 'create'], { env: world.admin })).stderr).toContain('See: fish-cli user create --help\n')
})

test('-o json asks for the same document as --json, whatever else is wrong', async () => {
  for (const argv of [
    ['list', '-o', 'json', '--bogus'],
    ['list', '--output=json', 'fish', 'a', 'b'],
    ['status', '-ojson', '--fields', 'nothing'],
    ['fly', '--output', 'json'],
  ]) {
    const { status, stdout, stderr } = await run(argv, { env: world.base })
    expect({ status, stderr }).toEqual({ status: 2, stderr: '' })
    expect(failureOf(stdout).error.code).toBe('usage')
  }
})

test('--no-wait fails at once where the rate limit holds, whatever FISH_MAX_WAIT says', async () => {
  const limited = await startWorld({ FISH_RATE_LIMIT: '1' })
  try {
    await run(['status'], { env: limited.base })
    const env = { ...limited.base, FISH_MAX_WAIT: '400' }
    const { status, stdout } = await run(['status', '--no-wait', '--json'], { env })
    expect(status).toBe(75)
    expect(Date.parse(failureOf(stdout).error.retryAt)).toBeGreaterThan(Date.now())
    const both = await run(['status', '--no-wait', '--max-wait', 'canary'], { env })
    expect(both).toMatchObject({ status: 2, stdout: '' })
    expect(both.stderr).toMatch(
      /^fish-cli: --[a-z-]+ and --[a-z-]+ cannot be given together\.\n {2}See: fish-cli status --help\n$/,
    )
  } finally {
    await limited.service.close()
  }
})

describe.each(CASES)('$title', ({ argv, env, exit, code }) => {
  test(`ends with ${exit}, says so on stderr, and leaves stdout empty`, async () => {
    const { status, stdout, stderr } = await run(argv, { env: env() })
    expect({ status, stdout }).toEqual({ status: exit, stdout: '' })
    expect(stderr).toMatch(/^fish-cli: .+\n/)
    expect(stderr).not.toContain('canary')
  })

  test(`is the one JSON document ${code} under --json, with nothing on stderr`, async () => {
    const { status, stdout, stderr } = await run([...argv, '--json'], { env: env() })
    expect({ status, stderr }).toEqual({ status: exit, stderr: '' })
    const { error } = failureOf(stdout)
    expect(error).toMatchObject({ code, exit })
    expect(stdout).not.toContain('canary')
  })
})

test('a rate limit that outlasts --max-wait ends with 75 and says when to try again', async () => {
  const limited = await startWorld({ FISH_RATE_LIMIT: '1' })
  try {
    await run(['status'], { env: limited.base })
    const { status, stdout } = await run(['status', '--json', '--max-wait', '0.5'], { env: limited.base })
    const { error } = failureOf(stdout)
    expect(status).toBe(75)
    expect(error).toMatchObject({ code: 'rate_limited', exit: 75, requestId: expect.any(String) })
    expect(Date.parse(error.retryAt)).toBeGreaterThan(Date.now())
    expect((await run(['status'], { env: limited.base })).stderr).toContain('--max-wait')
    const withKey = { ...limited.base, FISH_API_KEY: limited.alex.apiKey }
    expect((await run(['status'], { env: withKey })).status).toBe(0)
  } finally {
    await limited.service.close()
  }
})

test('waiting for the rate limit is told on stderr, and Ctrl-C ends it with 130', async () => {
  const limited = await startWorld({ FISH_RATE_LIMIT: '1' })
  const { CliError } = await import('../src/cli-error.ts')
  const controller = new AbortController()
  try {
    await run(['status'], { env: limited.base })
    setTimeout(() => controller.abort(new CliError({ code: 'interrupted', message: 'Interrupted.', exit: 130 })), 40)
    const { status, stderr } = await run(['status', '--max-wait', '400'], {
      env: limited.base,
      interrupted: controller.signal,
    })
    expect(status).toBe(130)
    expect(stderr).toMatch(
      /^fish-cli: The rate limit holds: waiting \d+:\d\d; Ctrl-C ends it\.\nfish-cli: Interrupted\.\n$/,
    )
  } finally {
    await limited.service.close()
  }
})
