import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMock } from '@fish-crab/mocks'
import { expect, onTestFinished, test } from 'vitest'
import type { AppState } from '../../server/web/src/player-app/api-types.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, type RunOptions, run, serviceContext } from './harness.ts'

const context = serviceContext()

const CATCH = (second: number, name: string) =>
  `[09:00:0${second}] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a ${name} with a length of 31.5cm.\n`

/** Starts the program for players, and returns the page that its browser would have. */
async function openApp(env: Env = {}, clock?: RunOptions['clock']) {
  const home = newFolder()
  const log = join(home, '.minecraft', 'logs', 'latest.log')
  mkdirSync(join(log, '..'), { recursive: true })
  writeFileSync(log, '[09:00:00] [main/INFO]: Setting user: Alex\n')
  const opened: string[] = []
  const waiting: ((url: string) => void)[] = []
  const nextOpened = () => new Promise<string>((resolve) => waiting.push(resolve))
  const stop = Promise.withResolvers<void>()
  const stops = [stop.promise]
  const own = { HOME: home, USERPROFILE: home, ...xdgFolders(home), FISH_MAX_WAIT: '0', ...env }
  const options = {
    env: own,
    clock,
    openBrowser: async (url: string) => {
      opened.push(url)
      waiting.shift()?.(url)
      return true
    },
    stopRequested: () => stops.shift() ?? new Promise<void>(() => {}),
  }
  const first = nextOpened()
  const ended = run(['app'], options)
  const file = fileURLToPath(await first)
  const [, origin = '', code = ''] =
    /url=(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]+)/.exec(readFileSync(file, 'utf8')) ?? []
  const call = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }
  const secret = String((await call('/api/session', { code })).body.secret)
  const authorization = { authorization: `Bearer ${secret}` }
  onTestFinished(async () => {
    stop.resolve()
    await ended
  })
  return {
    file,
    code,
    origin,
    log,
    opened,
    nextOpened,
    ended,
    stop: () => stop.resolve(),
    again: () => run(['app'], options),
    raw: call,
    post: (path: string, body: object = {}) => call(path, body, authorization),
    /** Waits for a state that matches. */
    async until(isWanted: (state: AppState) => boolean): Promise<AppState> {
      const ending = new AbortController()
      const response = await fetch(`${origin}/api/events`, { headers: authorization, signal: ending.signal })
      let text = ''
      try {
        for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          text += chunk
          const messages = text.split('\n\n')
          text = messages.pop() ?? ''
          const state = messages.map((one) => JSON.parse(one.slice('data: '.length)) as AppState).find(isWanted)
          if (state) return state
        }
      } finally {
        ending.abort()
      }
      throw new Error('The stream ended.')
    },
  }
}

const loginFile = () => {
  const { alex, service } = context
  const { name, password, fernetKey } = alex
  return JSON.stringify({ version: 1, service: service.url, name, password, fernetKey, gamemode: 'earth' })
}

test('a player logs in with a file, starts, and sees each new catch, which the service has stored', async () => {
  const app = await openApp()
  expect((await app.until(() => true)).account).toBeNull()
  const login = await app.post('/api/login', { file: loginFile() })
  expect(login).toEqual({ status: 200, body: { passwordToSave: context.alex.password } })
  await app.post('/api/start')
  const running = await app.until((state) => state.running)
  // The test service has version 0.0.0-test.
  await app.until(({ messages }) => messages.some(({ text }) => text.includes('download the newer file')))
  expect(running).toMatchObject({ account: { user: 'Alex', gamemode: 'earth' }, games: [{ path: app.log }] })
  appendFileSync(app.log, CATCH(1, 'Salmon') + CATCH(2, 'Eel'))
  // A catch in the last line waits for a following line.
  appendFileSync(app.log, '[09:00:03] [Render thread/INFO]: [CHAT] ok\n')
  const caught = await app.until(({ catches, queue }) => catches.length === 2 && queue.waiting === 0)
  expect(caught.catches.map(({ name }) => name)).toEqual(['Eel', 'Salmon'])
  const listed = await run(['list', '--json'], { env: context.player })
  expect(JSON.parse(listed.stdout).fish.map(({ name }: { name: string }) => name)).toEqual(['Salmon', 'Eel'])
  expect(await app.post('/api/undo')).toMatchObject({
    status: 422,
    body: { error: { message: 'Enter your password.' } },
  })
  expect((await app.post('/api/undo', { password: context.alex.password })).status).toBe(200)
  const left = await run(['list', '--json'], { env: context.player })
  expect(JSON.parse(left.stdout).fish).toEqual([])
  expect((await app.post('/api/stop')).status).toBe(200)
  expect((await app.until((state) => !state.running)).problem).toBeNull()
})

test('after a new key, the page asks for a login, and then sends the rejected catches', async () => {
  const bella = JSON.parse((await run(['user', 'create', 'Bella', '--json'], { env: context.admin })).stdout)
  const fileOf = (fernetKey: string) =>
    JSON.stringify({ version: 1, service: context.service.url, name: 'Bella', fernetKey, gamemode: 'earth' })
  const app = await openApp()
  writeFileSync(app.log, '[09:00:00] [main/INFO]: Setting user: Bella\n')
  expect((await app.post('/api/login', { file: fileOf(bella.fernetKey) })).status).toBe(200)
  await app.post('/api/start')
  const reset = await run(['user', 'reset', 'Bella', '--type', 'fernet', '--yes', '--show', '--json'], {
    env: context.admin,
  })
  appendFileSync(app.log, `${CATCH(1, 'Salmon')}[09:00:03] [Render thread/INFO]: [CHAT] ok\n`)
  const { queue } = await app.until(({ problem }) => problem?.needsLogin === true)
  expect(queue.rejected).toBe(1)
  expect((await app.post('/api/login', { file: fileOf(JSON.parse(reset.stdout).secret) })).status).toBe(200)
  await app.post('/api/start')
  await app.until(({ queue: { waiting, rejected } }) => waiting === 0 && rejected === 0)
  await expect
    .poll(async () => JSON.parse((await run(['list', 'Bella', '--json'], { env: context.base })).stdout).fish.length)
    .toBe(1)
})

test('a second click on start follows each log once, and a stop ends a start', async () => {
  const app = await openApp()
  expect((await app.post('/api/login', { file: loginFile() })).status).toBe(200)
  await Promise.all([app.post('/api/start'), app.post('/api/start')])
  appendFileSync(app.log, `${CATCH(1, 'Salmon')}[09:00:03] [Render thread/INFO]: [CHAT] ok\n`)
  const { catches, problem } = await app.until(({ catches: shown, queue }) => shown.length > 0 && queue.waiting === 0)
  expect(catches).toHaveLength(1)
  expect(problem).toBeNull()
  await app.post('/api/stop')
  const start = app.post('/api/start')
  await app.until(({ starting, running }) => starting || running)
  await app.post('/api/stop')
  await start
  expect(await app.until(() => true)).toMatchObject({ running: false, starting: false, problem: null })
})

test('a request that is too large is refused', async () => {
  const app = await openApp()
  expect(await app.post('/api/login', { file: 'a'.repeat(64 * 1024) })).toMatchObject({
    status: 400,
    body: { error: { message: 'The request is too large.' } },
  })
})

test('catches wait while the service is unreachable, and are sent once', async () => {
  const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  const server = await mock.serve()
  onTestFinished(() => mock[Symbol.asyncDispose]())
  const { fernetKey } = mock.user('Alex')
  const app = await openApp()
  const file = JSON.stringify({ version: 1, service: server.url, name: 'Alex', fernetKey, gamemode: 'earth' })
  expect((await app.post('/api/login', { file })).status).toBe(200)
  await app.post('/api/start')
  const fault = mock.fail('reset', { times: Number.POSITIVE_INFINITY, on: 'postFish' })
  appendFileSync(app.log, `${CATCH(1, 'Salmon')}[09:00:03] [Render thread/INFO]: [CHAT] ok\n`)
  expect(
    (await app.until(({ messages }) => messages.some(({ text }) => text.includes('wait in the outbox')))).queue.waiting,
  ).toBe(1)
  fault.cancel()
  await app.until(({ queue }) => queue.waiting === 0)
  expect(mock.sent.fish().map(({ name }) => name)).toEqual(['Salmon'])
})

test('a rejected login stores nothing, and says what to do', async () => {
  const app = await openApp()
  const wrong = { service: context.service.url, name: 'Alex', password: 'wrong password' }
  expect(await app.post('/api/login', wrong)).toMatchObject({
    status: 422,
    body: { error: { hint: expect.any(String) } },
  })
  expect((await app.until(() => true)).account).toBeNull()
  const right = { ...wrong, password: context.alex.password }
  expect(await app.post('/api/login', right)).toEqual({ status: 200, body: { passwordToSave: null } })
  await app.post('/api/logout')
  expect((await app.until(() => true)).account).toBeNull()
})

test('a second start opens the page of the running program, and quitting ends it', async () => {
  const app = await openApp()
  const reopened = app.nextOpened()
  expect(await app.again()).toMatchObject({ status: 0, stdout: expect.stringContaining('already running') })
  expect(readFileSync(fileURLToPath(await reopened), 'utf8')).toContain(`${app.origin}/#code=`)
  expect((await app.post('/api/quit')).status).toBe(200)
  expect((await app.ended).status).toBe(0)
})

test('only the opened page can talk to the program', async () => {
  const app = await openApp()
  if (process.platform !== 'win32') expect(statSync(app.file).mode & 0o777).toBe(0o600)
  // The code is valid once.
  expect((await app.raw('/api/session', { code: app.code })).status).toBe(401)
  expect((await app.raw('/api/start', {})).status).toBe(401)
  expect((await app.raw('/api/start', {}, { authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await fetch(`${app.origin}/api/events`)).status).toBe(401)
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }]) {
    expect((await app.raw('/api/session', { code: app.code }, headers)).status).toBe(403)
  }
  // A form or `no-cors` sends no origin of the page.
  expect((await fetch(`${app.origin}/api/start`, { method: 'POST', body: 'a=1' })).status).toBe(403)
})

/** Sends a request whose target and headers are exactly the given ones. Returns the status. */
function rawRequest(origin: string, method: string, path: string, headers: Readonly<Record<string, string>>) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    request({ hostname, port, method, path, headers }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })
}

test('each request needs the secret, in each form of its path', async () => {
  const app = await openApp()
  const { host } = new URL(app.origin)
  // `%61` is the letter a.
  for (const prefix of ['/api', '/%61pi', '/./api', '/x/../api', `${app.origin}/api`]) {
    for (const authorization of [undefined, '', 'Bearer', 'Bearer wrong', `Bearer ${app.code}`]) {
      const headers = { host, origin: app.origin, ...(authorization !== undefined && { authorization }) }
      expect([prefix, await rawRequest(app.origin, 'GET', `${prefix}/events`, headers)]).toEqual([prefix, 401])
      for (const name of ['login', 'start', 'stop', 'undo', 'logout', 'open', 'quit', 'unknown']) {
        const path = `${prefix}/${name}`
        expect([path, await rawRequest(app.origin, 'POST', path, headers)]).toEqual([path, 401])
      }
    }
  }
  expect(await app.until(() => true)).toMatchObject({ running: false, starting: false })
})

test('a request for another host is refused, also if the host stands in its target', async () => {
  const app = await openApp()
  const { host, port } = new URL(app.origin)
  for (const other of ['evil.example', `evil.example:${port}`, `localhost:${port}`, '127.0.0.1']) {
    expect([other, await rawRequest(app.origin, 'GET', '/', { host: other })]).toEqual([other, 403])
    expect([other, await rawRequest(app.origin, 'GET', `http://${other}/`, { host })]).toEqual([other, 403])
  }
  expect(await rawRequest(app.origin, 'GET', '/', { host: '127.0.0.1:99999' })).toBe(403)
})

test('a code and its file last 30 s', async () => {
  let now = Date.now()
  const sleeps: { readonly ms: number; readonly end: () => void }[] = []
  const sleep = (ms: number) => new Promise<void>((end) => sleeps.push({ ms, end }))
  const app = await openApp({}, { now: () => now, sleep })
  const reopen = async () => {
    const reopened = app.nextOpened()
    await app.again()
    const file = fileURLToPath(await reopened)
    return { file, code: /#code=([\w-]+)/.exec(readFileSync(file, 'utf8'))?.[1] }
  }
  const [early, late] = [await reopen(), await reopen()]
  now += 29_999
  expect((await app.raw('/api/session', { code: early.code })).status).toBe(200)
  now += 1
  expect((await app.raw('/api/session', { code: late.code })).status).toBe(401)
  expect([early, late].map(({ file }) => existsSync(file))).toEqual([true, true])
  for (const { ms, end } of sleeps) if (ms === 30_000) end()
  await expect.poll(() => [early, late].map(({ file }) => existsSync(file))).toEqual([false, false])
})
