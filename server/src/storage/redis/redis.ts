import { type Cluster, Command } from 'ioredis'
import { StorageError } from '../errors.ts'
import { createProbe } from '../probe.ts'
import { wrapDriver } from '../storage.ts'
import type { FishStorage, StorageDriver } from '../types.ts'
import { parseRedisUrl, type RedisClusterTarget, type RedisTarget } from './address.ts'
import { type Connection, connect } from './connection.ts'
import {
  type DurabilityReport,
  describeDurability,
  detectOlderData,
  keepsWrites,
  readPersistence,
  readReplicas,
  refuseEviction,
  type WatchedConnection,
} from './durability.ts'
import { createRedisItems } from './items.ts'
import { probeKeys, SCHEMA_KEY } from './keys.ts'
import { createRedisRecords, createRedisTallies } from './records.ts'
import { createReplicatedWrites } from './replicated-writes.ts'
import { createRedisWindows } from './windows.ts'

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
async function openReplicatedWrites(
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

/** Version of the layout that this code reads and writes. */
const SCHEMA_VERSION = 1

type Reach = Pick<Connection, 'client' | 'run'>

/**
 * Marks an empty Redis as one of this layout, and refuses one of a later layout, whose data this code could damage.
 *
 * @throws {StorageError} `newer_schema`, `not_a_store`
 */
async function claimSchema({ client, run }: Reach): Promise<void> {
  const found = await run(async () => {
    const version = await client.get(SCHEMA_KEY)
    if (version !== null) return version
    // Another process may have been faster, with another version.
    await client.set(SCHEMA_KEY, SCHEMA_VERSION, 'NX')
    return client.get(SCHEMA_KEY)
  })
  refuseOther(found)
}

/** Refuses what {@link claimSchema} refuses, and writes nothing. */
export async function checkSchema({ client, run }: Reach): Promise<void> {
  const found = await run(() => client.get(SCHEMA_KEY))
  if (found !== null) refuseOther(found)
}

function refuseOther(found: string | null): void {
  const version = Number(found)
  if (version === SCHEMA_VERSION) return
  if (Number.isSafeInteger(version) && version > SCHEMA_VERSION) {
    throw new StorageError(
      'newer_schema',
      `The data in Redis was written by a newer version of the service (schema ${version}, this one knows ${SCHEMA_VERSION}). Update the service; the data was not changed.`,
    )
  }
  throw new StorageError('not_a_store', 'The key fish:schema in Redis holds something else. Use another database.')
}

/** How long a ping may take, in milliseconds: readiness has to be known within a second. */
const PING_MS = 800
/** When Redis forgets a probe, in milliseconds. */
const PROBE_MS = 1000
/** About what the largest write has: with less space left than this, Redis counts as full. */
const PROBE_BYTES = 512 * 1024

/** A cluster is there when each of its servers is, and says that it can serve: each holds a part of the data. */
async function pingCluster(cluster: Cluster): Promise<void> {
  const primaries = cluster.nodes('master')
  const reports = await Promise.all(primaries.map((node) => node.cluster('INFO')))
  const isWhole = (report: string) =>
    report.includes('cluster_state:ok') && Number(/cluster_size:(\d+)/.exec(report)?.[1]) <= primaries.length
  if (reports.length > 0 && reports.every(isWhole)) return
  throw new Error('a part of the cluster is missing')
}

/** A replica, a full server and one whose disk fails answer a ping, but refuse this. */
async function writeProbes({ client, write }: Connection): Promise<void> {
  const nodeOf = (key: string) => 'slots' in client && client.slots[new Command('get', [key]).getSlot() ?? 0]?.[0]
  // One for each node.
  const keys = new Map(probeKeys().map((key) => [nodeOf(key), key])).values()
  const bytes = 'x'.repeat(PROBE_BYTES)
  await Promise.all(Array.from(keys, (key) => write('fishProbe', [key], [PROBE_MS, bytes])))
}

/**
 * Refuses who may not write, before anything waits for replicas. Not a full Redis: what is removed makes room there.
 *
 * @throws {StorageError} `read_only`, `unavailable`
 */
async function tryWrites(connection: Connection): Promise<void> {
  await connection
    .run(() => writeProbes(connection))
    .catch((error: unknown) => {
      if (!(error instanceof StorageError && error.code === 'full')) throw error
    })
}

function redisDriver(name: string, { connection, verify }: WatchedConnection, report: DurabilityReport): StorageDriver {
  const { client, run, primaries, close } = connection
  const probe = createProbe(async () => {
    await Promise.all([verify(), writeProbes(connection), ...primaries().map(refuseEviction)])
  })
  let closing: Promise<void> | undefined
  return {
    name,
    ...report,
    ping: () =>
      run(async () => {
        await Promise.all([probe(), 'nodes' in client ? pingCluster(client) : client.ping()])
      }, PING_MS),
    ...createRedisRecords(connection),
    ...createRedisTallies(connection),
    ...createRedisItems(connection),
    ...createRedisWindows(connection),
    dispose: () => {
      closing ??= close()
      return closing
    },
  }
}

/**
 * Opens the storage in Redis.
 *
 * @throws {StorageError} `newer_schema`, `not_a_store`, `read_only`, `full`, `unavailable`
 */
export function openRedisStorage(options: RedisOptions | RedisClusterOptions): Promise<FishStorage> {
  return openRedis(options, async (connection) => {
    const { run, primaries } = connection
    await run(() => Promise.all(primaries().map(refuseEviction)))
    await claimSchema(connection)
    await tryWrites(connection)
    const persistence = await run(() => Promise.all(primaries().map(readPersistence)))
    const servers = await run(() => Promise.all(primaries().map(readReplicas)))
    const replicas = options.replicas ?? Math.min(1, ...servers.map((server) => server?.online ?? 0))
    const report = describeDurability(persistence, { servers, replicas })
    const mayLose = !keepsWrites(persistence, { servers, replicas })
    const driverOn = (reached: Connection) =>
      wrapDriver(
        redisDriver(options.driver, detectOlderData(reached, { mayLose, onDataLoss: options.onDataLoss }), report),
      )
    if (replicas === 0) return driverOn(connection)
    const writes = await openReplicatedWrites(options, replicas)
    const close = async () => void (await Promise.all([connection.close(), writes.close()]))
    return driverOn({ ...connection, write: writes.write, close })
  })
}
