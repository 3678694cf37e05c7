import { withHeaders } from '../mock/address.ts'
import type { AnswerRequest, Lane, Outcome } from '../mock/outcome.ts'

/*
 * MSW answers before a browser applies the CORS protocol, and shows no handler the page's origin. So this does what the
 * browser would (https://fetch.spec.whatwg.org/#http-cors-protocol), without which a page could do here what the service
 * keeps it from doing.
 */

/** @returns what a page may see of the outcome; `undefined` where its browser would block the request or the response */
export async function answerPage(answer: AnswerRequest, request: Request, lane: Lane): Promise<Outcome | undefined> {
  const page = originOfPage()
  // Who names an origin of its own is no page: browsers forbid that.
  if (page === undefined || request.headers.has('origin')) return answer(request, lane)
  if (new URL(request.url).origin === page) {
    return answer(/^(GET|HEAD)$/.test(request.method) ? request : withOrigin(request, page), lane)
  }
  if (request.mode !== 'cors') return answer(request, lane)
  const headers = unsafeHeaders(request)
  if (headers.length > 0 || !SAFE_METHODS.test(request.method)) {
    const preflight = await answer(preflightOf(request, page, headers), lane)
    if (preflight.disturbance) return preflight
    if (!allows(preflight.response, request, page, headers)) return block(request, page)
  }
  const outcome = await answer(withOrigin(request, page), lane)
  return outcome.disturbance || isShared(outcome.response, request, page) ? outcome : block(request, page)
}

function originOfPage(): string | undefined {
  if (!('document' in globalThis)) return undefined
  const origin = globalThis.location?.origin
  return origin?.startsWith('http') ? origin : undefined
}

const SAFE_METHODS = /^(GET|HEAD|POST)$/
/** Headers that need no preflight, and those that browsers write themselves. */
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
  return withHeaders(new Request(url, { method: 'OPTIONS' }), headers)
}

function withOrigin(request: Request, page: string): Request {
  const headers = new Headers(request.headers)
  headers.set('origin', page)
  return withHeaders(request, headers)
}

function allows(response: Response, request: Request, page: string, unsafe: readonly string[]): boolean {
  const list = (name: string) => (response.headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/)
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

/** Says what browsers say on their console. */
function block({ method, url }: Request, page: string): undefined {
  // biome-ignore lint/suspicious/noConsole: the page itself learns no reason
  console.error(
    `The mock blocked ${method} ${url.replace(/[?#].*/s, '')} from ${page} as a browser does, by CORS. ` +
      `To allow the page: createMock({ allowedOrigins: ['${page}'] }).`,
  )
}
