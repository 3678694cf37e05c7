import { platform } from '#dispatcher'
import { HEADERS, MEDIA_TYPES } from '../../contract/headers.ts'
import { filledPath } from '../../contract/routes.ts'
import type { ConnectionError } from '../../errors/connection-errors.ts'
import { FishCrabError, ValidationError } from '../../errors/fish-crab-error.ts'
import type { Settings } from '../core/options.ts'
import type { ProxyErrorFields } from './platform.ts'
import type { ApiRequest } from './request.ts'

/** Sends requests. */
interface Sender {
  /** Sends one request, once. */
  send(request: ApiRequest, body: string | undefined, signal: AbortSignal): Promise<Response>
  /** The error for what sending threw, where a proxy is to blame for it. */
  readonly proxyError: (cause: unknown, fields: ProxyErrorFields) => ConnectionError | undefined
}

/** @returns what sends requests, over connections of its own */
export function createSender(settings: Settings): Sender {
  const connections = platform.openConnections(settings.env)
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
    if (settings.fetch) return viaGiven(settings.fetch, url, init, createRedaction(request, settings))
    if (typeof globalFetch !== 'function') {
      const message = 'Needed in this runtime, which has no fetch of its own. Node has one from version 18 on.'
      throw new ValidationError([{ path: 'fetch', message }])
    }
    return globalFetch(url, { ...init, ...(await connections.extras(globalFetch)) })
  }
  return { send, proxyError: (cause, fields) => connections.proxyError(cause, settings.baseUrl, fields) }
}

/** Tells mistakes in a `fetch` that was given from connections that were lost: to try those again changes nothing. */
async function viaGiven(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  redact: Redaction,
): Promise<Response> {
  let response: Response | undefined
  try {
    response = await fetch(url, init)
  } catch (error) {
    // That of Node has a cause, and those of other runtimes have messages of their own.
    const { name, message = '', cause } = (error ?? {}) as Partial<Error>
    const isMistake = name === 'TypeError' && cause === undefined && !isNetworkMessage(message)
    throw isMistake ? mistakenFetch(`It threw: ${redact(message)}`, error) : error
  }
  if (typeof response?.status !== 'number' || typeof response.headers?.get !== 'function') {
    throw mistakenFetch('It gave no Response.')
  }
  return response
}

function mistakenFetch(what: string, cause?: unknown): FishCrabError {
  return new FishCrabError(`The given fetch does not work. ${what}`, {
    code: 'invalid_fetch',
    hint: 'It must return a promise of a Response, as the global one does.',
    cause,
  })
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

// What the `fetch` of Node, Chrome, Firefox, Safari, Deno, Bun, React Native and Cloudflare say of a lost connection.
const NETWORK_MESSAGE =
  /^(fetch failed|terminated|failed to fetch|load failed|error sending request|unable to connect|network ?(error|request failed|connection))/i

/** Whether a message is that of a lost connection, and tells no more than that. */
export function isNetworkMessage(message: string): boolean {
  return NETWORK_MESSAGE.test(message)
}

/** Takes what a request kept secret out of a text that came back. */
export type Redaction = <Text extends string | undefined>(text: Text) => Text

const REDACTED = '[redacted]'

/** A server, or a proxy before it, may repeat what it was sent: that must not get into an error or a log. */
export function createRedaction({ headers = {} }: ApiRequest, { apiKey }: Settings): Redaction {
  const secrets = [apiKey, headers.authorization?.replace(/^\w+ /, '')].filter((secret) => secret !== undefined)
  if (secrets.length === 0) return (text) => text
  return (text) =>
    secrets.reduce<string | undefined>((all, secret) => all?.replaceAll(secret, REDACTED), text) as typeof text
}
