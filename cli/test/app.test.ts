import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { AppState } from '../../server/web/src/player-app/api-types.ts'
import { createAutostart } from '../src/commands/app/autostart.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { ADMIN_PASSWORD, type Env, type RunOptions, run, serviceContext, startService } from './harness.ts'

const context = serviceContext()

/** The local minute before the test, because a later time would belong to the day before. */
const MINUTE = new Date(Date.now() - 60_000).toTimeString().slice(0, 5)

const CATCH = (second: number, name: string) =>
  `[${MINUTE}:0${second}] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a ${name} with a length of 31.5cm.\n`

/** Shortens the time that the outbox collects catches, and its waits after failures. */
const HASTY_CLOCK: RunOptions['clock'] = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms < 30_000 ? ms / 100 : ms, undefined, { signal }),
}

const logOf = (home: string, game = '.minecraft') => join(home, game, 'logs', 'latest.log')

function homeWithGame(player = 'Alex'): string {
  const home = newFolder()
  putLog(logOf(home), player)
  return home
}

function putLog(path: string, player: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, `[${MINUTE}:00] [main/INFO]: Setting user: ${player}\n`)
}

/** Starts the program for players, and returns the page that its browser would have. */
async function openApp(env: Env = {}, home = homeWithGame(), clock: RunOptions['clock'] = HASTY_CLOCK) {
  const log = logOf(home)
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
  let asked = 0
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
    home,
    env: own,
    post: (path: string, body: object = {}) => call(path, body, authorization),
    put: (path: string, body: string, headers: object) =>
      fetch(origin + path, { method: 'PUT', headers: { origin, ...authorization, ...headers }, body }),
    reply: (id: number, reply: string | null) => call('/api/reply', { id, reply }, authorization),
    /** Waits for a question that was not returned before. */
    async question(): Promise<NonNullable<AppState['question']>> {
      const { question } = await this.until((state) => (state.question?.id ?? 0) > asked)
      asked = question?.id ?? 0
      return question as NonNullable<AppState['question']>
    },
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

const loginFile = (gamemode: string | null = 'earth') => {
  const { alex, service } = context
  const { name, password, fernetKey } = alex
  return JSON.stringify({
    version: 1,
    service: service.url,
    name,
    password,
    fernetKey,
    ...(gamemode !== null && { gamemode }),
  })
}

const OTHER_LINE = `[${MINUTE}:03] [Render thread/INFO]: [CHAT] ok\n`

/** Starts a service of the mocks with the player Alex, and returns the login file of Alex. */
async function startMock() {
  const mock = await createMock({
    seed: { users: [{ name: 'Alex' }], admins: [{ username: 'root', password: 'root-password' }] },
  })
  const { url: service } = await mock.serve()
  onTestFinished(() => mock[Symbol.asyncDispose]())
  const { fernetKey } = mock.user('Alex')
  const login = { version: 1, service, name: 'Alex', fernetKey, gamemode: 'earth' }
  return { mock, login, file: JSON.stringify(login), sent: () => mock.sent.fish().map(({ name }) => name) }
}

test('a player logs in with a file, starts, and sees each new catch, which the service has stored', async () => {
  const app = await openApp()
  expect((await app.until(() => true)).account).toBeNull()
  const login = await app.post('/api/login', { file: loginFile() })
  expect(login).toEqual({ status: 200, body: { passwordToSave: context.alex.password, loginFiles: [] } })
  await app.post('/api/start')
  const running = await app.until((state) => state.running)
  // The service of the tests has an older version.
  expect(running).toMatchObject({
    newerVersion: null,
    account: { user: 'Alex', gamemode: 'earth' },
    games: [{ path: app.log }],
  })
  appendFileSync(app.log, CATCH(1, 'Salmon') + CATCH(2, 'Eel'))
  // A catch in the last line waits for a following line.
  appendFileSync(app.log, OTHER_LINE)
  const caught = await app.until(({ day, queue }) => day.catches.length === 2 && queue.waiting === 0)
  expect(caught.day.catches.map(({ name }) => name)).toEqual(['Eel', 'Salmon'])
  const listed = await run(['list', '--json'], { env: context.player })
  expect(JSON.parse(listed.stdout).fish.map(({ name }: { name: string }) => name)).toEqual(['Salmon', 'Eel'])
  const undone = app.post('/api/undo')
  const { text, about, id } = await app.question()
  expect(text).toMatch(/^Remove 1 fish of Alex, earth|^Remove \d/)
  expect(about.join()).toContain('Eel')
  await app.reply(id, 'yes')
  const { kind, id: secret } = await app.question()
  expect(kind).toBe('secret')
  await app.reply(secret, context.alex.password)
  expect(await undone).toMatchObject({ status: 200, body: { message: expect.stringContaining('Removed') } })
  // The catch that was added last is Eel, alone or with Salmon.
  await app.until(({ day }) => day.fish < 2 && day.catches.length === day.fish)
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
  writeFileSync(app.log, `[${MINUTE}:00] [main/INFO]: Setting user: Bella\n`)
  expect((await app.post('/api/login', { file: fileOf(bella.fernetKey) })).status).toBe(200)
  await app.post('/api/start')
  const reset = await run(['user', 'reset', 'Bella', '--type', 'fernet', '--yes', '--show', '--json'], {
    env: context.admin,
  })
  appendFileSync(app.log, CATCH(1, 'Salmon') + OTHER_LINE)
  const { queue } = await app.until(({ problem }) => problem?.needsLogin === true)
  expect(queue.rejected).toBe(1)
  expect((await app.post('/api/login', { file: fileOf(JSON.parse(reset.stdout).secret) })).status).toBe(200)
  await app.post('/api/start')
  await app.until(({ queue: { waiting, rejected } }) => waiting === 0 && rejected === 0)
  await expect
    .poll(async () => JSON.parse((await run(['list', 'Bella', '--json'], { env: context.base })).stdout).fish.length)
    .toBe(1)
})

test('a new login in a terminal ends the request for a login on the page', async () => {
  const { mock, login, file, sent } = await startMock()
  const app = await openApp()
  await app.post('/api/login', { file })
  await app.post('/api/start')
  const admin = { baseUrl: mock.origin, fetch: mock.fetch, username: 'root', password: 'root-password' }
  const reset = await createAdminClient(admin).users.reset('Alex', 'fernet')
  appendFileSync(app.log, CATCH(1, 'Salmon') + OTHER_LINE)
  await app.until(({ problem }) => problem?.needsLogin === true)
  const newFile = join(app.home, 'new.json')
  writeFileSync(newFile, JSON.stringify({ ...login, fernetKey: reset.fernetKey }))
  expect((await run(['login', '--from', newFile], { env: app.env })).status).toBe(0)
  appendFileSync(app.log, CATCH(4, 'Eel') + OTHER_LINE)
  await app.until(({ problem, queue }) => problem === null && queue.waiting + queue.rejected === 0)
  expect(sent()).toEqual(['Salmon', 'Eel'])
})

test('a second click on start follows each log once, and a stop ends a start', async () => {
  const app = await openApp()
  expect((await app.post('/api/login', { file: loginFile() })).status).toBe(200)
  await Promise.all([app.post('/api/start'), app.post('/api/start')])
  appendFileSync(app.log, CATCH(1, 'Salmon') + OTHER_LINE)
  const { day, problem } = await app.until((state) => state.day.catches.length > 0 && state.queue.waiting === 0)
  expect(day.catches).toHaveLength(1)
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
    status: 422,
    body: { error: { message: 'The request is too large.' } },
  })
})

test('catches wait while the service is unreachable, and are sent once', async () => {
  const { mock, file, sent } = await startMock()
  const app = await openApp()
  expect((await app.post('/api/login', { file })).status).toBe(200)
  await app.post('/api/start')
  const fault = mock.fail('reset', { times: Number.POSITIVE_INFINITY, on: 'postFish' })
  appendFileSync(app.log, CATCH(1, 'Salmon') + OTHER_LINE)
  const { queue } = await app.until(({ queue: { waitingReason } }) => waitingReason !== null)
  expect(queue).toMatchObject({
    waiting: 1,
    waitingReason: expect.stringMatching(/^The service does not respond\. Sending continues at/),
  })
  await app.post('/api/stop')
  const { queue: stopped } = await app.until(({ running }) => !running)
  expect(stopped).toMatchObject({ waiting: 1, waitingReason: 'Press Start to send them.' })
  fault.cancel()
  await app.post('/api/start')
  await app.until(({ queue: { waiting } }) => waiting === 0)
  expect(sent()).toEqual(['Salmon'])
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
  expect(await app.post('/api/login', right)).toEqual({ status: 200, body: { passwordToSave: null, loginFiles: [] } })
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
  const app = await openApp({}, undefined, { now: () => now, sleep })
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

test('the figures of the day survive a restart, and belong to one account', async () => {
  const home = homeWithGame()
  const app = await openApp({}, home)
  await app.post('/api/login', { file: loginFile() })
  await app.post('/api/start')
  appendFileSync(app.log, CATCH(1, 'Salmon') + CATCH(2, 'Eel') + OTHER_LINE)
  const { day } = await app.until((state) => state.day.catches.length === 2)
  await app.post('/api/quit')
  await app.ended
  const again = await openApp({}, home)
  const restored = await again.until((state) => state.running)
  expect(restored.day).toEqual(day)
  await again.post('/api/logout')
  expect((await again.until(({ account }) => account === null)).day.catches).toEqual([])
})

test('a login finds the same login file among the downloads, and deletes it only on request', async () => {
  const home = homeWithGame()
  const file = join(home, 'Downloads', 'alex.json')
  mkdirSync(join(file, '..'))
  writeFileSync(file, loginFile())
  writeFileSync(join(home, 'Downloads', 'alex (1).json'), loginFile())
  writeFileSync(join(home, 'Downloads', 'other.json'), `${loginFile()} `)
  const app = await openApp({}, home)
  expect((await app.post('/api/login', { file: loginFile() })).body).toMatchObject({
    loginFiles: [join(home, 'Downloads', 'alex (1).json'), file],
  })
  expect(existsSync(file)).toBe(true)
  await app.post('/api/delete-login-files')
  expect(readdirSync(join(home, 'Downloads'))).toEqual(['other.json'])
  await app.post('/api/delete-login-files')
  expect((await app.post('/api/login', { file: loginFile() })).body).toMatchObject({ loginFiles: [] })
})

test('a login file that has changed since the login is not deleted', async () => {
  const home = homeWithGame()
  const file = join(home, 'Downloads', 'alex.json')
  mkdirSync(join(file, '..'))
  writeFileSync(file, loginFile())
  const app = await openApp({}, home)
  await app.post('/api/login', { file: loginFile() })
  writeFileSync(file, 'another file')
  await app.post('/api/delete-login-files')
  expect(readFileSync(file, 'utf8')).toBe('another file')
})

test('if no log names the gamemode, the page asks once, and the next start does not ask', async () => {
  const home = homeWithGame()
  const app = await openApp({}, home)
  await app.post('/api/login', { file: loginFile(null) })
  const start = app.post('/api/start')
  const { kind, choices, id } = await app.question()
  expect({ kind, choices }).toEqual({ kind: 'choice', choices: expect.arrayContaining(['earth', 'oneblock']) })
  await app.reply(id, 'oneblock')
  await start
  await app.until(({ account }) => account?.gamemode === 'oneblock')
  appendFileSync(app.log, CATCH(1, 'Pike') + OTHER_LINE)
  const { day, games } = await app.until((state) => state.day.catches.length === 1)
  expect(day.catches[0]).toMatchObject({ name: 'Pike', gamemode: 'oneblock' })
  expect(games[0]?.note).toContain('oneblock')
  await app.post('/api/stop')
  await app.post('/api/start')
  expect(await app.until(() => true)).toMatchObject({ running: true, question: null })
})

test('a stop cancels the question of a start', async () => {
  const app = await openApp()
  await app.post('/api/login', { file: loginFile(null) })
  const start = app.post('/api/start')
  await app.question()
  await app.post('/api/stop')
  await start
  expect(await app.until(() => true)).toMatchObject({ running: false, starting: false, question: null })
})

test('the page says which games it follows, and which it skips for which reason', async () => {
  const home = homeWithGame()
  const others = logOf(home, '.lunarclient/offline/1.21')
  putLog(others, 'Bella')
  const app = await openApp({}, home)
  await app.post('/api/login', { file: loginFile() })
  await app.post('/api/start')
  const { games } = await app.until((state) => state.games.length === 2)
  expect(games).toEqual(
    expect.arrayContaining([
      { path: app.log, launcher: 'vanilla', followed: true, note: 'Your catches go to earth.' },
      { path: others, launcher: 'Lunar', followed: false, note: expect.stringContaining('runs as Bella') },
    ]),
  )
  appendFileSync(app.log, `[${MINUTE}:01] [Render thread/INFO]: Connecting to hub.example.net, 25565\n`)
  await app.until((state) => state.games.some(({ note }) => note.includes('hub, which is not a gamemode')))
})

test('old logs of the games are shown, and added after a confirmation', async () => {
  const home = homeWithGame()
  const old = join(home, '.minecraft', 'logs', '2026-01-02-1.log')
  writeFileSync(old, CATCH(1, 'Salmon') + CATCH(2, 'Eel') + OTHER_LINE)
  const app = await openApp({}, home)
  await app.post('/api/login', { file: loginFile() })
  const refused = app.post('/api/old-logs', {})
  const { text, about, id } = await app.question()
  expect(text).toContain('Add 2 catches for Alex')
  expect(about.join(' ')).toContain('2 catches to add, 2026-01-02')
  await app.reply(id, null)
  expect(await refused).toMatchObject({ status: 200, body: { message: 'Nothing was added.' } })
  const added = app.post('/api/old-logs', {})
  await app.reply((await app.question()).id, 'yes')
  expect((await added).body.message).toContain('2 catches added.')
  expect((await app.post('/api/old-logs', {})).body.message).toContain('0 catches added.')
  const { fish } = JSON.parse((await run(['list', '--json'], { env: context.player })).stdout)
  expect(fish.map(({ name }: { name: string }) => name).filter((name: string) => name === 'Eel')).not.toEqual([])
})

test('dropped logs are added like old logs, keep their date, and leave neither files nor positions behind', async () => {
  const temporary = newFolder()
  const batch = crypto.randomUUID()
  const app = await openApp()
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  await app.post('/api/login', { file: loginFile() })
  const put = (path: string, content: string) =>
    app.put(`/api/upload/${batch}/${path}`, content, {
      'x-last-modified': String(new Date(2026, 0, 3, 23, 59, 59).getTime()),
    })
  expect((await put('0/2025-03-04-1.log', CATCH(1, 'Tuna') + OTHER_LINE)).status).toBe(200)
  expect((await put('1/latest.log', CATCH(1, 'Tench') + OTHER_LINE)).status).toBe(200)
  for (const path of ['0/..', '0/a%2Fb.log', '0/..%2F..%2Fescaped.log', 'x/a.log'])
    expect((await put(path, 'a')).ok).toBe(false)
  const added = app.post('/api/old-logs', { batch })
  const { about, id } = await app.question()
  expect(about.join(' ')).toContain('the chosen logs: 2 catches to add, 2025-03-04 to 2026-01-03')
  await app.reply(id, 'yes')
  expect((await added).body.message).toContain('2 catches added.')
  // No log will ever have these temporary paths again.
  const state = join(xdgFolders(app.home).XDG_STATE_HOME, 'fish-crab')
  const outbox = readdirSync(state).find((name) => /^outbox-.*\.db$/.test(name)) ?? ''
  using database = new DatabaseSync(join(state, outbox), { readOnly: true })
  expect(database.prepare('SELECT name FROM checkpoints').all()).toEqual([])
  expect(readdirSync(temporary, { recursive: true })).not.toContainEqual(expect.stringMatching(/log$/))
  await app.post('/api/quit')
  await app.ended
  expect(readdirSync(temporary)).toEqual([])
})

test('rejected catches are sent again on request', async () => {
  const { mock, file, sent } = await startMock()
  const app = await openApp()
  await app.post('/api/login', { file })
  await app.post('/api/start')
  mock.fail({ status: 400, code: 'user_mismatch' }, { times: 1, on: 'postFish' })
  appendFileSync(app.log, CATCH(1, 'Salmon') + OTHER_LINE)
  const { queue } = await app.until((state) => state.queue.rejected === 1)
  expect(queue.rejectedReason).not.toMatch(/fish-cli|^$/)
  await app.post('/api/retry')
  await app.until((state) => state.queue.rejected === 0 && state.queue.waiting === 0)
  expect(sent()).toEqual(['Salmon'])
})

test('a stop sends the last catches', async () => {
  const { file, sent } = await startMock()
  const app = await openApp()
  await app.post('/api/login', { file })
  await app.post('/api/start')
  appendFileSync(app.log, CATCH(1, 'Salmon') + OTHER_LINE)
  await app.until(({ day }) => day.catches.length === 1)
  await app.post('/api/stop')
  expect(sent()).toEqual(['Salmon'])
})

test.runIf(process.platform === 'linux')(
  'the entry that starts the program with the computer is off by default',
  async () => {
    const app = await openApp()
    const entry = join(xdgFolders(app.home).XDG_CONFIG_HOME, 'autostart', 'org.fish-crab.collection.desktop')
    expect((await app.until((state) => state.startsWithComputer !== null)).startsWithComputer).toBe(false)
    await app.post('/api/autostart', { enabled: true })
    expect(readFileSync(entry, 'utf8')).toMatch(/^Exec=".+" "app" "--background"$/m)
    await app.until((state) => state.startsWithComputer === true)
    await app.post('/api/autostart', { enabled: false })
    expect(existsSync(entry)).toBe(false)
    await app.until((state) => state.startsWithComputer === false)
  },
)

test.each([
  ['linux', (text: string) => text.includes(String.raw`Exec="/opt/a \\"b\\" \\$HOME 100%%/Fish Collection" "app"`)],
  [
    'darwin',
    (text: string) => text.includes('<string>/opt/a "b" $HOME 100%/Fish Collection</string><string>app</string>'),
  ],
] as const)('a path with special characters starts on %s', async (platform, isRight) => {
  const home = newFolder()
  const env = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, 'config') }
  const autostart = createAutostart({ env }, platform, ['/opt/a "b" $HOME 100%/Fish Collection', 'app'])
  await autostart.set(true)
  const [file = ''] = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('org.fish'),
  )
  const text = readFileSync(join(home, file), 'utf8')
  expect(isRight(text), text).toBe(true)
})

test('in the background, the page opens at the second start', async () => {
  const home = homeWithGame()
  const opened: string[] = []
  const env = { HOME: home, USERPROFILE: home, ...xdgFolders(home) }
  const page = Promise.withResolvers<string>()
  const stop = Promise.withResolvers<void>()
  const options = {
    env,
    openBrowser: async (url: string) => {
      opened.push(url)
      page.resolve(url)
      return true
    },
    stopRequested: () => stop.promise,
  }
  const running = run(['app', '--background'], options)
  const state = join(xdgFolders(home).XDG_STATE_HOME, 'fish-crab', 'app.sock')
  await expect.poll(() => existsSync(state)).toBe(true)
  expect((await run(['app', '--background'], options)).stdout).not.toContain('page')
  expect(opened).toEqual([])
  expect((await run(['app'], options)).status).toBe(0)
  expect(await page.promise).toMatch(/^file:/)
  stop.resolve()
  expect((await running).stdout).toContain('runs in the background')
})

test('the page names a newer version of the service', async () => {
  const newer = await startService({}, '9.0.0')
  onTestFinished(() => newer.close())
  const admin = { FISH_URL: newer.url, FISH_ADMIN_PASSWORD: context.admin.FISH_ADMIN_PASSWORD }
  const { name, fernetKey } = JSON.parse((await run(['user', 'create', 'Alex', '--json'], { env: admin })).stdout)
  const app = await openApp()
  const file = JSON.stringify({ version: 1, service: newer.url, name, fernetKey, gamemode: 'earth' })
  await app.post('/api/login', { file })
  await app.post('/api/start')
  expect((await app.until(({ newerVersion }) => newerVersion !== null)).newerVersion).toBe('9.0.0')
})

test('two starts at the same time are one program', async () => {
  const home = homeWithGame()
  const env = { HOME: home, USERPROFILE: home, ...xdgFolders(home) }
  const opened: string[] = []
  const second = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<void>()
  const options = {
    env,
    openBrowser: async (url: string) => {
      opened.push(url)
      if (opened.length === 2) second.resolve()
      return true
    },
    stopRequested: () => stop.promise,
  }
  const starts = [run(['app'], options), run(['app'], options)]
  const ended = await Promise.race(starts)
  expect(ended.stdout).toContain('already running')
  await second.promise
  const addresses = opened.map((url) => /http:[^#]+/.exec(readFileSync(fileURLToPath(url), 'utf8'))?.[0])
  expect(new Set(addresses).size).toBe(1)
  stop.resolve()
  expect((await Promise.all(starts)).map(({ status }) => status)).toEqual([0, 0])
  expect(existsSync(join(xdgFolders(home).XDG_STATE_HOME, 'fish-crab', 'app.sock'))).toBe(false)
})

test('a question in the background opens the page', async () => {
  const home = homeWithGame()
  const first = await openApp({}, home)
  await first.post('/api/login', { file: loginFile(null) })
  await first.post('/api/quit')
  await first.ended
  const page = Promise.withResolvers<string>()
  const stop = Promise.withResolvers<void>()
  const openBrowser = async (url: string) => {
    page.resolve(url)
    return true
  }
  const running = run(['app', '--background'], { env: first.env, openBrowser, stopRequested: () => stop.promise })
  expect(await page.promise).toMatch(/^file:/)
  stop.resolve()
  expect((await running).status).toBe(0)
})

test('cancelling a question changes nothing and reports no problem', async () => {
  const app = await openApp()
  await app.post('/api/login', { file: loginFile(null) })
  const start = app.post('/api/start')
  await app.reply((await app.question()).id, null)
  await start
  expect(await app.until(({ starting }) => !starting)).toMatchObject({ running: false, problem: null })
})

test('catches of old logs wait while the service is down, and the page says so', async () => {
  const { mock, file, sent } = await startMock()
  const app = await openApp()
  writeFileSync(join(app.log, '..', '2026-01-02-1.log'), CATCH(1, 'Salmon') + OTHER_LINE)
  await app.post('/api/login', { file })
  const fault = mock.fail('reset', { times: Number.POSITIVE_INFINITY })
  const added = app.post('/api/old-logs', {})
  await app.reply((await app.question()).id, 'yes')
  expect((await added).body.error).toMatchObject({ message: expect.stringContaining('1 catch is waiting') })
  expect((await app.until(({ queue }) => queue.waiting > 0)).queue.waitingReason).toBe('Press Start to send them.')
  fault.cancel()
  await app.post('/api/start')
  await app.until(({ queue }) => queue.waiting === 0)
  expect(sent()).toEqual(['Salmon'])
})

test('a new login continues a run', async () => {
  const app = await openApp()
  await app.post('/api/login', { file: loginFile() })
  await app.post('/api/start')
  await app.post('/api/login', { file: loginFile() })
  await app.until(({ running }) => running)
})

test('the page opens although the configuration is damaged, and says why', async () => {
  const home = homeWithGame()
  const folder = join(xdgFolders(home).XDG_CONFIG_HOME, 'fish-crab')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), '{')
  const app = await openApp({}, home)
  const { problem } = await app.until(() => true)
  expect(problem?.message).toContain('config.json cannot be used')
})

test.runIf(process.platform === 'linux')('a browser that is a snap gets a file that it can read', async () => {
  const home = homeWithGame()
  const common = join(home, 'snap', 'firefox', 'common')
  const programs = newFolder()
  mkdirSync(common, { recursive: true })
  writeFileSync(join(programs, 'xdg-settings'), '#!/bin/sh\necho firefox_firefox.desktop\n', { mode: 0o755 })
  const app = await openApp({ PATH: `${programs}:${process.env.PATH}` }, home)
  expect(app.file).toBe(join(common, basename(app.file)))
  expect(statSync(app.file).mode & 0o777).toBe(0o600)
})

test('a player changes the password on the page, and a run continues with the same keys', async () => {
  const admin = createAdminClient({ baseUrl: context.service.url, username: 'admin', password: ADMIN_PASSWORD })
  const { name, password, fernetKey } = await admin.users.create({ name: 'Mina' })
  const app = await openApp({}, homeWithGame(name))
  const file = JSON.stringify({ version: 1, service: context.service.url, name, fernetKey, gamemode: 'earth' })
  await app.post('/api/login', { file })
  await app.post('/api/start')
  const newPassword = 'three quiet rivers'
  const wrong = await app.post('/api/password', { password: 'not the password', newPassword })
  expect([wrong.status, wrong.body.error]).toMatchObject([422, { message: 'The name or the password is wrong.' }])
  expect((await app.post('/api/password', { password, newPassword: 'short' })).body.error).toMatchObject({
    message: 'The new password must have 8 to 256 characters.',
  })
  expect(await app.post('/api/password', { password, newPassword })).toEqual({ status: 200, body: {} })
  appendFileSync(app.log, CATCH(1, 'Salmon'))
  await app.until(({ day, queue }) => day.fish === 1 && queue.waiting === 0)
  const client = createClient({ baseUrl: context.service.url, env: {} })
  expect(await client.keys.get({ username: name, password: newPassword })).toMatchObject({ fernetKey })
})

test('the catches of a suspended player wait on this computer, and the page says why', async () => {
  const admin = createAdminClient({ baseUrl: context.service.url, username: 'admin', password: ADMIN_PASSWORD })
  const { name, fernetKey } = await admin.users.create({ name: 'Nora' })
  const app = await openApp({}, homeWithGame(name))
  const file = JSON.stringify({ version: 1, service: context.service.url, name, fernetKey, gamemode: 'earth' })
  await app.post('/api/login', { file })
  await app.post('/api/start')
  await admin.users.suspend(name, { hide: true })
  appendFileSync(app.log, CATCH(1, 'Salmon'))
  const { queue } = await app.until((state) => state.queue.waitingReason !== null)
  expect(queue).toMatchObject({ waiting: 1, rejected: 0 })
  expect(queue.waitingReason).toContain('suspended')
})
