import { BlockList, isIP } from 'node:net'
import type { Environment } from '../core/options.ts'

/** The variable that names the proxy of a service, and the text of this variable. */
export interface ProxySetting {
  readonly variable: string
  readonly value: string
}

const HTTP_VARIABLES = ['http_proxy', 'HTTP_PROXY']
const HTTPS_VARIABLES = ['https_proxy', 'HTTPS_PROXY']
/** This value and an empty value turn the proxy off. */
const NONE = 'none'

/** Returns the proxy for requests to `baseUrl`. Without `HTTPS_PROXY`, https uses `HTTP_PROXY`, as in undici. */
export function findProxy(baseUrl: string, env: Environment): ProxySetting | undefined {
  const url = new URL(baseUrl)
  const names = url.protocol === 'https:' ? [...HTTPS_VARIABLES, ...HTTP_VARIABLES] : HTTP_VARIABLES
  const variable = names.find((name) => env[name] !== undefined)
  const value = variable && env[variable]?.trim()
  if (!variable || !value || value === NONE) return undefined
  return isExcepted(url, env.no_proxy || env.NO_PROXY || '') ? undefined : { variable, value }
}

/** Whether `NO_PROXY` contains the host, a parent domain of the host, a subnet of its address, or `*`. */
function isExcepted({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostOf(hostname)
  const hostPort = port || (protocol === 'https:' ? '443' : '80')
  const subnets = new BlockList()
  for (const entry of noProxy.toLowerCase().split(/[\s,]/)) {
    const [, name = entry, entryPort = hostPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? []
    if (entryPort !== hostPort) continue
    const domain = hostOf(name.replace(/^\./, ''))
    if (domain === '*' || domain === host) return true
    const isName = domain !== '' && isIP(host) === 0
    if (isName && host.endsWith(`.${domain.replace(/^\*\./, '')}`)) return true
    addSubnet(subnets, domain)
  }
  return isIP(host) !== 0 && subnets.check(host, familyOf(host))
}

/** Removes the brackets of an IPv6 address and the final dot of a name. */
function hostOf(text: string): string {
  return text.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

function addSubnet(subnets: BlockList, text: string): void {
  const [network = '', prefix = ''] = text.split('/')
  const bits = isIP(network) === 6 ? 128 : 32
  if (isIP(network) === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return
  subnets.addSubnet(network, Number(prefix), familyOf(network))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/**
 * Returns the address of a proxy as a URL. The scheme is optional, as in curl, and the password may contain characters
 * that a URL would encode. @throws TypeError for an invalid address
 */
export function proxyAddress(value: string): string {
  const [, scheme = 'http', rest = ''] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/is.exec(value) ?? []
  const at = rest.lastIndexOf('@')
  // undici resolves host names at a SOCKS proxy, which curl calls socks5h.
  const { protocol, host } = new URL(`${scheme.toLowerCase().replace(/^socks5h$/, 'socks5')}://${rest.slice(at + 1)}`)
  if (at === -1) return `${protocol}//${host}`
  const [username = '', ...password] = rest.slice(0, at).split(':')
  return `${protocol}//${encoded(username)}:${encoded(password.join(':'))}@${host}`
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(text))
  } catch {
    // A percent sign that encodes nothing is part of the password.
    return encodeURIComponent(text)
  }
}
