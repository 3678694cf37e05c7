import { ValidationError } from '../../errors/fish-crab-error.ts'
import type { Environment } from '../core/options.ts'
import * as onDemand from '../resources/on-demand.ts'
import type { Platform } from './platform.ts'

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
  loadOnDemand: async () => onDemand,
  warn,
  openConnections(env) {
    // A replaced fetch, such as MSW's, gets new connections: it cannot intercept those that are open already.
    const perFetch = new WeakMap<typeof globalThis.fetch, Promise<RequestInit>>()
    return {
      usesProxy: proxyVariable(env ?? process.env) !== undefined,
      extras(fetch) {
        const known = perFetch.get(fetch)
        if (known) return known
        const fresh = openDispatcher(env ?? process.env).catch((error: unknown) => {
          // The next call may succeed.
          perFetch.delete(fetch)
          throw error
        })
        perFetch.set(fetch, fresh)
        return fresh
      },
    }
  },
}

async function openDispatcher(env: Environment): Promise<RequestInit> {
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
  try {
    const agent = new undici.EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy })
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

function proxyVariable(env: Environment): string | undefined {
  return PROXY_VARIABLES.find((name) => env[name])
}

/** Without undici, the built-in fetch is used, which does not support proxies. */
function warnOfProxies(env: Environment): void {
  const variable = proxyVariable(env)
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
