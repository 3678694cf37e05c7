import { platform } from '#platform'
import { HEADERS, MEDIA_TYPES } from '../../contract/headers.ts'
import { filledPath } from '../../contract/routes.ts'
import { FishCrabError, ValidationError } from '../../errors/fish-crab-error.ts'
import type { Settings } from '../core/options.ts'
import type { ApiRequest, Redactor } from './request.ts'

export function createFetch(settings: Settings) {
  const connections = platform.openConnections(settings.baseUrl, settings.env)
  const send = async (request: ApiRequest, body: string | undefined, signal: AbortSignal): Promise<Response> => {
    // Read the global `fetch` for each request, since MSW and others may replace it at any time.
    const globalFetch = globalThis.fetch
    const init: RequestInit = {
      method: request.route.method,
      headers: headersOf(request, settings),
      // Following a redirect would pass the API key to another host and turn a POST into a GET.
      redirect: 'manual',
      credentials: 'omit',
      signal,
      body: body ?? null,
    }
    const url = urlOf(request, settings.baseUrl)
    if (settings.fetch) return await callCustomFetch(settings.fetch, url, init, createRedactor(request, settings))
    if (typeof globalFetch !== 'function') {
      const message = 'Required: this runtime has no fetch.'
      throw new ValidationError([{ path: 'fetch', message }])
    }
    return await globalFetch(url, { ...init, ...(await connections.extras(globalFetch)) })
  }
  return { send, usesProxy: connections.usesProxy && !settings.fetch }
}

/**
 * Calls the option `fetch`. A programming error in that function is not a connection error: a retry would not help.
 */
async function callCustomFetch(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  redact: Redactor,
): Promise<Response> {
  let response: Response | undefined
  try {
    response = await fetch(url, init)
  } catch (error) {
    // Connection errors are TypeErrors too. A connection error has a cause in Node, and a known message in other
    // runtimes.
    const { name, message = '', cause } = (error ?? {}) as Partial<Error>
    const isMistake = name === 'TypeError' && cause === undefined && !isNetworkMessage(message)
    throw isMistake ? invalidFetch(`It threw: ${redact(message)}`, error) : error
  }
  if (typeof response?.status !== 'number' || typeof response.headers?.get !== 'function') {
    throw invalidFetch('It returned no Response.')
  }
  return response
}

function invalidFetch(what: string, cause?: unknown): FishCrabError {
  return new FishCrabError(`The given fetch failed. ${what}`, {
    code: 'invalid_fetch',
    hint: 'It must return a promise of a Response.',
    cause,
  })
}

function urlOf({ route, params, query }: ApiRequest, baseUrl: string): string {
  const path = `${baseUrl}${filledPath(route.path, params)}`
  if (!query) return path
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  // `URLSearchParams` converts numbers, although its type allows only strings.
  const search = new URLSearchParams(given as [string, string][]).toString()
  return search ? `${path}?${search}` : path
}

function headersOf({ headers, json }: ApiRequest, { apiKey, userAgent }: Settings): Record<string, string> {
  return {
    accept: MEDIA_TYPES.json,
    ...(platform.sendsUserAgent && { 'user-agent': userAgent }),
    ...(apiKey !== undefined && { [HEADERS.apiKey]: apiKey }),
    ...(json !== undefined && { 'content-type': MEDIA_TYPES.json }),
    ...headers,
  }
}

// Messages of connection errors in Node, Chrome, Firefox, Safari, Deno, Bun, React Native and Cloudflare.
const NETWORK_MESSAGE =
  /^(fetch failed|terminated|failed to fetch|load failed|error sending request|unable to connect|network ?(error|request failed|connection))/i

/** Returns whether a message reports that the connection failed, but gives no reason. */
export function isNetworkMessage(message: string): boolean {
  return NETWORK_MESSAGE.test(message)
}

const REDACTED = '[redacted]'

/** A server or a proxy may echo secrets of the request, which must not appear in errors or logs. */
export function createRedactor({ headers = {} }: ApiRequest, { apiKey }: Settings): Redactor {
  const secrets = [apiKey, headers.authorization?.replace(/^\w+ /, '')].filter((secret) => secret !== undefined)
  if (secrets.length === 0) return (text) => text
  return (text) =>
    secrets.reduce<string | undefined>((all, secret) => all?.replaceAll(secret, REDACTED), text) as typeof text
}
