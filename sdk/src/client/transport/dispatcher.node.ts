import { ConnectionError, causes } from '../../errors/connection-errors.ts'
import { ValidationError } from '../../errors/fish-crab-error.ts'
import type { Environment } from '../core/options.ts'
import type { Platform, ProxyErrorFields } from './platform.ts'

// Where Node's built-in fetch, in every version, looks for its dispatcher.
const SHARED_DISPATCHER = Symbol.for('undici.globalDispatcher.1')

/**
 * Node: own connections under the built-in fetch, with keep-alive and the proxies of the environment (`HTTP_PROXY`,
 * `HTTPS_PROXY`, `NO_PROXY`).
 */
export const platform: Platform = {
  sendsUserAgent: true,
  openConnections(env) {
    const proxies = trackProxies()
    // A replaced fetch, such as MSW's, gets new connections: it cannot intercept those that are open already.
    const perFetch = new WeakMap<typeof globalThis.fetch, Promise<RequestInit>>()
    return {
      extras(fetch) {
        const known = perFetch.get(fetch)
        if (known) return known
        const fresh = openDispatcher(proxies, env ?? process.env).catch((error: unknown) => {
          // The next call may succeed.
          perFetch.delete(fetch)
          throw error
        })
        perFetch.set(fetch, fresh)
        return fresh
      },
      proxyError(cause, url, fields) {
        const proxy = proxies.causeOf(cause, url)
        return proxy && proxyError(proxy, { ...fields, cause })
      },
    }
  },
}

async function openDispatcher(proxies: ProxyTracker, env: Environment): Promise<RequestInit> {
  const undici = await importUndici()
  if (!undici) {
    warnOfProxies(env)
    return {}
  }
  // undici 8 has another dispatcher protocol than the undici inside Node; the wrapper translates.
  return { dispatcher: new undici.Dispatcher1Wrapper(proxyAgent(undici, proxies, env)) } as unknown as RequestInit
}

function proxyAgent(undici: typeof import('undici'), proxies: ProxyTracker, env: Environment) {
  try {
    return new undici.EnvHttpProxyAgent({
      ...proxies.trackedBy(undici.Pool),
      // undici reads missing values from the environment of the process.
      httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? '',
      httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? '',
      noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
    })
  } catch {
    // undici's own error quotes the address, which may contain a password.
    throw new ValidationError([
      { path: 'HTTP_PROXY', message: 'HTTP_PROXY or HTTPS_PROXY is not the address of a proxy.' },
    ])
  }
}

// The variables that undici reads.
const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']

/** Without undici, the built-in fetch is used, which has no proxies. */
function warnOfProxies(env: Environment): void {
  const variable = PROXY_VARIABLES.find((name) => env[name])
  if (!variable) return
  process.emitWarning(
    `${variable} is ignored: proxies need undici, which failed to load. Use Node 22.19 or later (this is ${process.version}).`,
    { type: 'FishCrabWarning', code: 'FISH_CRAB_NO_PROXY' },
  )
}

/**
 * Importing undici may replace the dispatcher of the whole process if Node's built-in undici is older: undo that.
 *
 * @returns `undefined` if it fails to load: this Node is too old, or a bundler left it out
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

/** A proxy that blocked a request. */
interface FailedProxy {
  /** Its address without credentials, such as `http://proxy.example.org:3128`. */
  readonly address: string
  /** The HTTP status that it responded with; without one it was not reached. */
  readonly status?: number | undefined
}

/** Tracks the HTTP proxies of one client and their failures. undici reports nothing about SOCKS proxies. */
interface ProxyTracker {
  /** Options that let an agent report its proxies. */
  trackedBy(Pool: PoolClass): import('undici').EnvHttpProxyAgent.Options
  /** The proxy that caused an error of that agent, if one did. */
  causeOf(error: unknown, url: string): FailedProxy | undefined
}

// undici's messages when a proxy itself responds; the second is for requests without a tunnel.
const REFUSALS = [/^Proxy response \((\d{3})\)/, /^Proxy Authentication Required \((\d{3})\)/]
// undici's code when a proxy closes the connection before the tunnel is open.
const HUNG_UP = 'UND_ERR_PRX_CONN'

/** Distinguishes failures of a proxy from failures behind it, which look the same to the sender of the request. */
function trackProxies(): ProxyTracker {
  // In undici's order: the proxy for http, then the one for https if it differs.
  const proxies: string[] = []
  const unreached = new WeakMap<object, string>()

  return {
    trackedBy(Pool) {
      const open = (origin: URL | string, options?: object) => {
        const pool = new Pool(origin, options)
        const address = addressOf(origin)
        // With a tunnel, a failure in it is reported again as one of the service.
        pool.on('connectionError', (_origin, _targets, error) => {
          if (proxies.includes(address) && !unreached.has(error)) unreached.set(error, address)
        })
        return pool
      }
      return {
        clientFactory(origin, options) {
          proxies.push(addressOf(origin))
          return open(origin, options)
        },
        factory: open,
      }
    },
    causeOf(error, url) {
      const used = url.startsWith('https:') ? proxies.at(-1) : proxies[0]
      if (used === undefined) return undefined
      for (const each of causes(error)) {
        const address = unreached.get(each)
        if (address !== undefined) return { address }
        const status = REFUSALS.map((pattern) => pattern.exec(each.message)?.[1]).find((found) => found !== undefined)
        if (status !== undefined) return { address: used, status: Number(status) }
        if ('code' in each && each.code === HUNG_UP) return { address: used }
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

const NO_CREDENTIALS = 407

/** The error for a request that a proxy blocked. */
function proxyError(
  { address, status }: FailedProxy,
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

function hintOf(status: number | undefined): string {
  if (status === NO_CREDENTIALS) {
    return 'Set the name and password for it in HTTP_PROXY or HTTPS_PROXY: http://NAME:PASSWORD@HOST:PORT'
  }
  const without = 'To bypass it, unset the variable or add the host of the service to NO_PROXY.'
  if (status !== undefined) return `Check that it can reach the service. ${without}`
  return `Check that the proxy is running and that HTTP_PROXY or HTTPS_PROXY is right. ${without}`
}
