import { describe, expect, it } from 'vitest'
import type { AppCatch, AppState } from '../../web/src/player-app/api-types.ts'
import { createConnection } from '../../web/src/player-app/connection.ts'
import { logsOf } from '../../web/src/player-app/log-files.ts'
import { catchKeys, figuresOf, needsLogin } from '../../web/src/player-app/view.ts'

const LOGGED_OUT: AppState = {
  version: '0.1.0',
  newerVersion: null,
  account: null,
  running: false,
  starting: false,
  games: [],
  day: { date: '2026-01-01', fish: 0, crabs: 0, best: null, catches: [] },
  queue: { waiting: 0, waitingReason: null, rejected: 0, rejectedReason: null },
  question: null,
  progress: null,
  problem: null,
  startsWithComputer: false,
}
const ACCOUNT = { user: 'Alex', service: 'https://fish.example', gamemode: 'earth' } as const
const COD: AppCatch = {
  kind: 'fish',
  name: 'Cod',
  rarity: 'Bronze',
  gamemode: 'earth',
  caughtAt: '2026-01-01T12:00:00.000Z',
}
const WRONG_PASSWORD = { message: 'The password is wrong.', hint: 'Check the password.' }

/** An app in memory that speaks the API of the process. */
function createApp(state = LOGGED_OUT) {
  const requests: string[] = []
  const uploads: string[] = []
  const encoder = new TextEncoder()
  let secret = 'secret-1'
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined
  const send = (text: string) => stream?.enqueue(encoder.encode(text))
  const change = (some: Partial<AppState>) => {
    state = { ...state, ...some }
    send(`data: ${JSON.stringify(state)}\n\n`)
  }
  const respond = (path: string, body: Readonly<Record<string, unknown>>): Response => {
    switch (path) {
      case '/api/login':
        if (body.password === 'wrong') return Response.json({ error: WRONG_PASSWORD }, { status: 400 })
        change({ account: ACCOUNT, problem: null })
        return Response.json({ passwordToSave: 'file' in body ? 'secret-password' : null, loginFiles: [] })
      case '/api/start':
      case '/api/stop':
        change({ running: path === '/api/start' })
        return Response.json({ message: 'Done.' })
      default:
        return Response.json({})
    }
  }
  const fetch = (async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    const isUpload = init.method === 'PUT'
    const body = isUpload ? {} : JSON.parse(String(init.body ?? '{}'))
    if (isUpload) uploads.push(headers.get('x-last-modified') ?? '')
    requests.push(`${init.method ?? 'GET'} ${path} ${init.body ?? ''}`.trim())
    expect(headers.get('content-type')).toBe(isUpload ? 'application/octet-stream' : 'application/json')
    if (path === '/api/session') {
      return body.code === 'once' ? Response.json({ secret }) : new Response(null, { status: 401 })
    }
    if (headers.get('authorization') !== `Bearer ${secret}`) return new Response(null, { status: 401 })
    if (path !== '/api/events') return respond(path, body)
    const events = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller
        change({})
      },
    })
    return new Response(events)
  }) as typeof globalThis.fetch
  return {
    fetch,
    requests,
    uploads,
    change,
    send,
    revoke: () => {
      secret = 'secret-2'
    },
    end: () => stream?.close(),
  }
}

function createStorage(entries: Readonly<Record<string, string>> = {}) {
  const stored = new Map(Object.entries(entries))
  return {
    stored,
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  }
}

/** Opens the page as the browser opens it: with a code in its address, or with a stored secret after F5. */
async function openPage(app = createApp(), { fragment = '#code=once', storage = createStorage() } = {}) {
  const cleared: string[] = []
  const connection = createConnection({
    fetch: app.fetch,
    storage,
    fragment,
    clearAddress: () => cleared.push(fragment),
  })
  await expect.poll(() => connection.status().step).not.toBe('connecting')
  const state = () => {
    const status = connection.status()
    return status.step === 'connected' ? status.state : undefined
  }
  return { app, connection, storage, cleared, state }
}

describe('the page of the app', () => {
  it('swaps its code for a secret, removes the code from the address, and needs no code after a reload', async () => {
    const { app, storage, cleared, state } = await openPage()
    expect(cleared).toEqual(['#code=once'])
    expect(storage.stored.get('fish-app')).toBe('secret-1')
    expect(state()).toEqual(LOGGED_OUT)
    const reloaded = await openPage(app, { fragment: '', storage })
    expect(reloaded.state()).toEqual(LOGGED_OUT)
    expect(app.requests.filter((request) => request.includes('session'))).toHaveLength(1)
  })

  it('is disconnected without a code, with an invalid code, and after the app rejects its secret', async () => {
    const app = createApp()
    for (const fragment of ['', '#code=used']) {
      const { connection } = await openPage(app, { fragment })
      expect(connection.status()).toEqual({ step: 'disconnected' })
    }
    const { connection } = await openPage(app)
    app.revoke()
    await expect(connection.request('start', {})).rejects.toThrow()
    expect(connection.status()).toEqual({ step: 'disconnected' })
  })

  it('shows the login until a login file is accepted, and receives the password of the file once', async () => {
    const { connection, state } = await openPage()
    expect(needsLogin(LOGGED_OUT)).toBe(true)
    expect(await connection.request('login', { file: '{}' })).toMatchObject({ passwordToSave: 'secret-password' })
    await expect.poll(() => state()?.account).toEqual(ACCOUNT)
    expect(needsLogin(state() as AppState)).toBe(false)
  })

  it('logs in with address, name and password, and reports why a login failed', async () => {
    const { app, connection, state } = await openPage()
    const typed = { service: 'fish.example', name: 'Alex', password: 'wrong' }
    await expect(connection.request('login', typed)).rejects.toMatchObject({ problem: WRONG_PASSWORD })
    expect(state()?.account).toBeNull()
    expect(await connection.request('login', { ...typed, password: 'right' })).toMatchObject({ passwordToSave: null })
    await expect.poll(() => state()?.account).toEqual(ACCOUNT)
    expect(app.requests.at(-1)).toBe('POST /api/login {"service":"fish.example","name":"Alex","password":"right"}')
  })

  it('starts and stops the app', async () => {
    const { connection, state } = await openPage(createApp({ ...LOGGED_OUT, account: ACCOUNT }))
    await connection.request('start', {})
    await expect.poll(() => state()?.running).toBe(true)
    await connection.request('stop', {})
    await expect.poll(() => state()?.running).toBe(false)
  })

  it('shows a catch when the app reports it, although the message arrives in parts', async () => {
    const { app, state } = await openPage(createApp({ ...LOGGED_OUT, account: ACCOUNT }))
    const day = { ...LOGGED_OUT.day, fish: 1, best: COD, catches: [COD] }
    const message = `data: ${JSON.stringify({ ...LOGGED_OUT, account: ACCOUNT, day })}\n\n`
    app.send(message.slice(0, 30))
    app.send(message.slice(30))
    await expect.poll(() => state()?.day).toEqual(day)
  })

  it('shows the login again if a problem needs it', () => {
    const problem = { message: 'Your key has changed.', hint: null, needsLogin: true }
    expect(needsLogin({ ...LOGGED_OUT, account: ACCOUNT, problem })).toBe(true)
    expect(needsLogin({ ...LOGGED_OUT, account: ACCOUNT, problem: { ...problem, needsLogin: false } })).toBe(false)
  })

  it('reconnects when the stream of states ends, and reports when the app does not respond', async () => {
    const app = createApp()
    let isRunning = true
    const fetch = (async (path: string, init: RequestInit) => {
      if (!isRunning) throw new TypeError('fetch failed')
      return app.fetch(path, init)
    }) as typeof globalThis.fetch
    const { connection } = await openPage({ ...app, fetch })
    app.end()
    await expect.poll(() => app.requests.filter((request) => request === 'GET /api/events')).toHaveLength(2)
    expect(connection.status().step).toBe('connected')
    isRunning = false
    app.end()
    await expect.poll(() => connection.status()).toEqual({ step: 'ended' })
  })

  it('has ended after Quit', async () => {
    const { connection } = await openPage()
    await connection.request('quit', {})
    expect(connection.status()).toEqual({ step: 'ended' })
  })

  it('gives equal catches different keys, which stay when newer catches arrive', () => {
    const before = catchKeys([COD, COD])
    expect(new Set(before).size).toBe(2)
    expect(catchKeys([{ ...COD, name: 'Koi' }, COD, COD, COD]).slice(2)).toEqual(before)
  })

  it('sends a log with its folder, name and time', async () => {
    const { app, connection } = await openPage()
    const file = new File(['a line'], 'latest (1).log', { lastModified: 1_700_000_000_000 })
    expect(await connection.upload('batch', { folder: 2, file })).toBe(true)
    expect(app.requests.at(-1)).toMatch(/^PUT \/api\/upload\/batch\/2\/latest%20\(1\)\.log/)
    expect(app.uploads).toEqual(['1700000000000'])
  })

  it('chooses the logs among files, and numbers their folders', () => {
    const fileAt = (path: string) =>
      Object.defineProperty(new File([], path.replace(/^.*\//, '')), 'webkitRelativePath', { value: path })
    const paths = [
      'a/latest.log',
      'a/2026-01-02-1.log.gz',
      'a/debug.log',
      'a/b/old.log',
      'a/options.txt.bak',
      'a/mod.jar',
    ]
    expect(logsOf(paths.map(fileAt)).map(({ folder, file }) => `${folder} ${file.name}`)).toEqual([
      '0 latest.log',
      '0 2026-01-02-1.log.gz',
      '1 old.log',
      '0 options.txt.bak',
    ])
  })

  it('starts the figures at zero after midnight', () => {
    const day = { ...LOGGED_OUT.day, fish: 3, best: COD }
    expect(figuresOf(day, new Date('2026-01-01T23:59:59'))).toMatchObject({ fish: 3, best: COD })
    expect(figuresOf(day, new Date('2026-01-02T00:00:00'))).toEqual({ fish: 0, crabs: 0, best: null })
  })
})
