import type { PlainResponse } from './plain-request.ts'

/** The headers that are not compared, each with the reason. The list has at most five headers. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  date: 'written by HTTP servers: no transport without a socket has it, and the real server writes the time of the machine',
  connection: 'belongs to a connection (RFC 9110, section 7.6.1), and transports without a socket have none',
  'keep-alive': 'as `connection`',
  'transfer-encoding': 'as `connection`: how a body without a length is framed',
  'content-length': 'where a body came, which is compared itself: a long one is sent without its length or with it',
}

/** The response that a client received, or the failure of the request. */
export type Received = PlainResponse | { readonly failed: string }

/**
 * Makes responses of different transports comparable. Entity tags are opaque (RFC 9110, section 8.8.3) and random. Each
 * tag is replaced by a number in order of first use, so two transports match if their tags repeat in the same
 * responses.
 */
export function createNormalizer(): (received: Received) => string {
  const tags = new Map<string, number>()
  const nameOf = (tag: string) => {
    if (!tags.has(tag)) tags.set(tag, tags.size)
    return `tag ${tags.get(tag)}`
  }
  return (received) => {
    if ('failed' in received) return `failed: ${received.failed}`
    const headers = received.headers
      .filter(([name]) => !(name in NOT_COMPARED) || (name === 'content-length' && received.body.byteLength === 0))
      .map(([name, value]) => `${name}: ${name === 'etag' ? nameOf(value) : value}`)
    return [received.status, ...headers, '', Buffer.from(received.body).toString('latin1')].join('\n')
  }
}
