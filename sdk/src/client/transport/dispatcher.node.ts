import { ConnectionError, causes } from '../../errors/connection-errors.ts'
import { ValidationError } from '../../errors/fish-crab-error.ts'
import type { Environment } from '../core/options.ts'
import type { Platform, ProxyErrorFields } from './platform.ts'

// The key under which Node's own fetch of every version finds its dispatcher.
const SHARED_DISPATCHER = Symbol.for('undici.globalDispatcher.1')

/**
 * Node: connections of the client's own under the built-in fetch, with keep-alive and the proxy of the environment
 * (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`).
 */
export const platform: Platform = {
  sendsUserAgent: true,
  openConnections(env) {
    const proxies = createProxyBlame()
    // A fetch that was replaced (MSW does so) gets connections of its own: it cannot see those opened before it came.
    const perFetch = new WeakMap<typeof globalThis.fetch, Promise<RequestInit>>()
    return {
      extras(fetch) {
        const known = perFetch.get(fetch)
        if (known) return known
        const fresh = openDispatcher(proxies, env ?? process.env).catch((error: unknown) => {
          // What could not be opened now may be possible at the next call.
          perFetch.delete(fetch)
          throw error
        })
        perFetch.set(fetch, fresh)
        return fresh
      },
      proxyError(cause, url, fields) {
        const proxy = proxies.behind(cause, url)
        return proxy && proxyError(proxy, { ...fields, cause })
      },
    }
  },
}

async function openDispatcher(proxies: ProxyBlame, env: Environment): Promise<RequestInit> {
  const undici = await importUndici()
  if (!undici) {
    warnOfProxies(env)
    return {}
  }
  // undici 8 speaks another dispatcher protocol than the undici inside Node; the wrapper translates.
  return { dispatcher: new undici.Dispatcher1Wrapper(proxyAgent(undici, proxies, env)) } as unknown as RequestInit
}

function proxyAgent(undici: typeof import('undici'), proxies: ProxyBlame, env: Environment) {
  try {
    return new undici.EnvHttpProxyAgent({
      ...proxies.watching(undici.Pool),
      // What is left out here, undici takes from the process.
      httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? '',
      httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? '',
      noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
    })
  } catch {
    // Its own error quotes the address, and a password may stand in that.
    throw new ValidationError([{ path: 'HTTP_PROXY', message: 'HTTP_PROXY or HTTPS_PROXY is no address of a proxy.' }])
  }
}

// Those that undici looks at.
const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']

/** Without undici, requests go by the built-in fetch, which has connections but no proxies. */
function warnOfProxies(env: Environment): void {
  const variable = PROXY_VARIABLES.find((name) => env[name])
  if (!variable) return
  process.emitWarning(
    `${variable} is ignored: proxies need undici, which cannot be loaded here. Use Node 22.19 or later (this is ${process.version}).`,
    { type: 'FishCrabWarning', code: 'FISH_CRAB_NO_PROXY' },
  )
}

/**
 * Where Node's own undici is older, importing another one replaces the dispatcher of the whole process: undo that.
 *
 * @returns nothing where it cannot be loaded: this Node is too old for it, or a bundler left it out
 */
async function importUndici(): Promise<typeof import('undici') | undefined> {
  // Touching the class loads Node's own undici, which then holds its dispatcher.
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

/** A proxy that did not let a request through. */
interface FailedProxy {
  /** Its address without credentials, such as `http://proxy.example.org:3128`. */
  readonly address: string
  /** The HTTP status with which it refused. Without, it was not reached at all. */
  readonly status?: number | undefined
}

/** Knows the HTTP proxies of one client (undici tells nothing of a SOCKS proxy), and what broke at them. */
interface ProxyBlame {
  /** Options for an agent that takes the proxies of the environment, under which they are watched. */
  watching(Pool: PoolClass): import('undici').EnvHttpProxyAgent.Options
  /** Who is to blame for an error of that agent, where it was a proxy. */
  behind(error: unknown, url: string): FailedProxy | undefined
}

// What undici says where a proxy answered itself; its classes say less. The second is for requests without a tunnel.
const REFUSALS = [/^Proxy response \((\d{3})\)/, /^Proxy Authentication Required \((\d{3})\)/]
// undici's code where a proxy hung up before there was a tunnel.
const HUNG_UP = 'UND_ERR_PRX_CONN'

/** Tells what broke on the way to a proxy from what broke behind it: both look the same to who sent the request. */
function createProxyBlame(): ProxyBlame {
  // In undici's order: that of http first, then that of https where it is another.
  const proxies: string[] = []
  const unreached = new WeakMap<object, string>()

  return {
    watching(Pool) {
      const open = (origin: URL | string, options?: object) => {
        const pool = new Pool(origin, options)
        const address = addressOf(origin)
        // Where there is a tunnel, what broke in it is told again as broken at the service.
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
    behind(error, url) {
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

/** What is shown of an address: credentials stand before its host. */
function addressOf(origin: URL | string): string {
  const { protocol, host } = new URL(origin)
  return `${protocol}//${host}`
}

const NO_CREDENTIALS = 407

/** What a request that did not get past a proxy ends with. */
function proxyError(
  { address, status }: FailedProxy,
  fields: ProxyErrorFields & { readonly cause: unknown },
): ConnectionError {
  // What broke at a proxy that answered is no matter.
  const systemCode = status === undefined ? fields.systemCode : undefined
  const summary =
    status === undefined
      ? `No response from the proxy ${address}${systemCode ? ` (${systemCode})` : ''}.`
      : `The proxy ${address} refused to pass the request on (status ${status}).`
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
    return 'HTTP_PROXY or HTTPS_PROXY must hold the name and the password that it asks for: http://NAME:PASSWORD@HOST:PORT'
  }
  const without = 'To do without it, unset the variable, or name the host of the service in NO_PROXY.'
  if (status !== undefined) return `Can and may it reach the service? ${without}`
  return `Is the proxy running, and is HTTP_PROXY or HTTPS_PROXY right? ${without}`
}
