import { get, Agent as HttpAgent, request as httpRequest } from 'node:http'
import * as https from 'node:https'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { byHand, byNode, type Send } from './intercept-escapes-senders.ts'

const undici = createRequire(import.meta.url)('undici') as typeof import('undici')

/** A way to send requests that shares no connections with other ways. */
export interface Way {
  readonly origin: string
  make(): { send: Send; end?: () => unknown }
}

/** The destinations of requests. */
export interface Destinations {
  readonly plain: string
  readonly secure: string
  readonly proxyUrl: string
}

const capturedFetch = fetch
const post = { method: 'POST', body: 'gAAAA' } as const
const tls = { rejectUnauthorized: false }
const text = async (response: Promise<{ body: { text(): Promise<string> } }>) => (await response).body.text()

function withUndici(origin: string, make: () => import('undici').Dispatcher, options: object = {}): Way {
  return {
    origin,
    make() {
      const dispatcher = make()
      return { send: (url) => text(undici.request(url, { dispatcher, ...options })), end: () => dispatcher.close() }
    },
  }
}

function withPrivateFetch(origin: string, make: () => import('undici').Dispatcher, init: RequestInit = {}): Way {
  return {
    origin,
    make() {
      const dispatcher = make()
      const extras = { dispatcher: new undici.Dispatcher1Wrapper(dispatcher) } as unknown as RequestInit
      return { send: async (url) => (await fetch(url, { ...init, ...extras })).text(), end: () => dispatcher.close() }
    },
  }
}

function withNode(
  origin: string,
  send: typeof get | typeof httpRequest,
  makeAgent: () => HttpAgent,
  body?: string,
): Way {
  return {
    origin,
    make() {
      const agent = makeAgent()
      const method = body === undefined ? 'GET' : 'POST'
      return { send: byNode(send, { agent, method, ...tls }, body), end: () => agent.destroy() }
    },
  }
}

/** Returns all ways in which a Node program can send a request, by name. */
export function waysTo({ plain, secure, proxyUrl }: Destinations): Readonly<Record<string, Way>> {
  const proxyEnv = { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, http_proxy: proxyUrl, https_proxy: proxyUrl }
  const envProxy = { httpProxy: proxyUrl, httpsProxy: proxyUrl, noProxy: '', requestTls: tls, connect: tls }
  const keepAlive = { keepAlive: true }
  return {
    fetch: { origin: plain, make: () => ({ send: async (url) => (await fetch(url)).text() }) },
    'fetch POST': { origin: plain, make: () => ({ send: async (url) => (await fetch(url, post)).text() }) },
    'captured fetch': { origin: plain, make: () => ({ send: async (url) => (await capturedFetch(url)).text() }) },
    'fetch, own dispatcher': withPrivateFetch(plain, () => new undici.Agent()),
    'fetch POST, own dispatcher': withPrivateFetch(plain, () => new undici.Agent(), post),
    'fetch https, own dispatcher': withPrivateFetch(secure, () => new undici.Agent({ connect: tls })),
    'undici.request': { origin: plain, make: () => ({ send: (url) => text(undici.request(url)) }) },
    'undici.fetch': { origin: plain, make: () => ({ send: async (url) => (await undici.fetch(url)).text() }) },
    'undici.request, Agent': withUndici(plain, () => new undici.Agent()),
    'undici.request, Pool': withUndici(plain, () => new undici.Pool(plain, { connections: 3 })),
    'undici.request, Client': withUndici(plain, () => new undici.Client(plain)),
    'undici.request POST, Pool': withUndici(plain, () => new undici.Pool(plain), post),
    'undici.request https, Agent': withUndici(secure, () => new undici.Agent({ connect: tls })),
    'undici.request stream, Client': {
      origin: plain,
      make() {
        const client = new undici.Client(plain)
        const send: Send = (url) =>
          text(client.request({ path: new URL(url).pathname, method: 'PUT', body: Readable.from(['g', 'AAAA']) }))
        return { send, end: () => client.close() }
      },
    },
    'http.get': { origin: plain, make: () => ({ send: byNode(get, {}) }) },
    'http.get, no agent': { origin: plain, make: () => ({ send: byNode(get, { agent: false }) }) },
    'http.get, own agent': withNode(plain, get, () => new HttpAgent(keepAlive)),
    'http.request POST, own agent': withNode(plain, httpRequest, () => new HttpAgent(keepAlive), 'gAAAA'),
    'https.get, own agent': withNode(secure, https.get, () => new https.Agent(keepAlive)),
    'net.connect by hand': { origin: plain, make: () => byHand(plain) },
    'proxy: undici.request, EnvHttpProxyAgent': withUndici(plain, () => new undici.EnvHttpProxyAgent(envProxy)),
    'tunnel: undici.request, ProxyAgent': withUndici(
      plain,
      () => new undici.ProxyAgent({ uri: proxyUrl, proxyTunnel: true }),
    ),
    'tunnel: undici.request https, ProxyAgent': withUndici(
      secure,
      () => new undici.ProxyAgent({ uri: proxyUrl, requestTls: tls }),
    ),
    'proxy: fetch, EnvHttpProxyAgent': withPrivateFetch(plain, () => new undici.EnvHttpProxyAgent(envProxy)),
    'proxy: fetch POST, EnvHttpProxyAgent': withPrivateFetch(plain, () => new undici.EnvHttpProxyAgent(envProxy), post),
    'tunnel: fetch https, EnvHttpProxyAgent': withPrivateFetch(secure, () => new undici.EnvHttpProxyAgent(envProxy)),
    'proxy: http.get, HTTP_PROXY': withNode(plain, get, () => new HttpAgent({ ...keepAlive, proxyEnv } as object)),
    'tunnel: https.get, HTTPS_PROXY': withNode(
      secure,
      https.get,
      () => new https.Agent({ ...keepAlive, proxyEnv, ...tls } as object),
    ),
  }
}
