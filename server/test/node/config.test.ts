import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ConfigError, type ConfigSource, flagOf, readConfig, SETTINGS } from '@fish-crab/server'
import { describe, expect, it, test } from 'vitest'
import { unknownVariables } from '../../src/node/config.ts'

function mistakesOf(source: ConfigSource): readonly string[] {
  try {
    readConfig(source)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).mistakes
  }
  throw new Error('The configuration was taken.')
}

const ALPHABET = Array.from({ length: 33 }, (_, index) => `mode${index}`)

const DEFAULTS = {
  host: '127.0.0.1',
  port: 8787,
  metrics: 'on',
  storage: { driver: 'file', path: './data' },
  gamemodes: ['oneblock', 'earth', 'survival', 'factions'],
  rateLimit: 25,
  rateWindow: 300,
  redisWait: 0,
  adminRateLimit: 300,
  trustProxy: 0,
  publicLeaderboard: false,
  speciesMinPlayers: 3,
  web: 'on',
  log: 'pretty',
}

describe('the configuration', () => {
  it('has the documented defaults', () => {
    expect(readConfig({ env: {} })).toEqual(DEFAULTS)
  })

  it('reads every variable', () => {
    const env = {
      FISH_HOST: '::',
      FISH_PORT: '0',
      FISH_METRICS: '[::1]:9100',
      FISH_STORAGE: 'memory:',
      FISH_GAMEMODES: 'sky, earth ,box_smp-2',
      FISH_REDIS_WAIT: '2',
      FISH_SPECIES_MIN_PLAYERS: '5',
      FISH_ADMIN_USERNAME: 'boss',
      FISH_ADMIN_PASSWORD: 'boss-password',
      FISH_MASTER_API_KEY: 'a-master-key-16ch',
      FISH_PUBLIC_URL: 'https://fish.example',
      FISH_ALLOWED_ORIGINS: 'https://a.example, http://localhost:3000 ,',
      FISH_RATE_LIMIT: '100',
      FISH_RATE_WINDOW: '60',
      FISH_ADMIN_RATE_LIMIT: '10',
      FISH_TRUST_PROXY: '2',
      FISH_JWT_SECRET: 'j'.repeat(32),
      FISH_SECRET: 's'.repeat(32),
      FISH_SECRET_PREVIOUS: '["older, with a comma","oldest"]',
      FISH_TOKEN_TTL: '3600',
      FISH_PUBLIC_LEADERBOARD: '1',
      FISH_WEB: 'off',
      FISH_LOG: 'json',
    }
    expect(readConfig({ env })).toEqual({
      host: '::',
      port: 0,
      metrics: { host: '::1', port: 9100 },
      storage: { driver: 'memory' },
      gamemodes: ['sky', 'earth', 'box_smp-2'],
      redisWait: 2,
      speciesMinPlayers: 5,
      adminUsername: 'boss',
      adminPassword: 'boss-password',
      masterApiKey: 'a-master-key-16ch',
      publicUrl: 'https://fish.example',
      allowedOrigins: ['https://a.example', 'http://localhost:3000'],
      rateLimit: 100,
      rateWindow: 60,
      adminRateLimit: 10,
      trustProxy: 2,
      jwtSecret: 'j'.repeat(32),
      secret: 's'.repeat(32),
      previousSecrets: ['older, with a comma', 'oldest'],
      tokenTtl: 3600,
      publicLeaderboard: true,
      web: 'off',
      log: 'json',
    })
    // A test of its own reads the file.
    expect([...Object.keys(env), 'FISH_SPECIES'].sort()).toEqual(
      Object.values(SETTINGS)
        .map((setting) => setting.env)
        .sort(),
    )
  })

  it('treats an empty variable as unset', () => {
    const env = Object.fromEntries(Object.values(SETTINGS).map((setting) => [setting.env, '']))
    expect(readConfig({ env })).toEqual(DEFAULTS)
  })

  it('uses a flag instead of an environment variable, even if the value of the variable is invalid', () => {
    const env = { FISH_PORT: '1', FISH_LOG: 'nonsense', FISH_STORAGE: 'file:/a' }
    const flags = { port: '2', log: 'silent', storage: 'file:/b', host: undefined }
    expect(readConfig({ env, flags })).toEqual({
      ...DEFAULTS,
      port: 2,
      log: 'silent',
      storage: { driver: 'file', path: '/b' },
    })
    expect(mistakesOf({ env: { FISH_PORT: '1' }, flags: { port: 'x' } })).toEqual([expect.stringMatching(/^--port /)])
  })

  it('has no flags for secrets', () => {
    for (const setting of Object.values(SETTINGS)) {
      if (/PASSWORD|KEY|SECRET/.test(setting.env)) expect(flagOf(setting)).toBeUndefined()
      else expect(flagOf(setting)).toBe(setting.env.replace('FISH_', '').toLowerCase().replaceAll('_', '-'))
    }
    expect(readConfig({ env: {}, flags: { secret: 'x', 'admin-password': 'some-password' } })).toEqual(DEFAULTS)
  })

  it.each([
    [
      'FISH_HOST',
      [
        ' ',
        'http://x',
        '127.0.0.1:80',
        'localhost:80',
        '[::1]',
        '1.2.3',
        '1.2.3.4.5',
        '256.1.1.1',
        'a b',
        '-a',
        'a..b',
        '*',
      ],
    ],
    ['FISH_SECRET', [' ', '\t \n']],
    ['FISH_SECRET_PREVIOUS', ['\n', '["old", " "]', '["old"']],
    ['FISH_JWT_SECRET', ['   ']],
    ['FISH_PORT', ['-1', '65536', '80.5', 'http', '1e3', '0x50', ' 80', '99999999999']],
    [
      'FISH_METRICS',
      ['yes', 'ON', '9100', ':9100', '127.0.0.1', '127.0.0.1:', '::1:9100', 'a:65536', 'http://a:1', 'a b:1'],
    ],
    [
      'FISH_STORAGE',
      [
        'data',
        'file:',
        'file://',
        'file://x',
        'file://localhost/x',
        'file:////x',
        'redis://h:port',
        'redis://h:99999',
        'memory',
        'FILE:x',
        's3://x',
      ],
    ],
    ['FISH_WEB', ['yes', 'ON', 'true']],
    ['FISH_GAMEMODES', [',', 'Earth', 'earth sky', 'earth,sky,earth', 'x'.repeat(33), 'ä', ALPHABET.join(',')]],
    ['FISH_ADMIN_USERNAME', ['-boss', 'a b', 'x'.repeat(33)]],
    ['FISH_ADMIN_PASSWORD', ['short77', 'x'.repeat(257)]],
    ['FISH_MASTER_API_KEY', ['short']],
    [
      'FISH_ALLOWED_ORIGINS',
      [
        '*',
        'example.org',
        'https://a.example/',
        'https://A.example',
        'https://a.example:443',
        'https://a.example,x',
        'null',
      ],
    ],
    ['FISH_RATE_LIMIT', ['0', '-1', 'many', '2.5']],
    ['FISH_RATE_WINDOW', ['0', '5m', '86401']],
    ['FISH_ADMIN_RATE_LIMIT', ['0', '']],
    ['FISH_TRUST_PROXY', ['true', '-1', '33']],
    ['FISH_TOKEN_TTL', ['0', 'off', '-5']],
    ['FISH_LOG', ['JSON', 'verbose']],
  ])('refuses an invalid %s with one line that names the variable', (name, values) => {
    for (const value of values.filter(Boolean)) {
      const mistakes = mistakesOf({ env: { [name]: value } })
      expect([value, mistakes]).toEqual([value, [expect.stringMatching(new RegExp(`^${name} [^\\n]+$`))]])
    }
  })

  it.each([
    '::',
    '::1',
    'fe80::1%eth0',
    '0.0.0.0',
    'localhost',
    'fish.example.org',
    'fish-1.',
    'my_host',
    '1st.example',
  ])('accepts the host %s', (FISH_HOST) => {
    expect(readConfig({ env: { FISH_HOST } }).host).toBe(FISH_HOST)
  })

  it('accepts a file URL with an absolute path', () => {
    expect(readConfig({ env: { FISH_STORAGE: 'file:///srv/fish' } }).storage).toMatchObject({ path: '/srv/fish' })
  })

  it('reads the list of species from a file, and reports each mistake of the list in a line', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'species-')), 'species.json')
    const source = { env: { FISH_SPECIES: file } }
    expect(mistakesOf(source)).toEqual([expect.stringMatching(/^FISH_SPECIES cannot be read: ENOENT/)])
    writeFileSync(file, '[\n{\n,')
    expect(mistakesOf(source)).toEqual([expect.stringMatching(/^FISH_SPECIES ".*" has a syntax error: [^\n]+$/)])
    writeFileSync(file, JSON.stringify([{ name: 'Koi', kind: 'whale' }, { kind: 'fish' }]))
    expect(mistakesOf(source)).toEqual([
      expect.stringMatching(/^FISH_SPECIES .*: entry 1: kind: /),
      expect.stringMatching(/^FISH_SPECIES .*: entry 2: name: /),
    ])
    const list = [{ name: 'Koi', kind: 'fish', rarities: ['Gold'], hint: 'In a lake' }]
    writeFileSync(file, JSON.stringify(list))
    expect(readConfig(source)).toMatchObject({ species: list, speciesMinPlayers: 3 })
    rmSync(dirname(file), { recursive: true })
  })

  it('rejects invalid gamemodes with an explanation', () => {
    expect(mistakesOf({ env: { FISH_GAMEMODES: 'earth,Sky' } })).toEqual([
      'FISH_GAMEMODES must be names of 1 to 32 characters of a-z, 0-9, "_" and "-", which "Sky" is not; separate gamemodes by commas, such as oneblock,earth,survival,factions',
    ])
    expect(mistakesOf({ env: {}, flags: { gamemodes: 'earth,sky,earth' } })).toEqual([
      expect.stringMatching(/^--gamemodes must be different names, but has "earth" twice; /),
    ])
  })

  it('reports every invalid origin in FISH_ALLOWED_ORIGINS', () => {
    const env = { FISH_ALLOWED_ORIGINS: 'https://a.example, https://*.example, https://b.example/, c.example' }
    expect(mistakesOf({ env })).toEqual([
      'FISH_ALLOWED_ORIGINS "https://*.example", "https://b.example/", "c.example" are not origins; use scheme, host and port only, such as https://example.org',
    ])
  })

  it('accepts a public URL without a path, and rejects any other value with an explanation', () => {
    const read = (FISH_PUBLIC_URL: string) => readConfig({ env: { FISH_PUBLIC_URL } }).publicUrl
    expect(read('https://fish.example/')).toBe('https://fish.example')
    expect(read('http://fish.example:8080')).toBe('http://fish.example:8080')
    for (const wrong of ['fish.example', 'ftp://fish.example', 'https://a:b@fish.example']) {
      expect(mistakesOf({ env: { FISH_PUBLIC_URL: wrong } })).toEqual([
        `FISH_PUBLIC_URL "${wrong}" must be http or https with a host, such as https://fish.example.org`,
      ])
    }
  })

  it('reports every mistake on a separate line', () => {
    const env = { FISH_PORT: 'x', FISH_LOG: 'x', FISH_STORAGE: 'x', FISH_TRUST_PROXY: 'x', FISH_ADMIN_PASSWORD: 'x' }
    const mistakes = mistakesOf({ env, flags: { 'rate-limit': '0', 'token-ttl': 'never' } })
    expect(mistakes).toHaveLength(7)
    expect(mistakes.map((line) => line.split(' ')[0]).sort()).toEqual(
      [
        '--rate-limit',
        '--token-ttl',
        'FISH_ADMIN_PASSWORD',
        'FISH_LOG',
        'FISH_PORT',
        'FISH_STORAGE',
        'FISH_TRUST_PROXY',
      ].sort(),
    )
  })

  it('refuses metrics at the same address as the server', () => {
    const FISH_METRICS = '127.0.0.1:8787'
    expect(mistakesOf({ env: { FISH_METRICS } })).toEqual([expect.stringContaining('FISH_METRICS')])
    expect(readConfig({ env: { FISH_METRICS, FISH_PORT: '8788' } }).metrics).toEqual({ host: '127.0.0.1', port: 8787 })
  })

  it('repeats no secret in an error message', () => {
    const secrets = ['short77', 'tiny-master', 'redis://:hunter2@host:port']
    const [FISH_ADMIN_PASSWORD, FISH_MASTER_API_KEY, FISH_STORAGE] = secrets
    const mistakes = mistakesOf({
      env: { FISH_ADMIN_PASSWORD, FISH_MASTER_API_KEY, FISH_STORAGE } as ConfigSource['env'],
    })
    expect(mistakes).toHaveLength(3)
    for (const secret of [...secrets, 'hunter2']) expect(mistakes.join('\n')).not.toContain(secret)
  })

  it('refuses a session secret that is too short for HS256, and does not repeat the secret', () => {
    const mistakes = mistakesOf({ env: { FISH_JWT_SECRET: 'hunter2' } })
    expect(mistakes).toEqual([expect.stringContaining('FISH_JWT_SECRET must have at least 32 bytes')])
    expect(mistakes.join()).not.toContain('hunter2')
  })

  it('requires both secrets with Redis, since processes must share them', () => {
    for (const FISH_STORAGE of ['redis://127.0.0.1', 'redis-cluster://127.0.0.1:7000,127.0.0.1:7001']) {
      expect(mistakesOf({ env: { FISH_STORAGE } })).toEqual([
        expect.stringContaining('FISH_SECRET is required with Redis'),
        expect.stringContaining('FISH_JWT_SECRET is required with Redis'),
      ])
      const env = { FISH_STORAGE, FISH_SECRET: 'encrypts', FISH_JWT_SECRET: 'j'.repeat(32) }
      expect(readConfig({ env }).storage.driver).toBe(FISH_STORAGE.slice(0, FISH_STORAGE.indexOf(':')))
    }
  })

  it.each([
    'redis://:hunter2@127.0.0.1',
    'redis://:hunter2/3@127.0.0.1',
    'rediss://alex:hunter2@host:6380/1',
    'redis-cluster://:hunter2@host:7000',
  ])('refuses the password of %s as a flag, and accepts the password from the environment', (storage) => {
    const env = { FISH_SECRET: 'encrypts', FISH_JWT_SECRET: 'j'.repeat(32) }
    const mistakes = mistakesOf({ env, flags: { storage } })
    expect(mistakes).toEqual([expect.stringContaining('--storage contains a password')])
    expect(mistakes.join()).not.toContain('hunter2')
    expect(readConfig({ env: { ...env, FISH_STORAGE: storage } }).storage.driver).toMatch(/^redis/)
  })
})

describe('a variable that no setting has', () => {
  const warningsOf = (...names: string[]) =>
    unknownVariables({ env: Object.fromEntries(names.map((name) => [name, 'x'])) }, ['FISH_URL', 'FISH_GAMEMODE'])

  test('is reported with the closest setting, if one is close', () => {
    expect(warningsOf('FISH_RATELIMT', 'FISH_GAMEMOD', 'FISH_SOMETHING_ELSE_ENTIRELY')).toEqual([
      'FISH_RATELIMT has no effect; did you mean FISH_RATE_LIMIT?',
      'FISH_GAMEMOD has no effect; did you mean FISH_GAMEMODES?',
      'FISH_SOMETHING_ELSE_ENTIRELY has no effect',
    ])
  })

  test('is not reported if a program on the client side uses the variable, or if it belongs to another program', () => {
    expect(warningsOf('FISH_URL', 'FISH_GAMEMODE', 'FISH_RATE_LIMIT', 'FISHING', 'PATH')).toEqual([])
  })
})

test.each([
  ['FISH_SECRET_PREVIOUS', '[broken', 'must be a valid JSON array'],
  ['FISH_SECRET_PREVIOUS', ' [1]', 'must be a valid JSON array'],
  ['FISH_SECRET_PREVIOUS', '["a", " "]', 'must be a valid JSON array'],
  ['FISH_PUBLIC_URL', 'https://fish.example.org/fish', 'without a path'],
  ['FISH_PUBLIC_URL', 'https://fish.example.org/?a=1', 'without a path'],
])('%s=%s is refused for the right reason', (name, value, reason) => {
  expect(() => readConfig({ env: { [name]: value } })).toThrow(reason)
})
