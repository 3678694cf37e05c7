import { ValidationError } from '../../errors/fish-crab-error.ts'
import type { Platform } from './platform.ts'
import { findProxy, type ProxySetting, proxyAddress } from './proxy.node.ts'

// The global symbol under which the built-in `fetch` of every Node version finds its dispatcher.
const SHARED_DISPATCHER = Symbol.for('undici.globalDispatcher.1')
// Since undici 8, the dispatcher under the first symbol only wraps the dispatcher under this symbol.
const SHARED_DISPATCHER_2 = Symbol.for('undici.globalDispatcher.2')

interface Dispatcher {
  readonly constructor: { new (): Dispatcher; readonly name: string; readonly prototype: Dispatcher }
  readonly dispatch: unknown
}

/**
 * The platform for Node. Each client has its own connections for the built-in `fetch`, with keep-alive and the proxies
 * from the environment variables (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`). A dispatcher that the program passed to
 * `setGlobalDispatcher` overrides both.
 */
export const platform: Platform = {
  sendsUserAgent: true,
  warn,
  openConnections(baseUrl, env) {
    const proxy = () => findProxy(baseUrl, env ?? process.env)
    // A replaced `fetch`, such as MSW's, gets new connections, since MSW cannot intercept connections that are already
    // open.
    const perFetch = new WeakMap<typeof globalThis.fetch, Promise<RequestInit>>()
    return {
      usesProxy: proxy() !== undefined,
      async extras(fetch) {
        if (hasProgramDispatcher()) return {}
        const known = perFetch.get(fetch)
        if (known) return known
        const fresh = openDispatcher(proxy()).catch((error: unknown) => {
          // Try again with the next call, which may succeed.
          perFetch.delete(fetch)
          throw error
        })
        perFetch.set(fetch, fresh)
        return fresh
      },
    }
  },
}

async function openDispatcher(proxy: ProxySetting | undefined): Promise<RequestInit> {
  const dispatcher = proxy ? undefined : builtInAgent()
  if (dispatcher) return { dispatcher } as unknown as RequestInit
  const undici = await importUndici()
  if (!undici) {
    if (proxy) warnOfProxy(proxy)
    return {}
  }
  const agent = proxy ? openProxy(undici, proxy) : new undici.Agent()
  // undici 8 and Node's built-in undici use different dispatcher protocols; the wrapper translates between them.
  return { dispatcher: new undici.Dispatcher1Wrapper(agent) } as unknown as RequestInit
}

function openProxy(undici: typeof import('undici'), { variable, value }: ProxySetting) {
  try {
    return new undici.ProxyAgent({ uri: proxyAddress(value) })
  } catch {
    // undici's own error quotes the address, which may contain a password.
    const path = variable.toUpperCase()
    throw new ValidationError([{ path, message: `${path} is not the address of a proxy.` }])
  }
}

/**
 * Creates an agent of Node's built-in undici. Importing the `undici` package would take longer than the rest of a first
 * call.
 */
function builtInAgent(): Dispatcher | undefined {
  const shared = sharedDispatcher()
  return shared && isAgent(shared) ? new shared.constructor() : undefined
}

/**
 * Whether the program passed a dispatcher to `setGlobalDispatcher`. An `Agent` does not count, because it looks like
 * the default dispatcher.
 */
function hasProgramDispatcher(): boolean {
  const shared = sharedDispatcher()
  // The undici package wraps its dispatcher for the older protocol of the built-in undici.
  const isWrapped = shared?.constructor.name === 'Dispatcher1Wrapper'
  const dispatcher = isWrapped ? globalDispatcher(SHARED_DISPATCHER_2) : shared
  return dispatcher !== undefined && !isAgent(dispatcher)
}

function sharedDispatcher(): Dispatcher | undefined {
  // Loads Node's built-in undici, which then registers its dispatcher.
  void globalThis.Response
  const isProtocol2 = Number.parseInt(process.versions.undici ?? '', 10) >= 8
  return globalDispatcher(isProtocol2 ? SHARED_DISPATCHER_2 : SHARED_DISPATCHER)
}

const globalDispatcher = (name: symbol): Dispatcher | undefined => Reflect.get(globalThis, name)

/** Whether a dispatcher is an `Agent` without interceptors, which would replace its method `dispatch`. */
function isAgent({ constructor: Class, dispatch }: Dispatcher): boolean {
  return Class.name === 'Agent' && dispatch === Class.prototype.dispatch
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
 * Imports the `undici` package. If Node's built-in undici is older, the import may replace the dispatcher of the whole
 * process; this function restores the dispatcher. Returns `undefined` if the package fails to load, because this
 * version of Node is too old or a bundler omitted the package.
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
