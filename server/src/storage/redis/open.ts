import { StorageError } from '../errors.ts'
import { parseRedisUrl, type RedisClusterTarget, type RedisTarget } from './address.ts'
import { type Connection, connect } from './connection.ts'
import { createReplicatedWrites } from './replicated-writes.ts'

/** How long one operation may take when nothing else is said, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 2000

interface Guarantees {
  /** How long one operation may take before it rejects, in milliseconds. @default 2000 */
  readonly timeoutMs?: number
  /**
   * How many replicas of a primary must have a write before it is acknowledged; where they do not in half of
   * `timeoutMs`, it rejects with `unavailable`.
   *
   * @default 1 when every primary has a replica as the storage is opened, else 0
   */
  readonly replicas?: number
  /**
   * Told, in a sentence for the operator, that Redis came back without writes that it had acknowledged, where its
   * configuration allows that: it is no error then.
   *
   * @default nobody is told
   */
  readonly onDataLoss?: (message: string) => void
}

/** Keeps everything in one Redis server, for as many processes as there are. */
export interface RedisOptions extends Guarantees {
  readonly driver: 'redis'
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string
}

/** Keeps everything in a Redis Cluster, for as many processes as there are. */
export interface RedisClusterOptions extends Guarantees, RedisClusterTarget {
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
  const connection = await connectTo(options)
  try {
    return await make(connection)
  } catch (error) {
    await connection.close()
    throw error
  }
}

/**
 * Connects once more, for writes alone: what waits for replicas there holds up no reads.
 *
 * @throws {StorageError} `unavailable`
 */
export async function openReplicatedWrites(
  options: RedisOptions | RedisClusterOptions,
  replicas: number,
): Promise<Pick<Connection, 'write' | 'close'>> {
  const connection = await connectTo(options)
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  return { write: createReplicatedWrites(connection, { replicas, timeoutMs }), close: connection.close }
}

function connectTo(options: RedisOptions | RedisClusterOptions): Promise<Connection> {
  return connect(targetOf(options), options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
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
