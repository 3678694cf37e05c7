import { ValidationError } from '../../errors/fish-crab-error.ts'
import type { Platform } from './platform.ts'
import { findProxy, type ProxySetting, proxyAddress } from './proxy.node.ts'

// The symbol under which the built-in `fetch` finds its dispatcher (README of undici, `setGlobalDispatcher`).
const SHARED_DISPATCHER = Symbol.for('undici.globalDispatcher.1')

// Only compared, never called: a later replacement of the global `fetch`, such as MSW's, differs from this one.
const initialFetch = globalThis.fetch

type Undici = typeof import('undici')
type Dispatcher = import('undici').Dispatcher

/**
 * The platform for Node, whose built-in `fetch` pools connections. A proxy from the environment variables
 * (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`) needs the package undici, which takes longer to load than a first call. A
 * dispatcher that the program passed to `setGlobalDispatcher` overrides the proxy.
 */
export const platform: Platform = {
  sendsUserAgent: true,
  warn,
  openConnections(baseUrl, env) {
    const proxy = () => findProxy(baseUrl, env ?? process.env)
    let loading: Promise<Undici | undefined> | undefined
    const dispatchers = new WeakMap<typeof globalThis.fetch, RequestInit>()
    return {
      usesProxy: proxy() !== undefined,
      async extras(fetch) {
        const setting = proxy()
        // A replaced `fetch` gets new connections, because MSW cannot intercept connections that are already open.
        if (!setting && fetch === initialFetch) return {}
        loading ??= importUndici(setting)
        const undici = await loading
        if (!undici || hasProgramDispatcher(undici)) return {}
        const init = dispatchers.get(fetch) ?? openDispatcher(undici, setting)
        dispatchers.set(fetch, init)
        return init
      },
    }
  },
}

function openDispatcher(undici: Undici, proxy: ProxySetting | undefined): RequestInit {
  const agent = proxy ? openProxy(undici, proxy) : new undici.Agent()
  // undici 8 and Node's built-in undici use different dispatcher protocols; the wrapper translates between them.
  return { dispatcher: new undici.Dispatcher1Wrapper(agent) } as unknown as RequestInit
}

function openProxy(undici: Undici, { variable, value }: ProxySetting) {
  try {
    return new undici.ProxyAgent({ uri: proxyAddress(value) })
  } catch {
    // undici's own error quotes the address, which may contain a password.
    const path = variable.toUpperCase()
    throw new ValidationError([{ path, message: `${path} is not the address of a proxy.` }])
  }
}

/**
 * Whether the program passed a dispatcher to `setGlobalDispatcher`. An `Agent` without interceptors, which would replace
 * its method `dispatch`, does not count, because it looks like the default dispatcher.
 */
function hasProgramDispatcher(undici: Undici): boolean {
  // undici 7 sets only the shared dispatcher. undici 8 wraps its dispatcher for the built-in `fetch`. The classes may
  // come from several copies of undici, so their names are compared.
  const shared: Dispatcher | undefined = Reflect.get(globalThis, SHARED_DISPATCHER)
  const isWrapped = shared?.constructor.name === 'Dispatcher1Wrapper'
  const { constructor: Class, dispatch } = shared && !isWrapped ? shared : undici.getGlobalDispatcher()
  return Class.name !== 'Agent' || dispatch !== Class.prototype.dispatch
}

/** Without undici, the built-in fetch is used, which does not support proxies. */
function warnOfProxy({ variable }: ProxySetting): void {
  warn(
    `${variable} is ignored: proxies need undici, which failed to load. Use Node 22.19 or later (this is ${process.version}).`,
    'FISH_CRAB_NO_PROXY',
  )
}

function warn(message: string, code: string): void {
  process.emitWarning(message, { type: 'FishCrabWarning', code })
}

/**
 * Imports the package undici, or warns that the proxy is ignored if the package fails to load: this version of Node is
 * too old, or a bundler omitted the package. If Node's built-in undici is older, the import replaces the dispatcher of
 * the whole process, and undici has no function that restores only the dispatcher of the built-in `fetch`.
 */
async function importUndici(proxy: ProxySetting | undefined): Promise<Undici | undefined> {
  // Loads Node's built-in undici, which then registers its dispatcher.
  void globalThis.Response
  const before = Reflect.get(globalThis, SHARED_DISPATCHER)
  const undici = await import('undici').catch(() => undefined)
  const after = Reflect.get(globalThis, SHARED_DISPATCHER)
  if (before !== after && (!undici || after instanceof undici.Dispatcher1Wrapper)) {
    Reflect.set(globalThis, SHARED_DISPATCHER, before)
  }
  if (!undici && proxy) warnOfProxy(proxy)
  return undici
}
