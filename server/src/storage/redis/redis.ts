import type { Cluster } from 'ioredis'
import { StorageError } from '../core/errors.ts'
import { createProbe } from '../core/probe.ts'
import type { FishStorage, StorageDriver } from '../core/types.ts'
import { wrapDriver } from '../core/wrap-driver.ts'
import { parseRedisUrl, type RedisClusterTarget, type RedisTarget } from './address.ts'
import { type Connection, connect, type Link } from './connection.ts'
import { checkEviction, describeDurability, nodeOf } from './durability.ts'
import { missingCommands } from './errors.ts'
import { createRedisItems } from './items.ts'
import { allBuckets, SCHEMA_KEY } from './keys.ts'
import { createRedisRecords, createRedisTallies } from './records.ts'
import { type CallScript, SCRIPT_COMMANDS } from './scripts.ts'
import { createSignals } from './signals.ts'
import { createRedisWindows } from './windows.ts'

/** Version of the layout that this code reads and writes. */
const SCHEMA_VERSION = 1
/** How long a ping may take, in milliseconds: readiness has to be known within a second. */
const PING_MS = 800
/** Lifetime of a probe in Redis, in milliseconds. */
const PROBE_MS = 1000
/** Commands that the client sends outside of scripts. `PING` and `WAIT` are added if they are used. */
const CLIENT_COMMANDS = ['EXISTS', 'GET', 'HGETALL', 'HMGET', 'ZLEXCOUNT', 'ZRANGE', 'ZRANGEBYLEX']
/** Approximate size of the largest write, in bytes. With less free memory, a ping reports that Redis is full. */
const PROBE_BYTES = 512 * 1024

/** How long an operation may take, and how many replicas must have a write. */
interface Guarantees {
  /** How long one operation may take before it rejects, in milliseconds. @default 2000 */
  readonly timeoutMs?: number
  /**
   * Number of replicas that must have a write before it is acknowledged. If fewer replicas have the write, the
   * operation rejects with `unavailable` after half of `timeoutMs`.
   *
   * @default 0
   */
  readonly replicas?: number | undefined
}

/** Stores all data in one Redis server, which any number of processes may share. */
export interface RedisOptions extends Guarantees {
  readonly driver: 'redis'
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
  readonly url: string
}

/** Stores all data in a Redis Cluster, which any number of processes may share. */
export interface RedisClusterOptions extends Guarantees, RedisClusterTarget {
  readonly driver: 'redis-cluster'
}

/** @throws {StorageError} `newer_schema`, `not_a_store`, `read_only`, `full`, `unavailable` */
export async function openRedisStorage(options: RedisOptions | RedisClusterOptions): Promise<FishStorage> {
  const { driver, timeoutMs = 2000, replicas = 0 } = options
  const target = driver === 'redis' ? parseUrl(options.url) : options
  const connection = await connect(target, timeoutMs, replicas)
  const { client, call, run, primaries } = connection
  const commands = [...SCRIPT_COMMANDS, ...CLIENT_COMMANDS]
  if (!client.isCluster) commands.push('PING')
  if (replicas > 0) commands.push('WAIT')
  try {
    const report = await run(() => describeDurability(primaries(), replicas))
    await checkCommands(connection, commands)
    await claimSchema(connection)
    // Fails early if the user has no permission to write. A full Redis passes, because removing data makes room.
    await run(() => writeProbes(connection, call)).catch((error) => {
      if (error.code !== 'full') throw error
    })
    return wrapDriver(redisDriver(driver, connection, commands, report))
  } catch (error) {
    await connection.close()
    throw error
  }
}

function parseUrl(url: string): RedisTarget {
  try {
    return parseRedisUrl(url)
  } catch (error) {
    throw new StorageError('unavailable', `The address of Redis ${(error as Error).message}.`)
  }
}

/** Writes the schema version to an empty Redis, and rejects a Redis with another version. */
async function claimSchema({ client, run }: Connection): Promise<void> {
  const read = () => run(() => client.get(SCHEMA_KEY))
  // Another process may have written another version first.
  if ((await read()) === null) await run(() => client.set(SCHEMA_KEY, SCHEMA_VERSION, 'NX'))
  const version = Number(await read())
  if (version === SCHEMA_VERSION) return
  if (Number.isSafeInteger(version) && version > SCHEMA_VERSION) {
    throw new StorageError(
      'newer_schema',
      `The data in Redis was written by a newer version of the service (schema ${version}, this one knows ${SCHEMA_VERSION}).`,
      { hint: 'Update the service; the data was not changed.' },
    )
  }
  throw new StorageError('not_a_store', 'The key fish:schema in Redis belongs to another program.', {
    hint: 'Use another database.',
  })
}

function redisDriver(
  name: string,
  connection: Connection,
  commands: readonly string[],
  report: Pick<StorageDriver, 'durability' | 'warnings'>,
): StorageDriver {
  const { links, primaries, close, write } = connection
  const probe = createProbe(async () => {
    const checks = [writeProbes(connection, write), checkCommands(connection, commands)]
    await Promise.all([...checks, ...primaries().map(checkEviction)])
  })
  const signals = createSignals(connection)
  let closing: Promise<void> | undefined
  return {
    name,
    ...report,
    ping: async () => {
      const pingLink = ({ run, client }: Link) =>
        run(async () => void (await ('nodes' in client ? pingCluster(client) : client.ping())), PING_MS)
      await Promise.all([connection.run(probe, PING_MS), ...links.map(pingLink)])
    },
    ...createRedisRecords(connection),
    onChange: signals.onChange,
    signalChange: signals.signalChange,
    ...createRedisTallies(connection),
    ...createRedisItems(connection),
    ...createRedisWindows(connection),
    dispose: () => {
      signals.close()
      closing ??= close()
      return closing
    },
  }
}

/** A cluster is available when each server responds and reports a complete cluster: each server has a part of the data. */
async function pingCluster(cluster: Cluster): Promise<void> {
  const primaries = cluster.nodes('master')
  const reports = await Promise.all(primaries.map((node) => node.cluster('INFO')))
  const isWhole = (report: string) =>
    report.includes('cluster_state:ok') && Number(/cluster_size:(\d+)/.exec(report)?.[1]) <= primaries.length
  if (reports.length > 0 && reports.every(isWhole)) return
  throw new Error('a part of the cluster is missing')
}

/**
 * Writes a probe to each server. Fails on a replica, on a full server and on a server whose disk fails. A PING would
 * not suffice, because all of these servers respond to PING.
 */
async function writeProbes({ client }: Connection, write: CallScript): Promise<void> {
  const bytes = 'x'.repeat(PROBE_BYTES)
  await Promise.all(nodeKeys(client).map((key) => write('fishProbe', [key], [PROBE_MS, bytes])))
}

/** A key for probes on each node that has buckets. */
function nodeKeys(client: Connection['client']): string[] {
  return [...new Map(allBuckets().map(({ probe }) => [nodeOf(client, probe), probe])).values()]
}

/** Checks permissions: a user may be allowed to write a probe but not a catch. @throws {StorageError} `unavailable` */
async function checkCommands({ client, call }: Connection, commands: readonly string[]): Promise<void> {
  const replies = await Promise.all(nodeKeys(client).map((key) => call('fishForbidden', [key], commands)))
  const forbidden = new Set(replies.flat() as string[])
  if (forbidden.size > 0) throw missingCommands([...forbidden])
}
