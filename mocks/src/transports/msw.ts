import { HttpHandler } from 'msw'
import { checkOrigin } from '../service/check-options.ts'
import type { MockClock } from '../service/clock.ts'
import type { HandleRequest, Outcome, Transport } from '../service/outcome.ts'
import { setHeaders } from '../service/request.ts'
import { applyOutcome, closeOnRequest, closeOtherSide, connectionReset } from './network-faults.ts'

interface HandlersOptions {
  readonly handle: HandleRequest
  readonly hold: MockClock['sleep']
  readonly origin: string
}

export function createHandlers({ handle, hold, origin }: HandlersOptions): HttpHandler[] {
  const inPage = runsInPage()

  return [
    new OriginHandler(origin, async (request) => {
      const outcome = await handleFromPage(handle, request, inPage ? 'worker' : 'msw')
      if (!outcome) return Response.error()
      const connection = { sleep: hold, signal: request.signal, reset: connectionReset, cut: closeOtherSide }
      try {
        return closeOnRequest(request, await applyOutcome(request, outcome, connection))
      } catch (error) {
        // The client has aborted the request, so send no response and log no error.
        if (request.signal.aborted) return new Promise<never>(() => {})
        // MSW passes an error to the client only if the error looks like an error from Node, and a page has no such errors.
        if (inPage) return Response.error()
        throw error
      }
    }),
  ]
}

/** Whether this code runs in a page, where MSW uses a service worker. */
function runsInPage(): boolean {
  return 'document' in globalThis && 'serviceWorker' in (globalThis.navigator ?? {})
}

type Run = HttpHandler['run']

/**
 * Skips the work of MSW's handlers for each request (parameters, cookies, a clone), which is about a fifth of the cost
 * of a request.
 */
class OriginHandler extends HttpHandler {
  readonly #prefix: string
  readonly #respond: (request: Request) => Promise<Response>

  constructor(origin: string, respond: (request: Request) => Promise<Response>) {
    const prefix = `${checkOrigin(origin)}/`
    super(/.+/, `${prefix}*`, ({ request }) => respond(request))
    this.#prefix = prefix
    this.#respond = respond
  }

  override async run({ request, requestId }: Parameters<Run>[0]): ReturnType<Run> {
    if (!request.url.startsWith(this.#prefix) || request.method === 'CONNECT') return null
    this.isUsed = true
    return { handler: this, request, requestId, response: await this.#respond(request) }
  }
}

/**
 * Applies the CORS protocol as the browser would (https://fetch.spec.whatwg.org/#http-cors-protocol): MSW responds
 * before the browser applies CORS, and does not pass the origin of the page to handlers.
 * @returns `undefined` when the browser would block the request or the response
 */
async function handleFromPage(
  handle: HandleRequest,
  request: Request,
  transport: Transport,
): Promise<Outcome | undefined> {
  const page = originOfPage()
  // A request with the header `origin` is not from a page, because browsers forbid pages to set this header.
  if (page === undefined || request.headers.has('origin')) return handle(request, transport)
  if (new URL(request.url).origin === page) {
    return handle(/^(GET|HEAD)$/.test(request.method) ? request : withOrigin(request, page), transport)
  }
  if (request.mode !== 'cors') return handle(request, transport)
  const headers = unsafeHeaders(request)
  if (headers.length > 0 || !SAFE_METHODS.test(request.method)) {
    const preflight = await handle(preflightOf(request, page, headers), transport)
    if (preflight.networkFault) return preflight
    if (!allows(preflight.response, request, page, headers)) return logBlocked(request, page)
  }
  const outcome = await handle(withOrigin(request, page), transport)
  return outcome.networkFault || isShared(outcome.response, request, page) ? outcome : logBlocked(request, page)
}

function originOfPage(): string | undefined {
  if (!('document' in globalThis)) return undefined
  const origin = globalThis.location?.origin
  return origin?.startsWith('http') ? origin : undefined
}

const SAFE_METHODS = /^(GET|HEAD|POST)$/
/** Headers that need no preflight, and headers that browsers set themselves. */
const SAFE_HEADERS =
  /^(accept(-.*)?|content-(language|length)|connection|cookie|dnt|expect|host|keep-alive|priority|proxy-.*|range|referer|sec-.*|te|trailer|transfer-encoding|upgrade.*|user-agent|via)$/
const SAFE_TYPES = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(;|$)/i

function unsafeHeaders({ headers }: Request): string[] {
  return [...headers].flatMap(([name, value]) => {
    const isSafe = name === 'content-type' ? SAFE_TYPES.test(value) : SAFE_HEADERS.test(name)
    return isSafe ? [] : [name]
  })
}

function preflightOf({ method, url }: Request, page: string, unsafe: readonly string[]): Request {
  const headers = new Headers({ origin: page, 'access-control-request-method': method })
  if (unsafe.length > 0) headers.set('access-control-request-headers', unsafe.join(','))
  return setHeaders(new Request(url, { method: 'OPTIONS' }), headers)
}

function withOrigin(request: Request, page: string): Request {
  const headers = new Headers(request.headers)
  headers.set('origin', page)
  return setHeaders(request, headers)
}

function allows(response: Response, request: Request, page: string, unsafe: readonly string[]): boolean {
  const list = (name: string) => (response.headers.get(name) ?? '').split(',').map((item) => item.trim().toLowerCase())
  const methods = list('access-control-allow-methods')
  const headers = list('access-control-allow-headers')
  return (
    response.ok &&
    isShared(response, request, page) &&
    (SAFE_METHODS.test(request.method) || methods.includes(request.method.toLowerCase())) &&
    unsafe.every((name) => headers.includes(name))
  )
}

function isShared({ headers }: Response, { credentials }: Request, page: string): boolean {
  const origin = headers.get('access-control-allow-origin')
  if (credentials !== 'include') return origin === '*' || origin === page
  return origin === page && headers.get('access-control-allow-credentials') === 'true'
}

/** Logs the reason in the console, as browsers do. */
function logBlocked({ method, url }: Request, page: string): undefined {
  // biome-ignore lint/suspicious/noConsole: the page itself does not get the reason
  console.error(
    `The mock blocked ${method} ${url.replace(/[?#].*/s, '')} from ${page} as a browser does, by CORS. ` +
      `To allow the page: createMock({ allowedOrigins: ['${page}'] }).`,
  )
}
