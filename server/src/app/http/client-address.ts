/**
 * Returns the address of a client behind `hops` trusted proxies: the `hops`-th entry of `X-Forwarded-For` from the
 * right, because clients can forge every entry further left. If this entry is missing or is not an IP address, returns
 * the address of the socket.
 * @param forwardedFor the header; `null` or `undefined` if absent
 * @example forwardedAddress('203.0.113.9', '198.51.100.1, 192.0.2.7', 1) // '192.0.2.7'
 */
export function forwardedAddress(socketAddress: string, forwardedFor: string | null | undefined, hops: number): string {
  if (hops < 1 || !forwardedFor) return socketAddress
  const entries = forwardedFor.split(',').map((entry) => entry.trim())
  const address = withoutPort(entries.at(-hops) ?? '').replace(/%.*/, '')
  return parseIp(address) ? address : socketAddress
}

/**
 * Returns the key under which the rate limit counts an address: an IPv4 address (also if mapped into IPv6), or the /64
 * network of an IPv6 address, because one household or host gets a whole /64. Any other text is returned unchanged.
 * @example clientKey('::ffff:192.0.2.7') // '192.0.2.7'
 * @example clientKey('2001:db8:1:2:3::4') // '2001:db8:1:2::/64'
 */
export function clientKey(address: string): string {
  return clientKeys(address).client
}

/**
 * Works like {@link clientKey}, but uses the /48 network of an IPv6 address, because one customer may have a /48 with
 * 65,536 networks of /64.
 * @example siteKey('2001:db8:1:2:3::4') // '2001:db8:1::/48'
 */
export function siteKey(address: string): string {
  return clientKeys(address).site
}

/** Returns the {@link clientKey} and the {@link siteKey} of an address. */
export function clientKeys(address: string): { readonly client: string; readonly site: string } {
  const parsed = parseIp(address) ?? address
  if (typeof parsed === 'string') return { client: parsed, site: parsed }
  const isMapped = parsed.slice(0, 5).every((group) => group === 0) && parsed[5] === 0xffff
  if (isMapped) {
    const [high = 0, low = 0] = parsed.slice(6)
    const mapped = [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
    return { client: mapped, site: mapped }
  }
  return { client: networkOf(parsed, 64), site: networkOf(parsed, 48) }
}

function networkOf(groups: readonly number[], bits: 48 | 64): string {
  const network = groups.slice(0, bits / 16).map((group) => group.toString(16))
  return `${network.join(':')}::/${bits}`
}

function withoutPort(entry: string): string {
  const bracketed = /^\[(.+)\](?::\d+)?$/.exec(entry)
  if (bracketed?.[1]) return bracketed[1]
  const v4 = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)
  return v4?.[1] ?? entry
}

/** Returns an IPv4 address as text, and an IPv6 address as its eight groups. */
function parseIp(address: string): string | number[] | undefined {
  const plain = address.replace(/%.*/, '')
  return IPV4.test(plain) ? plain : parseIpv6(plain)
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

function parseIpv6(text: string): number[] | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined
  // The URL parser returns the canonical form (RFC 5952), in which only `::` must be expanded.
  const [head = [], tail = []] = new URL(`http://[${text}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const groups = [...head, ...new Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return groups.map((group) => Number.parseInt(group, 16))
}
