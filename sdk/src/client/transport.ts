import { platform } from '#dispatcher'
import { HEADERS, MEDIA_TYPES } from '../contract/headers.ts'
import { ROUTES, type RouteName, routePath } from '../contract/routes.ts'
import { untilAborted } from './abort.ts'
import { apiError } from './api-error.ts'
import { attempt, type RawAnswer } from './attempt.ts'
import { isConnectionError } from './error-guards.ts'
import type { Settings } from './options.ts'
import { readWaitMs } from './rate-limit.ts'
import { decideRetry } from './retry-policy.ts'

/** A request in the terms of the contract. */
export interface ApiRequest {
  readonly route: RouteName
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Called once, right before the first try; later tries send the same body again. */
  readonly body?: () => Promise<string>
  readonly signal?: AbortSignal | undefined
}

/** Sends requests until there is a successful answer, or none is to be had. */
export type Transport = (request: ApiRequest) => Promise<RawAnswer>

/** A transport with connections and settings of its own. */
export function createTransport(settings: Settings): Transport {
  const { clock } = settings
  const fetchExtras = platform.createFetchExtras()

  async function open(request: ApiRequest, body: string | undefined, signal: AbortSignal): Promise<Response> {
    // Looked up anew each time, so that whoever replaces the global fetch later is heard.
    const globalFetch = globalThis.fetch
    const init: RequestInit = {
      method: ROUTES[request.route].method,
      headers: requestHeaders(request, settings),
      // A followed redirect would hand the API key on to another host, and turn a POST into a GET.
      redirect: 'manual',
      credentials: 'omit',
      signal,
      ...(body === undefined ? {} : { body }),
    }
    const url = requestUrl(request, settings.baseUrl)
    if (settings.fetch) return settings.fetch(url, init)
    return globalFetch(url, { ...init, ...(await fetchExtras(globalFetch)) })
  }

  return async (request) => {
    const { signal } = request
    let history = { failures: 0, refusals: 0, waitedMs: 0 }
    let body: string | undefined
    for (;;) {
      signal?.throwIfAborted()
      body ??= await request.body?.()
      const send = (ending: AbortSignal) => open(request, body, ending)
      const answer = await attempt(send, settings.baseUrl, settings, signal).catch(keepConnectionError)
      if (!(answer instanceof Error) && answer.status >= 200 && answer.status < 300) return answer

      const failed =
        answer instanceof Error
          ? { status: undefined, askedWaitMs: undefined }
          : { status: answer.status, askedWaitMs: readWaitMs(answer.headers, clock.now()) }
      const { retry, waitMs } = decideRetry(failed, history, settings, settings.random())
      if (!retry) throw answer instanceof Error ? answer : apiError(answer, clock.now(), waitMs)

      await untilAborted(() => clock.sleep(waitMs, signal), signal)
      const refused = failed.status === 429
      history = {
        failures: history.failures + (refused ? 0 : 1),
        refusals: history.refusals + (refused ? 1 : 0),
        waitedMs: history.waitedMs + waitMs,
      }
    }
  }
}

/** Lost answers may be tried again; everything else is final. */
function keepConnectionError(error: unknown): Error {
  if (isConnectionError(error)) return error
  throw error
}

function requestUrl({ route, query = {} }: ApiRequest, baseUrl: string): string {
  const said = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = new URLSearchParams(said).toString()
  return `${baseUrl}${routePath(route)}${search && `?${search}`}`
}

function requestHeaders({ headers }: ApiRequest, { apiKey, userAgent }: Settings): Record<string, string> {
  return {
    accept: MEDIA_TYPES.json,
    ...(platform.sendsUserAgent ? { 'user-agent': userAgent } : {}),
    ...(apiKey === undefined ? {} : { [HEADERS.apiKey]: apiKey }),
    ...headers,
  }
}
