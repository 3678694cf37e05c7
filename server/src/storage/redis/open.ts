import { StorageError } from '../errors.ts'
import { parseRedisUrl, type RedisClusterTarget, type RedisTarget } from './address.ts'
import { type Connection, connect } from './connection.ts'

/** How long one operation may take when nothing else is said, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 2000

interface Deadline {
  /** How long one operation may take before it rejects, in milliseconds. @default 2000 */
  readonly timeoutMs?: number
}

/** Keeps everything in one Redis server, for as many processes as there are. */
export interface RedisOptions extends Deadline {
  readonly driver: 'redis'
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string
}

/** Keeps everything in a Redis Cluster, for as many processes as there are. */
export interface RedisClusterOptions extends Deadline, RedisClusterTarget {
  readonly driver: 'redis-cluster'
}

/**
 * Connects to Redis, and makes something of the connection, which is closed where that fails.
 *
 * @throws {StorageError} `unavailable`, and what making it throws
 */
export async function openRedis<Made>(
  options: RedisOptions | RedisClusterOptions,
  make: (connection: Connection) => Promise<Made>,
): Promise<Made> {
  const connection = await connect(targetOf(options), options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  try {
    return await make(connection)
  } catch (error) {
    await connection.close()
    throw error
  }
}

function targetOf(options: RedisOptions | RedisClusterOptions): RedisTarget | RedisClusterTarget {
  if (options.driver === 'redis-cluster') return options
  try {
    return parseRedisUrl(options.url)
  } catch (error) {
    throw new StorageError(
      'unavailable',
      `The address of Redis ${error instanceof Error ? error.message : 'is wrong'}.`,
    )
  }
}
