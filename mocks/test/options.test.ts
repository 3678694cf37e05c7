import { createMock, type FaultOptions, type MockOptions } from '@fish-crab/mocks'
import { listChecks, runConformance } from '@fish-crab/mocks/conformance'
import { parseSeed, startStandaloneMock } from '@fish-crab/mocks/standalone'
import { describe, expect, it, vi } from 'vitest'

/** Returns any value as options, without type checks. */
const options = (value: unknown) => value as MockOptions

const users = [{ name: 'Alex' }]

describe('createMock() rejects', () => {
  it.each<[string, unknown, string]>([
    ['a string instead of options', 'seed', 'createMock() must be an object with any of: seed, gamemodes, startAt,'],
    ['an unknown option', { seeds: {} }, 'Unknown option "seeds" in createMock(). Did you mean "seed"? Known: seed, '],
    ['users outside the seed', { users }, 'Unknown option "users" in createMock(). Known: seed, '],
    ['an unknown key in the seed', { seed: { user: [] } }, 'seed: Unrecognized key: "user".'],
    ['a list as a seed', { seed: users }, 'seed: Invalid input: expected object'],
    [
      'an object instead of a list of users',
      { seed: { users: { Alex: {} } } },
      'seed.users: Invalid input: expected array',
    ],
    ['a name instead of a user object', { seed: { users: ['Alex'] } }, 'seed.users[0]: Invalid input: expected object'],
    ['a user without a name', { seed: { users: [{}] } }, 'seed.users[0].name: Invalid input: expected string'],
    [
      'an unknown key in a user',
      { seed: { users: [{ name: 'Alex', fishes: {} }] } },
      'seed.users[0]: Unrecognized key: "fishes"',
    ],
    [
      'a string instead of a fish object',
      { seed: { users: [{ name: 'Alex', fish: { earth: ['Cod'] } }] } },
      'seed.users[0].fish.earth[0]: Invalid input: expected object',
    ],
    ['an administrator without a password', { seed: { admins: [{ username: 'a' }] } }, 'seed.admins[0].password: '],
    ['a limit of zero requests', { limits: { requests: 0 } }, 'limits.requests must be a positive integer.'],
    ['an unknown limit', { limits: { request: 3 } }, 'Unknown option "request" in limits. Did you mean "requests"?'],
    ['a string as the start time', { startAt: '2026-01-01' }, 'startAt must be a Date'],
    ['an invalid start time', { startAt: Number.NaN }, 'startAt must be a valid Date'],
    ['a clock without now()', { clock: {} }, 'clock must be an object with a function now()'],
    ['an invalid master key', { keys: { master: 3 } }, 'keys.master must be a non-empty string.'],
    ['an unknown option in keys', { keys: { Master: 'x' } }, 'Unknown option "Master" in keys. Did you mean "master"?'],
    [
      'a string instead of a list of allowed origins',
      { allowedOrigins: 'http://page.test' },
      'allowedOrigins must be a list',
    ],
    ['an allowed origin with a path', { allowedOrigins: ['http://page.test/x'] }, 'allowedOrigins must be an origin'],
    ['an invalid origin', { origin: 8787 }, 'origin must be an origin'],
    ['a string as autoAdvance', { autoAdvance: 'yes' }, 'autoAdvance must be true or false.'],
  ])('%s', async (_, given, message) => {
    await expect(createMock(options(given))).rejects.toThrow(message)
  })
})

it('startStandaloneMock() rejects the options that createMock() rejects', async () => {
  await expect(startStandaloneMock(options({ seed: { user: [] } }))).rejects.toThrow('Unrecognized key: "user"')
  await expect(startStandaloneMock(options({ limits: { requests: 0 } }))).rejects.toThrow('limits.requests')
})

it('mock.client() and mock.fail() reject unknown options', async () => {
  const mock = await createMock({ seed: { users } })
  expect(() => mock.client('Alex', { transport: 'netwerk' as 'network' })).toThrow(
    "transport must be 'direct' or 'network'.",
  )
  expect(() => mock.client('Alex', { withAPIKey: true } as object)).toThrow('Did you mean "withApiKey"?')
  expect(() => mock.fail('reset', { tims: 2 } as FaultOptions)).toThrow('Did you mean "times"?')
  expect(mock.faults).toEqual([])
})

it('listen(), serve(), startStandaloneMock() and the conformance suite reject unknown options', async () => {
  await using mock = await createMock()
  await expect(mock.listen({ onUnhandeld: 'error' } as object)).rejects.toThrow('Did you mean "onUnhandled"?')
  await expect(mock.serve({ prot: 8787 } as object)).rejects.toThrow('Did you mean "port"?')
  await expect(mock.serve(null as never)).rejects.toThrow('serve() must be an object with any of: host, port.')
  await expect(startStandaloneMock({ sed: {} } as object)).rejects.toThrow('Did you mean "seed"?')
  expect(() => listChecks({ onyl: [] } as object)).toThrow('Did you mean "only"?')
  const baseUrl = 'http://fish.test'
  const admin = { username: 'admin', password: 'password' }
  await expect(runConformance({ baseURL: baseUrl, admin } as never)).rejects.toThrow('Did you mean "baseUrl"?')
  await expect(runConformance({ baseUrl, admin: { user: 'a' } } as never)).rejects.toThrow(
    'Unknown option "user" in admin',
  )
  await expect(runConformance({ baseUrl, user: { Name: 'a' } } as never)).rejects.toThrow('Did you mean "name"?')
})

it.each(['Bun', 'Deno'])(
  'listen() rejects on %s, because requests cannot be intercepted on this runtime',
  async (runtime) => {
    vi.stubGlobal(runtime, {})
    try {
      const mock = await createMock()
      await expect(mock.listen()).rejects.toThrow(`listen() cannot intercept requests on ${runtime}. Use mock.fetch,`)
    } finally {
      vi.unstubAllGlobals()
    }
  },
)

it('parseSeed() reports all invalid users and administrators of a seed, and reveals no secrets', () => {
  const users = [{ name: 'no name' }, { name: 'Alex', fernetKey: 'canary' }, { name: 'Steve', pasword: 'canary' }]
  const mistakes = [
    expect.stringMatching(/^seed\.users\[0\]\.name: Must be 1 to 32 characters.* \(given: "no name"\)\.$/),
    'seed.users[1].fernetKey: Must be 32 bytes in base64.',
    'seed.users[2]: Unrecognized key: "pasword".',
    'seed.admins[0].password: Invalid input: expected string, received undefined.',
  ]
  expect(() => parseSeed({ users, admins: [{ username: 'root' }] })).toThrow(
    expect.objectContaining({ name: 'SeedError', mistakes }),
  )
  expect(() => parseSeed(null)).toThrow('seed: Invalid input: expected object')
})
