import { platform } from '#dispatcher'
import { HEADERS, MEDIA_TYPES } from '../contract/headers.ts'
import { filledPath } from '../contract/route.ts'
import type { ConnectionError } from '../errors/connection-errors.ts'
import type { ApiRequest } from './api-request.ts'
import type { Settings } from './options.ts'
import type { ProxyErrorFields } from './platform.ts'

/** Sends requests. */
export interface Sender {
  /** Sends one request, once. */
  send(request: ApiRequest, body: string | undefined, signal: AbortSignal): Promise<Response>
  /** The error for what sending threw, where a proxy is to blame for it. */
  readonly proxyError: (cause: unknown, fields: ProxyErrorFields) => ConnectionError | undefined
}

/** @returns what sends requests, over connections of its own */
export function createSender(settings: Settings): Sender {
  const connections = platform.openConnections()
  const send: Sender['send'] = async (request, body, signal) => {
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
    return globalFetch(url, { ...init, ...(await connections.extras(globalFetch)) })
  }
  return { send, proxyError: (cause, fields) => connections.proxyError(cause, settings.baseUrl, fields) }
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
