import { ConnectionError } from '../errors/connection-errors.ts'
import { causes } from './causes.ts'
import type { ProxyErrorFields } from './platform.ts'

type PoolClass = typeof import('undici').Pool

/** A proxy that did not let a request through. */
interface FailedProxy {
  /** Its address without credentials, such as `http://proxy.example.org:3128`. */
  readonly address: string
  /** The HTTP status with which it refused. Without, it was not reached at all. */
  readonly status?: number | undefined
}

/** Knows the HTTP proxies of one client (undici tells nothing of a SOCKS proxy), and what broke at them. */
export interface ProxyBlame {
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
export function createProxyBlame(): ProxyBlame {
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
export function proxyError(
  { address, status }: FailedProxy,
  fields: ProxyErrorFields & { readonly cause: unknown },
): ConnectionError {
  // What broke at a proxy that answered is no matter.
  const systemCode = status === undefined ? fields.systemCode : undefined
  const summary =
    status === undefined
      ? `No answer from the proxy ${address}${systemCode ? ` (${systemCode})` : ''}.`
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
