import { ValidationError } from '../errors/fish-crab-error.ts'
import type { Environment } from './environment.ts'
import type { Platform } from './platform.ts'
import { createProxyBlame, type ProxyBlame, proxyError } from './proxy.ts'

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
