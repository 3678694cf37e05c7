/** The address of one node of a cluster. */
interface RedisNode {
  readonly host: string
  readonly port: number
}

/** Login and TLS options of any Redis address. */
interface Login {
  /** @default Redis' default user */
  readonly username?: string
  readonly password?: string
  /** Encrypt the connection, and check the certificate as for HTTPS. @default false */
  readonly tls?: boolean
}

/** The parsed address of one Redis server. */
export interface RedisTarget extends RedisNode, Login {
  readonly db: number
}

/** The address of a Redis Cluster. The address need not list all nodes, because each node knows all other nodes. */
export interface RedisClusterTarget extends Login {
  /** Nodes to start from, at least one. The client finds all other nodes. */
  readonly nodes: readonly RedisNode[]
}

const DEFAULT_PORT = 6379
const SHAPE = 'redis://[user:password@]host[:port][/database], or rediss:// for TLS'
const CLUSTER_SHAPE = 'redis-cluster://[user:password@]host:port,host:port, or rediss-cluster:// for TLS'
const ENCODING = ', with special characters of the password percent-encoded'

function parse(url: string, pattern: RegExp, shape: string) {
  const wrong = (detail: string) => new Error(`must be ${shape}${detail}`)
  const [, secure, login = '', rest = ''] = pattern.exec(url) ?? []
  if (secure === undefined) throw wrong('')

  function toNode(text: string): RedisNode {
    const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text) ?? []
    const host = bracketed ?? plain
    const port = Number(digits ?? DEFAULT_PORT)
    if (host === undefined || port < 1 || port > 65_535) throw wrong(ENCODING)
    return { host, port }
  }

  function toLogin(): Login {
    if (login === '') return {}
    const at = `${login}:`.indexOf(':')
    try {
      const [username, password] = [login.slice(0, at), login.slice(at + 1)].map(decodeURIComponent)
      if (password) return username ? { username, password } : { password }
    } catch {
      throw wrong(ENCODING)
    }
    throw wrong(': there is a user without a password')
  }

  return { rest, toNode, login: { ...toLogin(), ...(secure ? { tls: true } : {}) } }
}

/** @throws Error that names the expected format, but never the address, which may contain a password */
export function parseRedisUrl(url: string): RedisTarget {
  const { rest, toNode, login } = parse(url, /^redis(s?):\/\/(?=.)(?:(.*)@)?(.*)/is, SHAPE)
  const [, address = '', db = '0'] = /^([^/?#]*)(?:\/(\d{1,9})?)?$/.exec(rest) ?? []
  return { ...toNode(address), db: Number(db), ...login }
}

/** Parses the address of a cluster, which has no database number. @throws Error with the expected format */
export function parseRedisClusterUrl(url: string): RedisClusterTarget {
  const { rest, toNode, login } = parse(url, /^redis(s?)-cluster:\/\/(?=.)(?:(.*)@)?(.*)/is, CLUSTER_SHAPE)
  return { nodes: rest.split(',').map((node) => toNode(node.trim())), ...login }
}
