import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { newFolder } from './data-folder.ts'
import { head, openRaw } from './raw-socket.ts'
import { type Run, runServe, startTestServer } from './running.ts'

const GIVEN = { FISH_STORAGE: 'memory:', FISH_ADMIN_PASSWORD: 'boss-password', FISH_LOG: 'json' }

/** Requests a stop. From then on, the test controls the time, including the grace period of 10 s. */
async function stopOnFakeTimers(run: Run): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  run.stop()
  await run.stderr.until(/stopping/)
}

async function startRedisEnv() {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const [FISH_SECRET, FISH_JWT_SECRET] = ['s'.repeat(32), 'j'.repeat(32)]
  return { FISH_STORAGE: redis.url, FISH_SECRET, FISH_JWT_SECRET }
}

function digest(folder: string): string {
  const hash = createHash('sha256')
  for (const name of ['fish.db', 'secrets.json']) {
    if (readdirSync(folder).includes(name)) hash.update(name).update(readFileSync(join(folder, name)))
  }
  return hash.digest('hex')
}

describe('serve', () => {
  it('writes one line to stdout when it is ready, and exits with 0 after a request to stop', async () => {
    const run = runServe(GIVEN)
    const url = await run.ready
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    run.stop()
    expect(await run.status).toBe(0)
    expect(run.stdout.text()).toBe(`listening on ${url}\n`)
    await expect(fetch(`${url}/livez`)).rejects.toThrow()
  })

  it('writes its log to stderr, one JSON object per line, without passwords', async () => {
    const run = runServe(GIVEN)
    await fetch(`${await run.ready}/status`)
    run.stop()
    await run.status
    const lines = run.stderr.text().trim().split('\n')
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
    expect(messages).toEqual(expect.arrayContaining(['ready', 'request', 'stopped']))
    expect(run.stderr.text()).not.toContain('boss-password')
  })

  it('warns about a FISH_SECRET that is too short to be safe, but does not print the secret', async () => {
    const run = runServe({ ...GIVEN, FISH_SECRET: 'tiny-secret' })
    await run.ready
    run.stop()
    await run.status
    expect(run.stderr.text()).toMatch(/FISH_SECRET is short/)
    expect(run.stderr.text()).not.toMatch(/tiny-/)
  })

  it('prints the generated password of the first administrator once, and the password is valid', async () => {
    const run = runServe({ FISH_STORAGE: 'memory:', FISH_LOG: 'silent' })
    const url = await run.ready
    const [, username, password] = /administrator "(\S+)" with the password (\S+)\n/.exec(run.stderr.text()) ?? []
    expect(username).toBe('admin')
    expect(run.stderr.text().split(String(password))).toHaveLength(2)
    expect(run.stdout.text()).not.toContain(String(password))
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    }
    expect((await fetch(`${url}/admin/login`, init)).status).toBe(200)
  })

  it('finishes a request in flight before it exits, while readiness and new connections fail', async () => {
    const run = runServe(GIVEN)
    const url = await run.ready
    const slow = await openRaw(url)
    slow.send(head('POST /admin/login HTTP/1.1', { 'content-type': 'application/json', 'content-length': '2' }))
    slow.send('{')
    await fetch(`${url}/livez`)
    const ended = vi.fn()
    void run.status.then(ended)
    await stopOnFakeTimers(run)
    await vi.advanceTimersByTimeAsync(9000)
    expect(ended).not.toHaveBeenCalled()
    slow.send('}')
    const response = await slow.until(/requestId/)
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    expect(response).toContain('invalid_payload')
    expect(await run.status).toBe(0)
  })

  it('closes a keep-alive connection after the response to the last request if a stop is in progress', async () => {
    const run = runServe(GIVEN)
    const kept = await openRaw(await run.ready)
    kept.send(head('GET /livez HTTP/1.1'))
    expect(await kept.until(/"ok"/)).toMatch(/connection: keep-alive/i)
    kept.send(head('POST /admin/login HTTP/1.1', { 'content-type': 'application/json', 'content-length': '2' }))
    kept.send('{')
    await fetch(`${await run.ready}/livez`)
    run.stop()
    await run.stderr.until(/stopping/)
    kept.send('}')
    expect(await kept.until(/invalid_payload/)).toMatch(/HTTP\/1\.1 400 [\s\S]*connection: close/i)
    expect(await run.status).toBe(0)
  })

  it.each(['', 'GET /livez HTTP/1.1\r\nhost: service.test\r\n'])(
    'does not wait for a connection with an incomplete request head: %j',
    async (text) => {
      const run = runServe(GIVEN)
      const [fresh, kept] = [await openRaw(await run.ready), await openRaw(await run.ready)]
      kept.send(head('GET /livez HTTP/1.1'))
      await kept.until(/"ok"/)
      fresh.send(text)
      kept.send(text)
      await fetch(`${await run.ready}/livez`)
      await stopOnFakeTimers(run)
      await vi.advanceTimersByTimeAsync(1000)
      expect(await run.status).toBe(0)
    },
  )

  it('does not wait for requests in flight after a second request to stop', async () => {
    const run = runServe(GIVEN)
    const slow = await openRaw(await run.ready)
    slow.send(head('POST /admin/login HTTP/1.1', { 'content-length': '2' }))
    await fetch(`${await run.ready}/livez`)
    run.stop()
    await run.stderr.until(/stopping/)
    run.stop()
    expect(await run.status).toBe(130)
    slow.socket.destroy()
  })

  it('reports in one line that the port is in use, exits with 6, and creates nothing', async () => {
    const { port } = new URL((await startTestServer()).url)
    const folder = join(newFolder(), 'data')
    const run = runServe({ FISH_STORAGE: `file:${folder}`, FISH_PORT: port, FISH_LOG: 'silent' })
    expect(await run.status).toBe(6)
    expect(run.stdout.text()).toBe('')
    expect(run.stderr.text()).toMatch(new RegExp(`^fish-cli serve: port ${port} [^\\n]*in use[^\\n]*--port[^\\n]*\\n$`))
    expect(existsSync(folder)).toBe(false)
  })

  it.each(['no.such.host.invalid', 'http://x', '127.0.0.1:80'])(
    'reports in one line that %s is not a host, exits with 2, and creates nothing',
    async (FISH_HOST) => {
      const folder = join(newFolder(), 'data')
      const run = runServe({ FISH_STORAGE: `file:${folder}`, FISH_HOST, FISH_LOG: 'silent' })
      expect(await run.status).toBe(2)
      expect(run.stdout.text()).toBe('')
      expect(run.stderr.text()).toMatch(/^fish-cli serve: [^\n]*FISH_HOST[^\n]*\n$/)
      expect(existsSync(folder)).toBe(false)
    },
  )

  it('handles no request before it is ready, and releases its port if it cannot start', async () => {
    const port = String(await freePort())
    const folder = newFolder()
    writeFileSync(join(folder, 'fish.db'), 'a shopping list')
    const run = runServe({ FISH_STORAGE: `file:${folder}`, FISH_PORT: port, FISH_LOG: 'silent' })
    expect(await run.status).toBe(1)
    const again = runServe({ ...GIVEN, FISH_PORT: port })
    expect(await again.ready).toBe(`http://127.0.0.1:${port}`)
  })

  it('names --metrics in the error if the address of the metrics is in use', async () => {
    const other = await startTestServer()
    const run = runServe({ ...GIVEN, FISH_METRICS: new URL(other.url).host })
    expect(await run.status).toBe(6)
    expect(run.stderr.text()).toMatch(/is in use.*--metrics \(FISH_METRICS\)/)
    expect(run.stdout.text()).toBe('')
  })

  it('reports in one line that the folder is in use, and exits with 6', async () => {
    const folder = newFolder()
    await startTestServer({ FISH_STORAGE: `file:${folder}` })
    const run = runServe({ ...GIVEN, FISH_STORAGE: `file:${folder}`, FISH_LOG: 'silent' })
    expect(await run.status).toBe(6)
    expect(run.stdout.text()).toBe('')
    expect(run.stderr.text()).toMatch(/^fish-cli serve: [^\n]*in use[^\n]*\n$/)
  })

  it('reports every mistake on a separate line, starts nothing, and exits with 2', async () => {
    const folder = join(newFolder(), 'data')
    const run = runServe({ FISH_STORAGE: `file:${folder}`, FISH_PORT: 'x', FISH_LOG: 'y' }, { 'rate-limit': '0' })
    expect(await run.status).toBe(2)
    expect(run.stdout.text()).toBe('')
    expect(run.stderr.text().trim().split('\n').sort()).toEqual([
      expect.stringMatching(/^fish-cli serve: --rate-limit /),
      expect.stringMatching(/^fish-cli serve: FISH_LOG /),
      expect.stringMatching(/^fish-cli serve: FISH_PORT /),
    ])
    expect(() => readdirSync(folder)).toThrow(/ENOENT/)
  })

  it.each([
    ['given', { FISH_SECRET: 'the first secret of this data, long' }],
    ['made', {}],
  ] as const)('refuses data that was encrypted with a different secret (%s), and changes nothing', async (_, first) => {
    const folder = newFolder()
    const storage = { FISH_STORAGE: `file:${folder}` }
    await (await startTestServer({ ...storage, ...first })).close()
    const before = digest(folder)
    const run = runServe({
      ...GIVEN,
      ...storage,
      FISH_SECRET: 'quite another secret of some length',
      FISH_LOG: 'silent',
    })
    expect(await run.status).toBe(2)
    expect(run.stdout.text()).toBe('')
    expect(run.stderr.text()).toMatch(/^fish-cli serve: FISH_SECRET [^\n]+\n$/)
    expect(digest(folder)).toBe(before)
    await (await startTestServer({ ...storage, ...first })).close()
  })

  it('refuses encrypted data if FISH_SECRET is missing, and does not generate a secret', async () => {
    const folder = newFolder()
    const storage = { FISH_STORAGE: `file:${folder}` }
    const both = { FISH_SECRET: 'the first secret of this data, long', FISH_JWT_SECRET: 'j'.repeat(32) }
    await (await startTestServer({ ...storage, ...both })).close()
    const before = digest(folder)
    expect(await runServe({ ...GIVEN, ...storage, FISH_LOG: 'silent' }).status).toBe(2)
    expect(digest(folder)).toBe(before)
  })

  describe.each([
    ['file', async () => ({ FISH_STORAGE: `file:${newFolder()}` })],
    ['Redis', startRedisEnv],
  ] as const)('with a %s storage', (_, prepare) => {
    it('refuses to remove a gamemode that contains catches, prints the number of catches and the next step, and exits with 2', async () => {
      const env = { FISH_LOG: 'silent', FISH_ADMIN_PASSWORD: 'boss-password', ...(await prepare()) }
      const server = await startTestServer({ ...env, FISH_GAMEMODES: 'earth,sky' })
      const login = { username: 'admin', password: 'boss-password' }
      const json = { 'content-type': 'application/json' }
      const post = (path: string, body: unknown, headers = {}) =>
        fetch(server.url + path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
      const { token } = (await (await post('/admin/login', login)).json()) as { token: string }
      const authorization = `Bearer ${token}`
      await post('/admin/users', { name: 'Alex' }, { authorization })
      const fish = [1, 2, 3].map((rarity) => ({ name: 'Cod', rarity }))
      const added = await post('/admin/users/Alex/fish?gamemode=sky', { fish }, { authorization })
      expect(added.status).toBe(201)
      await server.close()

      const run = runServe({ ...env, FISH_GAMEMODES: 'earth' })
      expect(await run.status).toBe(2)
      expect(run.stdout.text()).toBe('')
      expect(run.stderr.text()).toBe(
        'fish-cli serve: The storage holds 3 catches in sky, which is not among the gamemodes earth. ' +
          'Set FISH_GAMEMODES=earth,sky, and move or delete these catches before you take the gamemode away; nothing was changed.\n',
      )
      const again = await startTestServer({ ...env, FISH_GAMEMODES: 'cave,sky' })
      const { fish: kept } = (await (await fetch(`${again.url}/get/fish?name=Alex&gamemode=sky`)).json()) as {
        fish: []
      }
      expect(kept).toHaveLength(3)
    })
  })
})
