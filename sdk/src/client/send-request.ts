import { platform } from '#dispatcher'
import { HEADERS, MEDIA_TYPES } from '../contract/headers.ts'
import { filledPath } from '../contract/route.ts'
import type { ApiRequest } from './api-request.ts'
import type { Settings } from './options.ts'

/** Sends one request, once. */
export type SendRequest = (request: ApiRequest, body: string | undefined, signal: AbortSignal) => Promise<Response>

/** @returns what sends requests, over connections of its own */
export function createSender(settings: Settings): SendRequest {
  const fetchExtras = platform.createFetchExtras()
  return async (request, body, signal) => {
    // Looked up anew each time, so that whoever replaces the global fetch later is heard.
    const globalFetch = globalThis.fetch
    const init: RequestInit = {
      method: request.route.method,
      headers: headersOf(request, settings),
      // A followed redirect would hand the API key on to another host, and turn a POST into a GET.
      redirect: 'manual',
      credentials: 'omit',
      signal,
      ...(body === undefined ? {} : { body }),
    }
    const url = urlOf(request, settings.baseUrl)
    if (settings.fetch) return settings.fetch(url, init)
    return globalFetch(url, { ...init, ...(await fetchExtras(globalFetch)) })
  }
}

function urlOf({ route, params, query = {} }: ApiRequest, baseUrl: string): string {
  const said = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = new URLSearchParams(said).toString()
  return `${baseUrl}${filledPath(route.path, params)}${search && `?${search}`}`
}

function headersOf({ headers }: ApiRequest, { apiKey, userAgent }: Settings): Record<string, string> {
  return {
    accept: MEDIA_TYPES.json,
    ...(platform.sendsUserAgent ? { 'user-agent': userAgent } : {}),
    ...(apiKey === undefined ? {} : { [HEADERS.apiKey]: apiKey }),
    ...headers,
  }
}
