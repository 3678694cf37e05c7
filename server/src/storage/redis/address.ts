interface RedisNode {
  readonly host: string
  readonly port: number
}

/** Login and TLS options of any Redis address. */
interface Login {
  /** @default Redis' default user */
  readonly username?: string
  readonly password?: string
  /** Encrypt the connection; certificates are checked as for HTTPS. @default false */
  readonly tls?: boolean
}

/** The parsed address of one Redis server. */
export interface RedisTarget extends RedisNode, Login {
  readonly db: number
}

/** The parsed address of a Redis Cluster: some of its nodes, which know the others. */
export interface RedisClusterTarget extends Login {
  readonly nodes: readonly RedisNode[]
}

const DEFAULT_PORT = 6379
const SHAPE = 'redis://[user:password@]host[:port][/database], or rediss:// for TLS'
const CLUSTER_SHAPE = 'redis-cluster://[user:password@]host:port,host:port, or rediss-cluster:// for TLS'
const ENCODING = 'with special characters of the password percent-encoded'

function decode(text: string, shape: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(`must be ${shape}, ${ENCODING}`)
  }
}

function loginOf(text: string, shape: string): Login {
  if (text === '') return {}
  const [user = '', ...rest] = text.split(':')
  const username = decode(user, shape)
  const password = decode(rest.join(':'), shape)
  if (password === '') throw new Error(`must be ${shape}: there is a user without a password`)
  return username === '' ? { password } : { username, password }
}

function nodeOf(text: string, shape: string): RedisNode {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  const number = port === undefined ? DEFAULT_PORT : Number(port)
  if (host === undefined || number < 1 || number > 65_535) throw new Error(`must be ${shape}, ${ENCODING}`)
  return { host, port: number }
}

function split(text: string): { readonly login: string; readonly rest: string } {
  const at = text.lastIndexOf('@')
  return { login: text.slice(0, Math.max(at, 0)), rest: text.slice(at + 1) }
}

/** @throws Error with the expected format, without the address, which may contain a password */
export function parseRedisUrl(url: string): RedisTarget {
  const [, secure, body = ''] = /^redis(s?):\/\/(.+)$/i.exec(url) ?? []
  if (secure === undefined) throw new Error(`must be ${SHAPE}`)
  const { login, rest } = split(body)
  const [, address = '', db = '0'] = /^([^/?#]*)(?:\/(\d{1,9})?)?$/.exec(rest) ?? []
  return { ...nodeOf(address, SHAPE), db: Number(db), ...loginOf(login, SHAPE), ...(secure ? { tls: true } : {}) }
}

/** A cluster has no database numbers. @throws Error with the expected format */
export function parseRedisClusterUrl(url: string): RedisClusterTarget {
  const [, secure, body = ''] = /^redis(s?)-cluster:\/\/(.+)$/i.exec(url) ?? []
  if (secure === undefined) throw new Error(`must be ${CLUSTER_SHAPE}`)
  const { login, rest } = split(body)
  const nodes = rest.split(',').map((node) => nodeOf(node.trim(), CLUSTER_SHAPE))
  return { nodes, ...loginOf(login, CLUSTER_SHAPE), ...(secure ? { tls: true } : {}) }
}
