import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { H3, type H3Event } from 'h3'
import type { AppErrorBody, LoginBody } from '../../../../server/web/src/player-app/api-types.ts'
import { describeError } from '../../core/describe-error.ts'
import { EXIT, usageError } from '../../core/errors.ts'
import type { Player } from './player.ts'

export interface PageApiOptions {
  readonly player: Player
  /** The only origin from which the page calls, such as `http://127.0.0.1:1234`. */
  readonly origin: string
  /** The folder with `player-app.html` and its assets. */
  readonly pages: string
  readonly now: () => number
  readonly quit: () => void
}

const CODE_MS = 30_000
const PASSWORD_HINT = 'The service needs your password to remove catches that it has stored.'
const MIN_INTERVAL_MS = 100
const MAX_BODY = 64 * 1024

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

// The same rules as for the other pages. Nothing may frame this page, and it talks to its own process only.
const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
    "trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/**
 * The HTTP interface of the page. Every site and every user of this machine can reach the port: each request must have
 * the host and the origin of the page, and the secret that only the opened page has.
 */
export function createPageApi({ player, origin, pages, now, quit }: PageApiOptions) {
  const secret = randomBytes(32).toString('base64url')
  const codes = new Map<string, number>()

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
    if (req.headers.get('host') !== host || url.host !== host) return failure(403, 'Wrong host.')
    const isApi = url.pathname.startsWith('/api/')
    const from = req.headers.get('origin')
    const site = req.headers.get('sec-fetch-site')
    if (from !== null && from !== origin) return failure(403, 'Wrong origin.')
    if (isApi && site !== null && site !== 'same-origin') return failure(403, 'Wrong origin.')
    if (req.method !== 'GET' && from !== origin) return failure(403, 'Wrong origin.')
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
      return failure(401, 'This page is not connected.', 'Open Fish Collection again.')
    }
    try {
      return await next()
    } catch (error) {
      const { code, message, hint, exit } = describeError(error)
      // The hint of the command line names variables and flags.
      if (code === 'missing_credentials') return failure(422, 'Enter your password.', PASSWORD_HINT, true)
      return failure(exit === EXIT.credentials ? 422 : 400, message, hint)
    }
  })

  app.get('/', () => file(pages, 'player-app.html'))
  app.get('/assets/:name', ({ context }) => file(join(pages, 'assets'), context.params?.name ?? ''))
  app.post('/api/session', async (event) => {
    const { code } = await body(event)
    const until = typeof code === 'string' ? codes.get(code) : undefined
    if (typeof code === 'string') codes.delete(code)
    if (until === undefined || until <= now())
      return failure(401, 'This page is not connected.', 'Open Fish Collection again.')
    return Response.json({ secret }, { headers: { 'cache-control': 'no-store' } })
  })
  app.get('/api/events', ({ req }) => states(player, req.signal))
  app.post('/api/login', async (event) => Response.json(await player.logIn(loginRequest(await body(event)))))
  app.post('/api/start', async () => {
    await player.start()
    return done()
  })
  app.post('/api/stop', async () => {
    await player.stop()
    return done('Stopped. Catches that are not sent wait on this machine.')
  })
  app.post('/api/undo', async (event) => {
    const { password } = await body(event)
    await player.undo(typeof password === 'string' && password !== '' ? password : undefined)
    return done(player.state.messages.at(-1)?.text)
  })
  app.post('/api/logout', async () => {
    await player.logOut()
    return done()
  })
  app.post('/api/open', async (event) => {
    const { page } = await body(event)
    const { account } = player.state
    if (!account) throw usageError('You are not logged in.')
    const path = page === 'overlay' ? `/overlay/${account.user}` : `/@${account.user}`
    const url = `${account.service.replace(/\/$/, '')}${path}`
    return Response.json({ url })
  })
  app.post('/api/quit', async () => {
    await player.quit()
    setImmediate(quit)
    return done('Fish Collection has stopped.')
  })

  return { fetch: (request: Request) => app.fetch(request), newCode }
}

function done(message = ''): Response {
  return Response.json({ message })
}

function failure(status: number, message: string, hint: string | null = null, needsPassword = false): Response {
  return Response.json({ error: { message, hint, needsPassword } } satisfies AppErrorBody, { status })
}

async function body({ req }: H3Event): Promise<Readonly<Record<string, unknown>>> {
  const length = Number(req.headers.get('content-length') ?? Number.NaN)
  if (!(length <= MAX_BODY)) throw usageError('The request is too large.')
  return Object(await req.json().catch(() => ({})))
}

function loginRequest({ file, service, name, password }: Readonly<Record<string, unknown>>): LoginBody {
  if (typeof file === 'string') return { file }
  if ([service, name, password].every((text) => typeof text === 'string' && text !== '')) {
    return { service, name, password } as LoginBody
  }
  throw usageError('Enter the address of the service, your name and your password.')
}

async function file(folder: string, name: string): Promise<Response> {
  const content = /^[\w-][\w.-]*$/.test(name) ? await readFile(join(folder, name)).catch(() => undefined) : undefined
  if (!content) return failure(404, 'Not found.')
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return new Response(content, { headers: { ...PAGE_HEADERS, 'content-type': type } })
}

/** Streams the state, first at once, then after changes. */
function states(player: Player, signal: AbortSignal): Response {
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = () => {
        timer = undefined
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(player.state)}\n\n`))
      }
      const unsubscribe = player.onChange(() => {
        timer ??= setTimeout(send, MIN_INTERVAL_MS)
      })
      stop = () => {
        clearTimeout(timer)
        unsubscribe()
      }
      signal.addEventListener('abort', stop, { once: true })
      send()
    },
    cancel: () => stop(),
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
}
