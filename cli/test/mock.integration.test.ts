import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@fish-crab/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Env, type RunResult, run } from './harness.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fish-cli-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs the mock, calls `act` when the mock is ready, and stops the mock. */
async function whileRunning(
  argv: readonly string[],
  act: (url: string) => Promise<unknown>,
  env: Env = {},
): Promise<RunResult> {
  const ready = Promise.withResolvers<string>()
  const stop = Promise.withResolvers<void>()
  const ended = run(['mock', '--port', '0', ...argv], {
    env,
    onStdout: ready.resolve,
    stopRequested: () => stop.promise,
  })
  const line = await Promise.race([ready.promise, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))])
  try {
    await act(/http:\/\/[\w.:]+/.exec(line)?.[0] ?? '')
  } finally {
    stop.resolve()
  }
  return ended
}

async function seedFile(name: string, content: unknown): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('mock', () => {
  test('prints exactly one line on stdout, and the players, their keys and an example on stderr', async () => {
    const { status, stdout, stderr } = await whileRunning([], async (url) => {
      expect((await fetch(`${url}/status`)).status).toBe(200)
    })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/)
    expect(stderr).toMatch(/^Alex {2}password \S+ {2}Fernet key \S+ {2}API key fck_\S+\n/)
    expect(stderr).toMatch(/FISH_KEY=\S+ FISH_GAMEMODE=earth fish-cli add .*\n.*\/__mock\n$/)
  })

  test('lifts the rate limit for the key in FISH_MASTER_API_KEY', async () => {
    const statuses: number[] = []
    const act = async (url: string) => {
      for (const key of ['a master key', 'a master key', 'another key', 'another key']) {
        statuses.push((await fetch(`${url}/status`, { headers: { 'x-api-key': key } })).status)
      }
    }
    await whileRunning(['--rate-limit', '1'], act, { FISH_MASTER_API_KEY: 'a master key' })
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test('serves a client, and with --json prints the users and their keys', async () => {
    const { stdout, stderr } = await whileRunning(['--json'], async (url) => {
      const { users } = (await (await fetch(`${url}/__mock/state`)).json()) as { users: { fernetKey: string }[] }
      const fernetKey = users[0]?.fernetKey ?? ''
      const client = createClient({ baseUrl: url, user: 'Alex', fernetKey, gamemode: 'earth' })
      await client.crabs.add()
      expect((await client.crabs.list()).crab).toEqual([{ name: 'crab' }])
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      users: [
        { name: 'Alex', password: expect.any(String), fernetKey: expect.any(String), apiKey: expect.any(String) },
      ],
    })
  })

  test('starts with the users of a seed file, the given time and the given limit', async () => {
    const seed = await seedFile('seed.json', {
      users: [{ name: 'Steve', fish: { factions: [{ name: 'Koi', rarity: 'Gold' }] } }],
    })
    const argv = ['--seed', seed, '--start-at', '2026-01-01T00:00:00Z', '--rate-limit', '2', '--rate-window', '10']
    await whileRunning(argv, async (url) => {
      const get = () => fetch(`${url}/get/fish?name=Steve&gamemode=factions`)
      const first = await get()
      expect(await first.json()).toEqual({ user: 'Steve', fish: [{ name: 'Koi', rarity: 'Gold' }] })
      expect(first.headers.get('x-ratelimit-reset')).toBe(String(Date.UTC(2026, 0, 1, 0, 0, 10) / 1000))
      expect([(await get()).status, (await get()).status]).toEqual([200, 429])
      await fetch(`${url}/__mock/clock`, { method: 'POST', body: JSON.stringify({ advanceMs: 10_000 }) })
      expect((await get()).status).toBe(200)
    })
  })

  test('accepts POST requests from pages of the given origins', async () => {
    await whileRunning(['--allowed-origins', 'https://one.test, https://two.test'], async (url) => {
      const allowed = async (origin: string) => {
        const headers = { origin, 'access-control-request-method': 'POST' }
        const answer = await fetch(`${url}/post/fish`, { method: 'OPTIONS', headers })
        return answer.headers.get('access-control-allow-origin')
      }
      expect(await allowed('https://two.test')).toBe('https://two.test')
      expect(await allowed('https://three.test')).toBeNull()
    })
  })

  test('warns if other machines can reach the mock', async () => {
    const { stderr } = await whileRunning(['--host', '0.0.0.0', '--json'], async () => {})
    expect(stderr).toMatch(/^Listening on 0\.0\.0\.0: everyone who can reach this address can read all keys/)
  })

  test.each([
    ['does not exist', undefined, 'cannot be read (ENOENT)'],
    ['is not JSON', 'canary {', 'not JSON'],
    ['has an invalid structure', { users: { name: 'canary' } }, 'seed.users: Invalid input: expected array'],
    ['has an unknown field', { users: [{ name: 'Alex', pasword: 'canary' }] }, 'pasword'],
    ['has an invalid user name', { users: [{ name: 'not a name' }] }, 'seed.users[0].name: Must be 1 to 32 characters'],
    ['has a duplicate user', { users: [{ name: 'Alex' }, { name: 'alex' }] }, 'have the same name'],
    ['has an invalid fish', { users: [{ name: 'Alex', fish: { earth: [{ name: 'Cod', rarity: 9 }] } }] }, 'rarity'],
    [
      'has an invalid key',
      { users: [{ name: 'Alex', fernetKey: 'canary' }] },
      'seed.users[0].fernetKey: Must be 32 bytes',
    ],
  ])('rejects a seed file that %s, and starts no server', async (title, content, message) => {
    const path = content === undefined ? join(folder, 'nowhere.json') : await seedFile(`${title}.json`, content)
    const { status, stdout, stderr } = await run(['mock', '--port', '0', '--seed', path])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^fish-cli: [^\n]+\n {2}See: fish-cli mock --help\n$/)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('canary')
  })

  test.each([
    ['--port', '70000'],
    ['--port', 'canary'],
    ['--rate-limit', '0'],
    ['--rate-window', '1.5'],
    ['--allowed-origins', 'one.test'],
    ['--start-at', 'yesterday'],
    ['--start-at', '2026-02-30T00:00:00Z'],
    ['--host', ''],
  ])('rejects %s %j', async (flag, value) => {
    const { status, stdout } = await run(['mock', flag, value, '--json'])
    const { error } = JSON.parse(stdout)
    expect([status, error.exit, error.code]).toEqual([2, 2, 'usage'])
    expect(error.message).toMatch(new RegExp(`^${flag} must be `))
  })

  test('suggests the next step if its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    const { status, stdout } = await run(['mock', '--port', port, '--json'])
    other.close()
    expect(status).toBe(6)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'start_failed',
      message: `Port ${port} on 127.0.0.1 is in use.`,
      hint: expect.stringContaining('--port'),
    })
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'exits with 0 after %s, even if a client waits for a response',
    async (signal) => {
      const program = fileURLToPath(new URL('../bin/dev.js', import.meta.url))
      const child = spawn(process.execPath, [program, 'mock', '--port', '0'], {
        env: { PATH: process.env.PATH },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const closed = once(child, 'close')
      const [line] = await once(child.stdout, 'data')
      const url = String(line).trim().replace('listening on ', '')
      await fetch(`${url}/__mock/faults`, { method: 'POST', body: JSON.stringify({ fault: 'silence' }) })
      const waiting = fetch(`${url}/status`).catch((error: Error) => error.name)
      // The list of faults is empty as soon as the request has arrived.
      await expect.poll(async () => (await fetch(`${url}/__mock/faults`)).json()).toEqual({ faults: [] })
      child.kill(signal)
      expect(await closed).toEqual([0, null])
      expect(await waiting).toBe('TypeError')
    },
  )
})
