import { readdir } from 'node:fs/promises'
import { ValidationError } from '@fish-crab/sdk'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../scripts/test-support/redis-server.ts'
import { describeError } from '../src/core/describe-error.ts'
import { ERROR_SCHEMA } from '../src/core/errors.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext, startImpostor, startServiceContext } from './harness.ts'

const context = serviceContext()

const failure = z.fromJSONSchema(ERROR_SCHEMA as unknown as Parameters<typeof z.fromJSONSchema>[0])

/** Parses stdout as a single document that matches the error schema. */
function failureOf(stdout: string) {
  return failure.parse(JSON.parse(stdout)) as { readonly error: { readonly code: string; readonly retryAt: string } }
}

test.each([
  [['list', '--gamemod', 'earth'], 'Unknown flag --gamemod.', 'Did you mean: --gamemode? See: fish-cli list --help'],
  [['list', '--zzz'], 'Unknown flag --zzz.', 'See: fish-cli list --help'],
  [['list', '--filter'], 'Flag --filter expects a value.', 'See: fish-cli list --help'],
  [['list', '--limit', '1', '--limit', '2'], 'Flag --limit can only be specified once.', 'See: fish-cli list --help'],
  [
    ['list', 'Alex', '--url', 'localhost:8787'],
    /^--url .FISH_URL.: must be an http/,
    'For example: http://127.0.0.1:8787',
  ],
  [['leaderboard', '--limit', '1001'], /^--limit: must be a whole number/, 'See: fish-cli leaderboard --help'],
  [['user', 'create', 'a b'], /^NAME: must be 1 to 32/, 'See: fish-cli user create --help'],
])('%j prints an error in plain words and a hint', async (argv, message, hint) => {
  const { status, stdout } = await run([...argv, '--json'], { env: context.admin })
  const { error } = JSON.parse(stdout)
  expect({ status, hint: error.hint }).toEqual({ status: 2, hint })
  expect(error.message).toMatch(message)
})

const GAMEMODES = 'Gamemodes: oneblock, earth, survival, factions'

test.each([
  ['add', 'Cod', '-r', '1'],
  ['add', '--file', '-'],
  ['list', 'fish', 'Alex'],
  ['watch', 'some.log'],
  ['leaderboard'],
  ['login', 'Alex', '--no-input'],
])(
  '%s %s … rejects an unknown gamemode with the common message, and suggests the closest gamemode',
  async (...argv) => {
    const { status, stdout } = await run([...argv, '-g', 'erth', '--json'], { env: context.player, piped: '' })
    expect({ status, error: JSON.parse(stdout).error }).toMatchObject({
      status: 2,
      error: {
        code: 'usage',
        message: 'Unknown gamemode in --gamemode.',
        hint: `Did you mean: earth? ${GAMEMODES}`,
      },
    })
  },
)

test.each([
  ['add', 'Cod', '-r', '1'],
  ['list', 'fish', 'Alex'],
  ['watch', 'some.log'],
  ['login', 'Alex', '--no-input'],
])('%s %s … rejects an unknown FISH_GAMEMODE without printing its value', async (...argv) => {
  const env = { ...context.player, FISH_GAMEMODE: 'canary' }
  const { status, stderr } = await run(argv, { env })
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `fish-cli: Unknown gamemode in FISH_GAMEMODE.\n  ${GAMEMODES}\n`,
  })
})

test('a gamemode may be typed in any letter case', async () => {
  const { status, stdout } = await run(['list', 'fish', 'Alex', '-g', 'EARTH', '--json'], { env: context.base })
  expect({ status, gamemode: JSON.parse(stdout).gamemode }).toEqual({ status: 0, gamemode: 'earth' })
  const env = { ...context.base, FISH_GAMEMODE: 'Earth' }
  expect((await run(['list', 'fish', 'Alex'], { env })).status).toBe(0)
})

const answering = (status: number, body: unknown) =>
  startImpostor((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })

test.each([
  [['login', 'Alex'], { fernetKey: 'canary' }, 'The service did not return a key. Nothing was saved.'],
  [
    ['login', 'admin', '--admin'],
    { token: 'canary\u001b[31m', expiresAt: '2099-01-01T00:00:00Z' },
    'The service did not return a session. Nothing was saved.',
  ],
])('%j rejects a malformed secret from the service, and stores nothing', async (argv, answer, message) => {
  const service = await answering(200, answer)
  const folder = newFolder()
  const env = { ...xdgFolders(folder), FISH_URL: service.url, FISH_PASSWORD: 'x', FISH_ADMIN_PASSWORD: 'x' }
  const { status, stdout } = await run([...argv, '--json'], { env })
  service.close()
  expect({ status, error: JSON.parse(stdout).error }).toMatchObject({
    status: 1,
    error: { code: 'invalid_response', message, hint: expect.stringContaining('--url') },
  })
  expect(stdout).not.toContain('canary')
  expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'))).toEqual([])
})

test('an error of another server is printed as one line of bounded length', async () => {
  const details = Array(50_000).fill({ path: 'x', message: `a\n${' '.repeat(50)}b` })
  details[0] = { path: ' '.repeat(160_000), message: 'y' }
  const service = await answering(400, { error: `Broken.\nfish-cli: ${'\n '.repeat(20_000)}`, details })
  const { status, stderr } = await run(['list', 'fish', 'Alex', '-g', 'earth'], {
    env: { ...context.base, FISH_URL: service.url },
  })
  service.close()
  expect(status).toBe(1)
  expect(stderr.split('\n')[0]).toMatch(/^fish-cli: Broken\. fish-cli: : y\.( x: a b\.){19}$/)
})

test('add reports that the catch may have been stored if the response is lost', async () => {
  const { url } = await startImpostor((request) => request.socket.destroy())
  const add = ['add', 'Cod', '-r', '1', '-g', 'earth', '--json']
  const { status, stdout } = await run(add, { env: { ...context.player, FISH_URL: url } })
  expect([status, JSON.parse(stdout).error]).toMatchObject([
    69,
    {
      code: 'unreachable',
      message: expect.stringMatching(/ The catch may have been stored\.$/),
      hint: 'Before you repeat the command, check whether the catch was stored: fish-cli list fish Alex --detail --gamemode earth',
    },
  ])
  const proxy = await startImpostor((_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'))
  const failed = await run(add, { env: { ...context.player, FISH_URL: proxy.url } })
  proxy.close()
  expect([failed.status, failureOf(failed.stdout).error]).toMatchObject([
    69,
    {
      code: 'bad_gateway',
      message: 'A proxy responded with status 502 instead of the service. The catch may have been stored.',
    },
  ])
  let attempts = 0
  const unlucky = await startImpostor((request, response) => {
    attempts += 1
    if (attempts === 1) return request.socket.destroy()
    const refusal = { error: 'No user has that name.', code: 'user_not_found', requestId: 'req-1' }
    return response.writeHead(404, { 'x-request-id': refusal.requestId }).end(JSON.stringify(refusal))
  })
  const env = { ...context.player, FISH_URL: unlucky.url, FISH_MAX_WAIT: '60' }
  const last = await run(add, { env, clock: { now: Date.now, sleep: async () => {} } })
  unlucky.close()
  expect([attempts, failureOf(last.stdout).error]).toMatchObject([
    2,
    { code: 'user_not_found', message: 'No user has that name. The catch may have been stored.' },
  ])
  const never = await run(add, { env: { ...context.player, FISH_URL: `http://127.0.0.1:${await freePort()}` } })
  expect([never.status, never.stdout.includes('may have been stored')]).toEqual([69, false])
})

test.each(['HTTP_PROXY', 'HTTPS_PROXY'])(
  'a malformed address in %s is reported with the name of its variable',
  (path) => {
    const message = `${path} is not the address of a proxy.`
    const report = describeError(new ValidationError([{ path, message }]))
    expect(report).toMatchObject({ message, exit: 2, hint: expect.stringContaining('For example: http') })
  },
)

test('an unreachable proxy is reported without its credentials', async () => {
  const proxy = 'http://user:canary-proxy-password@127.0.0.1:1'
  for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY']) {
    vi.stubEnv(name, undefined)
  }
  vi.stubEnv('https_proxy', proxy)
  try {
    const env = { ...context.base, FISH_URL: 'https://fish.example.org', FISH_MAX_WAIT: '60', https_proxy: proxy }
    const { status, stdout, stderr } = await run(['list', 'fish', 'Alex', '--json'], { env })
    expect({ status, stderr }).toEqual({ status: 69, stderr: expect.stringContaining('No response. Retrying') })
    expect(failureOf(stdout).error).toEqual({
      code: 'unreachable',
      message: 'No response from https://fish.example.org (ECONNREFUSED).',
      hint: expect.any(String),
      exit: 69,
      requestId: null,
      retryAt: null,
    })
    const doctor = await run(['doctor'], { env })
    const text = await run(['list', 'fish', 'Alex'], { env })
    for (const output of [stdout, doctor.stdout, doctor.stderr, text.stderr]) expect(output).not.toContain('canary')
  } finally {
    vi.unstubAllEnvs()
  }
})

test('--json prints usage errors as a JSON document', async () => {
  for (const argv of [
    ['list', '--json', '--bogus'],
    ['list', '--json', 'fish', 'a', 'b'],
    ['list', '--json', '--csv'],
    ['fly', '--json'],
    ['user', 'fly', '--json'],
    ['--bogus', 'status', '--json'],
  ]) {
    const { status, stdout, stderr } = await run(argv, { env: context.base })
    expect({ status, stderr }).toEqual({ status: 2, stderr: '' })
    expect(failureOf(stdout).error.code).toBe('usage')
  }
})

test('a command exits with 75 if the rate limit outlasts --max-wait, and reports when to retry', async () => {
  const limited = await startServiceContext({ FISH_RATE_LIMIT: '1' })
  try {
    await run(['status'], { env: limited.base })
    const env = { ...limited.base, FISH_MAX_WAIT: '400' }
    for (const seconds of ['0', '0.5']) {
      const { status, stdout } = await run(['status', '--max-wait', seconds, '--json'], { env })
      const { error } = failureOf(stdout)
      expect([status, error]).toMatchObject([75, { code: 'rate_limited', exit: 75, requestId: expect.any(String) }])
      expect(Date.parse(error.retryAt)).toBeGreaterThan(Date.now())
    }
    const withKey = { ...limited.base, FISH_API_KEY: limited.alex.apiKey }
    expect((await run(['status'], { env: withKey })).status).toBe(0)
  } finally {
    await limited.service.close()
  }
})
