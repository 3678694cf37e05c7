import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ACCOUNT_LIMITS } from '@fish-crab/sdk/constants'
import { H3, type H3Event } from 'h3'
import { PAGES_HEADERS } from '../../../../server/src/app/routes/page-headers.ts'
import type {
  AppErrorBody,
  AppProblem,
  AppRequests,
  AppState,
  LoginBody,
  PasswordBody,
} from '../../../../server/web/src/player-app/api-types.ts'
import { usageError } from '../../core/errors.ts'
import type { Player } from './player.ts'
import { problemFor } from './problem.ts'

export interface PageApiOptions {
  readonly player: Player
  /** The only origin from which the page calls, such as `http://127.0.0.1:1234`. */
  readonly origin: string
  /** The folder with `player-app.html` and its assets. */
  readonly folder: string
  readonly now: () => number
  readonly quit: () => void
}

const CODE_MS = 30_000
const MIN_INTERVAL_MS = 100
const MAX_BODY = 64 * 1024
const NO_STORE = { 'cache-control': 'no-store' }

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.woff2': 'font/woff2',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

// Nothing may frame this page, and no other site may read its files.
const PAGE_HEADERS = {
  ...PAGES_HEADERS,
  ...NO_STORE,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

type Body = Readonly<Record<string, unknown>>

/** The operations of the page by path. Each receives an unvalidated body. */
type Operations = {
  readonly [Name in Exclude<keyof AppRequests, 'session'>]: (body: Body) => Promise<AppRequests[Name]['response']>
}

function createOperations(player: Player, quit: () => void): Operations {
  const done = async (work: unknown) => {
    await work
    return {}
  }
  return {
    login: async (body) => player.logIn(loginRequest(body)),
    'delete-login-files': () => done(player.deleteLoginFiles()),
    start: () => done(player.start()),
    stop: () => done(player.stop()),
    undo: async () => ({ message: await player.undo() }),
    retry: () => done(player.retryRejected()),
    'old-logs': async ({ batch }) => ({
      message: await player.addOldLogs(typeof batch === 'string' ? batch : undefined),
    }),
    reply: ({ id, reply }) => done(player.reply(Number(id), typeof reply === 'string' ? reply : null)),
    autostart: ({ enabled }) => done(player.setAutostart(enabled === true)),
    password: (body) => done(player.changePassword(passwordRequest(body))),
    logout: () => done(player.logOut()),
    async quit() {
      setImmediate(quit)
      return {}
    },
  }
}

/**
 * The HTTP interface of the page. Every site and every user of this machine can reach the port: each request must have
 * the host and the origin of the page, and the secret that only the opened page has.
 */
export function createPageApi({ player, origin, folder, now, quit }: PageApiOptions) {
  const secret = randomBytes(32).toString('base64url')
  const codes = new Map<string, number>()
  const operations = createOperations(player, quit)
  /** The number of open pages. */
  let pages = 0

  /** Returns a code that the page exchanges once for the secret, within 30 s. */
  function newCode(): string {
    for (const [code, until] of codes) if (until <= now()) codes.delete(code)
    const code = randomBytes(32).toString('base64url')
    codes.set(code, now() + CODE_MS)
    return code
  }

  function refusal({ req, url }: H3Event): Response | undefined {
    const { host } = new URL(origin)
    // A request target may name a host too: RFC 9112, section 3.2.2.
    if (req.headers.get('host') !== host || url.host !== host) return failure(403, WRONG_HOST)
    const isApi = url.pathname.startsWith('/api/')
    const from = req.headers.get('origin')
    const site = req.headers.get('sec-fetch-site')
    if (from !== null && from !== origin) return failure(403, WRONG_ORIGIN)
    if (isApi && site !== null && site !== 'same-origin') return failure(403, WRONG_ORIGIN)
    if (req.method !== 'GET' && from !== origin) return failure(403, WRONG_ORIGIN)
    return undefined
  }

  function isAuthorized({ req }: H3Event): boolean {
    const given = Buffer.from(req.headers.get('authorization') ?? '')
    const expected = Buffer.from(`Bearer ${secret}`)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  const app = new H3()

  app.use(async (event, next) => {
    const refused = refusal(event)
    if (refused) return refused
    // The URL of the event is the one that is routed: `/%61pi/start` is the path `/api/start`.
    const { pathname } = event.url
    if (pathname.startsWith('/api/') && pathname !== '/api/session' && !isAuthorized(event)) {
      return failure(401, NOT_CONNECTED)
    }
    try {
      return await next()
    } catch (error) {
      return failure(422, problemFor(error))
    }
  })

  app.get('/', () => file(folder, 'player-app.html'))
  app.get('/assets/:name', ({ context }) => file(join(folder, 'assets'), context.params?.name ?? ''))
  app.post('/api/session', async (event) => {
    const { code } = await body(event)
    const until = typeof code === 'string' ? codes.get(code) : undefined
    if (typeof code === 'string') codes.delete(code)
    if (until === undefined || until <= now()) return failure(401, NOT_CONNECTED)
    return Response.json({ secret }, { headers: NO_STORE })
  })
  app.get('/api/events', ({ req }) => {
    pages += 1
    return states(player, req.signal, () => {
      pages -= 1
    })
  })
  app.put('/api/upload/:batch/:folder/:name', async ({ context, req }) => {
    const { batch = '', folder, name = '' } = context.params ?? {}
    const writtenAt = Number(req.headers.get('x-last-modified') ?? Number.NaN)
    const log = { batch, folder: Number(folder), name: decodeURIComponent(name), writtenAt }
    await player.uploads.save(log, req.body ?? new Blob([]).stream())
    return Response.json({})
  })
  for (const [name, run] of Object.entries(operations)) {
    app.post(`/api/${name}`, async (event) => Response.json(await run(await body(event)), { headers: NO_STORE }))
  }

  return { fetch: (request: Request) => app.fetch(request), newCode, hasPage: () => pages > 0 }
}

const WRONG_HOST: AppProblem = { message: 'Wrong host.', hint: null }
const WRONG_ORIGIN: AppProblem = { message: 'Wrong origin.', hint: null }
const NOT_CONNECTED: AppProblem = { message: 'This page is not connected.', hint: 'Open Fish Collection again.' }
const NOT_FOUND: AppProblem = { message: 'Not found.', hint: null }

function failure(status: number, error: AppProblem): Response {
  return Response.json({ error } satisfies AppErrorBody, { status, headers: NO_STORE })
}

async function body({ req }: H3Event): Promise<Body> {
  const length = Number(req.headers.get('content-length') ?? Number.NaN)
  if (!(length <= MAX_BODY)) throw usageError('The request is too large.')
  return Object(await req.json().catch(() => ({})))
}

function loginRequest({ file, service, name, password }: Body): LoginBody {
  if (typeof file === 'string') return { file }
  if ([service, name, password].every((text) => typeof text === 'string' && text !== '')) {
    return { service, name, password } as LoginBody
  }
  throw usageError('Enter the address of the service, your name and your password.')
}

function passwordRequest({ password, newPassword }: Body): PasswordBody {
  if (typeof password !== 'string' || typeof newPassword !== 'string' || password === '') {
    throw usageError('Enter the old password and the new password.')
  }
  const { minPasswordLength: shortest, passwordLength: longest } = ACCOUNT_LIMITS
  if (newPassword.length >= shortest && newPassword.length <= longest) return { password, newPassword }
  throw usageError(`The new password must have ${shortest} to ${longest} characters.`)
}

async function file(folder: string, name: string): Promise<Response> {
  const content = /^[\w-][\w.-]*$/.test(name) ? await readFile(join(folder, name)).catch(() => undefined) : undefined
  if (!content) return failure(404, NOT_FOUND)
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return new Response(content, { headers: { ...PAGE_HEADERS, 'content-type': type } })
}

/**
 * Streams the state, first at once, then after changes. A slow page receives only the newest state.
 * @param onEnd called when the page closes the stream
 */
function states(player: Player, signal: AbortSignal, onEnd: () => void): Response {
  let sent: AppState | undefined
  let wake = () => {}
  const unsubscribe = player.onChange(() => wake())
  signal.addEventListener('abort', () => {
    unsubscribe()
    onEnd()
  })
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (player.state === sent) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (sent) await sleep(MIN_INTERVAL_MS)
      if (signal.aborted) return
      sent = player.state
      controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(sent)}\n\n`))
    },
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream', ...NO_STORE } })
}
