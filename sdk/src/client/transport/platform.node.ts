import { ConnectionError, causes } from '../../errors/connection-errors.ts'
import { ValidationError } from '../../errors/fish-crab-error.ts'
import type { Environment } from '../core/options.ts'
import type { Platform, ProxyErrorFields } from './platform.ts'

// Where Node's built-in fetch, in every version, looks for its dispatcher.
const SHARED_DISPATCHER = Symbol.for('undici.globalDispatcher.1')
// Since undici 8, that one only wraps this one.
const SHARED_DISPATCHER_2 = Symbol.for('undici.globalDispatcher.2')

/**
 * Node: own connections under the built-in fetch, with keep-alive and the proxies of the environment (`HTTP_PROXY`,
 * `HTTPS_PROXY`, `NO_PROXY`).
 */
export const platform: Platform = {
  sendsUserAgent: true,
  warn,
  openConnections(env, baseUrl) {
    const proxy = trackProxy(baseUrl)
    // A replaced fetch, such as MSW's, gets new connections: it cannot intercept those that are open already.
    const perFetch = new WeakMap<typeof globalThis.fetch, Promise<RequestInit>>()
    return {
      extras(fetch) {
        const known = perFetch.get(fetch)
        if (known) return known
        const fresh = openDispatcher(proxy, env ?? process.env).catch((error: unknown) => {
          // The next call may succeed.
          perFetch.delete(fetch)
          throw error
        })
        perFetch.set(fetch, fresh)
        return fresh
      },
      proxyError: proxy.errorOf,
    }
  },
}

async function openDispatcher(proxy: ProxyTracker, env: Environment): Promise<RequestInit> {
  // undici reads missing values from the environment of the process.
  const httpProxy = env.http_proxy ?? env.HTTP_PROXY ?? ''
  const httpsProxy = env.https_proxy ?? env.HTTPS_PROXY ?? ''
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? ''
  const dispatcher = httpProxy || httpsProxy ? undefined : builtInAgent()
  if (dispatcher) return { dispatcher } as RequestInit
  const undici = await importUndici()
  if (!undici) {
    warnOfProxies(env)
    return {}
  }
  const factory = proxy.poolFactory(undici.Pool, httpProxy, httpsProxy)
  try {
    const agent = new undici.EnvHttpProxyAgent({ clientFactory: factory, factory, httpProxy, httpsProxy, noProxy })
    // undici 8 has another dispatcher protocol than the undici inside Node; the wrapper translates.
    return { dispatcher: new undici.Dispatcher1Wrapper(agent) } as unknown as RequestInit
  } catch {
    // undici's own error quotes the address, which may contain a password.
    throw new ValidationError([
      { path: 'HTTP_PROXY', message: 'HTTP_PROXY or HTTPS_PROXY is not the address of a proxy.' },
    ])
  }
}

/** An agent of the undici inside Node: importing the package would take longer than the rest of a first call. */
function builtInAgent(): object | undefined {
  // Loads the undici inside Node, which then registers its dispatcher.
  void globalThis.Response
  const isProtocol2 = Number.parseInt(process.versions.undici ?? '', 10) >= 8
  const name = isProtocol2 ? SHARED_DISPATCHER_2 : SHARED_DISPATCHER
  const shared = Reflect.get(globalThis, name) as { constructor: new () => object } | undefined
  // The program may have replaced it by a dispatcher of another kind.
  return shared?.constructor.name === 'Agent' ? new shared.constructor() : undefined
}

// The variables that undici reads.
const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']

/** Without undici, the built-in fetch is used, which does not support proxies. */
function warnOfProxies(env: Environment): void {
  const variable = PROXY_VARIABLES.find((name) => env[name])
  if (!variable) return
  warn(
    `${variable} is ignored: proxies need undici, which failed to load. Use Node 22.19 or later (this is ${process.version}).`,
    'FISH_CRAB_NO_PROXY',
  )
}

function warn(message: string, code: string): void {
  process.emitWarning(message, { type: 'FishCrabWarning', code })
}

/**
 * Importing undici may replace the dispatcher of the whole process if Node's built-in undici is older: undo that.
 * `undefined` if it fails to load: this Node is too old, or a bundler left it out.
 */
async function importUndici(): Promise<typeof import('undici') | undefined> {
  // Loads Node's built-in undici, which then registers its dispatcher.
  void globalThis.Response
  const before = Reflect.get(globalThis, SHARED_DISPATCHER)
  const undici = await import('undici').catch(() => undefined)
  const after = Reflect.get(globalThis, SHARED_DISPATCHER)
  if (before !== after && (!undici || after instanceof undici.Dispatcher1Wrapper)) {
    Reflect.set(globalThis, SHARED_DISPATCHER, before)
  }
  return undici
}

type PoolClass = typeof import('undici').Pool

type ProxyTracker = ReturnType<typeof trackProxy>

// undici's messages when a proxy itself responds; the second is for requests without a tunnel.
const REFUSAL = /^Proxy (?:response|Authentication Required) \((\d{3})\)/
// undici's code when a proxy closes the connection before the tunnel is open.
const HUNG_UP = 'UND_ERR_PRX_CONN'

/** Distinguishes failures of the HTTP proxy of one client from failures behind it, which look the same to `fetch`. */
function trackProxy(baseUrl: string) {
  /** Without credentials, such as `http://proxy.example.org:3128`. undici reports nothing about SOCKS proxies. */
  let address: string | undefined
  const unreached = new WeakSet<object>()
  return {
    /** Opens the connections of an agent with these proxies. */
    poolFactory(Pool: PoolClass, httpProxy: string, httpsProxy: string) {
      const proxy = (baseUrl.startsWith('https:') && httpsProxy) || httpProxy
      address = /^https?:/i.test(proxy) && URL.canParse(proxy) ? addressOf(proxy) : undefined
      return (origin: URL | string, options?: object) => {
        const pool = new Pool(origin, options)
        if (addressOf(origin) === address)
          pool.on('connectionError', (_origin, _targets, error) => unreached.add(error))
        return pool
      }
    },
    /** The error for what such a connection threw, if the proxy caused it. */
    errorOf(cause: unknown, fields: ProxyErrorFields): ConnectionError | undefined {
      if (address === undefined) return undefined
      for (const each of causes(cause)) {
        const status = REFUSAL.exec(each.message)?.[1]
        const isHangUp = 'code' in each && each.code === HUNG_UP
        if (status !== undefined || isHangUp || unreached.has(each)) {
          return proxyError(address, status === undefined ? undefined : Number(status), { ...fields, cause })
        }
      }
      return undefined
    },
  }
}

/** The address without credentials. */
function addressOf(origin: URL | string): string {
  const { protocol, host } = new URL(origin)
  return `${protocol}//${host}`
}

/** @param status The status that the proxy responded with; without one it was not reached. */
function proxyError(
  address: string,
  status: number | undefined,
  fields: ProxyErrorFields & { readonly cause: unknown },
): ConnectionError {
  // A proxy that responded was reached.
  const systemCode = status === undefined ? fields.systemCode : undefined
  const summary =
    status === undefined
      ? `No response from the proxy ${address}${systemCode ? ` (${systemCode})` : ''}.`
      : `The proxy ${address} rejected the request (status ${status}).`
  return new ConnectionError(summary, {
    ...fields,
    systemCode,
    code: 'proxy_error',
    proxy: address,
    hint: hintOf(status),
  })
}

const NO_CREDENTIALS = 407

function hintOf(status: number | undefined): string {
  if (status === NO_CREDENTIALS) {
    return 'Set the name and password for it in HTTP_PROXY or HTTPS_PROXY: http://NAME:PASSWORD@HOST:PORT'
  }
  const without = 'To bypass it, unset the variable or add the host of the service to NO_PROXY.'
  if (status !== undefined) return `Check that it can reach the service. ${without}`
  return `Check that the proxy is running and that HTTP_PROXY or HTTPS_PROXY is right. ${without}`
}
