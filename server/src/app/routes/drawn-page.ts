import { HEADERS, type PAGE_ROUTES, routePath, type User } from '@fish-crab/sdk/contract'
import type { PageData, PageProblem } from '../../page-data.ts'
import { sha256Hex } from '../core/bytes.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { canonicalPath } from '../http/path.ts'
import { type HandlerResponse, staticFile } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { SITE } from './page.ts'
import { PAGES_HEADERS } from './page-headers.ts'
import {
  drawingOf,
  missingPage,
  missingPlayers,
  NO_PAGE,
  PAGE_TYPE,
  type Preview,
  pageFile,
  pageHtml,
  type Site,
} from './page-response.ts'
import { findPathPlayers, namesIn } from './path-players.ts'
import type { Services } from './services.ts'

/** How soon a page that could not be drawn loads again, in milliseconds. */
const RETRY_MS = 30_000

/** A view of a page that is read on demand. */
export interface FoundView {
  /** Text that changes whenever the view changes. */
  readonly version: string
  /** The name of the view in the cache. */
  readonly name: string
  /** Whether the view depends on the query. @default true */
  readonly dependsOnQuery?: boolean
  readonly read: (signal: AbortSignal) => Promise<{ readonly preview: Preview; readonly data: PageData }>
}

interface DrawnPage {
  readonly route: keyof typeof PAGE_ROUTES
  /** The preview of the page without data. */
  readonly plain: (params: Readonly<Record<string, string>>) => Preview
  /** The part of the query on which the canonical address depends, or `undefined` if it has no page. @default empty */
  readonly search?: (query: URLSearchParams) => string | undefined
  /** Whether the browser draws the page if the server cannot. @default the page reports the problem */
  readonly isBrowserDrawn?: boolean
  /** Finds the view of the players in the path. */
  readonly find: (context: RequestContext, players: readonly User[]) => Promise<FoundView>
}

type Drawing = Pick<Services, 'users' | 'limitRate' | 'logger' | 'responses' | 'clock'>

/** Creates functions that draw pages on the server. */
export function createDrawing(site: Site, services: Drawing) {
  const { limitRate, logger, responses, clock } = services

  /**
   * Creates the handler of a page. Each request counts. Above the rate limit, and while the storage does not respond, the
   * page has no data.
   */
  function drawnPage({ route, plain, search = () => '', isBrowserDrawn = false, find }: DrawnPage): Handler {
    return async (context) => {
      const { request, requestId, params, query } = context
      const more = search(query)
      if (more === undefined) return missingPage(site, { page: 'collection', preview: NO_PAGE }, 'not_found')
      try {
        const { moved, missing, players } = await findPathPlayers(services, route, context, limitRate)
        if (moved) return moved
        if (missing) return missingPlayers(site, 'collection', missing)
        const names = Object.fromEntries(namesIn(context).map(([key], at) => [key, players[at]?.name ?? '']))
        const path = routePath(route, { ...params, ...names }) + more
        return await draw(context, path, await find(context, players))
      } catch (error) {
        request.signal.throwIfAborted()
        if (error instanceof HttpError && error.code === 'user_not_found') {
          return missingPlayers(
            site,
            'collection',
            namesIn(context).map(([, name]) => name),
          )
        }
        if (!(error instanceof HttpError)) logger.error({ requestId, err: error }, 'a page could not be drawn')
        const path = routePath(route, params) + more
        const content = { page: 'collection', preview: plain(params), path } as const
        return isBrowserDrawn ? plainPage(context, content.preview, path) : undrawn(content, problemOf(error, context))
      }
    }
  }

  /** Returns a page that the browser draws. */
  async function plainPage({ request }: RequestContext, preview: Preview, path: string): Promise<HandlerResponse> {
    return staticFile(request, await pageFile(site, { page: 'collection', preview, path }), PAGES_HEADERS)
  }

  /** Returns a page that reports a problem. */
  async function undrawn(
    content: { readonly page: 'collection'; readonly preview: Preview; readonly path: string },
    problem: PageProblem,
  ): Promise<HandlerResponse> {
    const title = content.preview.title.replace(` · ${SITE}`, '')
    const drawing = await drawingOf(site, { pathname: content.path, search: '' }, { view: 'problem', title, problem })
    const { body, contentType } = await pageFile(site, { ...content, drawing })
    const headers = { ...PAGES_HEADERS, 'cache-control': 'no-store', 'content-type': contentType }
    return { status: 200, body, headers: { ...headers, 'content-length': String(body.byteLength) } }
  }

  function problemOf(error: unknown, { requestId, responseHeaders }: RequestContext): PageProblem {
    const { code, headers = {} } = error instanceof HttpError ? error : {}
    if (code === 'rate_limited') {
      const retryAt = Number(responseHeaders[HEADERS.rateReset]) * 1000
      return { kind: 'limited', retryAt, retryAfterMs: retryAt - clock() }
    }
    const retryAfterMs = headers[HEADERS.retryAfter] ? Number(headers[HEADERS.retryAfter]) * 1000 : RETRY_MS
    const times = { retryAt: clock() + retryAfterMs, retryAfterMs }
    return code === 'unavailable' ? { kind: 'busy', ...times } : { kind: 'failed', ...times, requestId }
  }

  /** @param path the canonical path and query */
  async function draw({ request, query, site: client }: RequestContext, path: string, view: FoundView) {
    const { version, name, dependsOnQuery = true, read } = view
    const template = await site.template('collection')
    const place = { pathname: canonicalPath(request.url), search: dependsOnQuery ? searchOf(query) : '' }
    const etag = `W/"${(await sha256Hex(JSON.stringify([template, version, place]))).slice(0, 32)}"`
    const headers = { ...PAGES_HEADERS, 'content-type': PAGE_TYPE }
    const response = responses(request, { etag, version: etag, name: `page ${name}`, client, headers })
    return (
      response.unchanged() ??
      response.cached() ??
      response.shared(async (signal) => {
        const { preview, data } = await read(signal)
        const drawing = await drawingOf(site, place, data)
        return new TextEncoder().encode(
          await pageHtml(site, { page: 'collection', preview, path, drawing }),
        ) as Uint8Array<ArrayBuffer>
      })
    )
  }

  return { drawnPage, draw, plainPage }
}

/** The parameters on which a view depends. Other parameters must not cause another drawing. */
const PARAMETERS = new Set(['by', 'gamemode', 'kind', 'name', 'only', 'period', 'q', 'show', 'sort', 'view'])

function searchOf(query: URLSearchParams): string {
  const known = new URLSearchParams([...query].filter(([name]) => PARAMETERS.has(name)))
  return known.size > 0 ? `?${known}` : ''
}
