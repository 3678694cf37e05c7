import { type Cluster, Command } from 'ioredis'
import { StorageError } from '../errors.ts'
import { createProbe } from '../probe.ts'
import { wrapDriver } from '../storage.ts'
import type { FishStorage, StorageDriver } from '../types.ts'
import type { Connection } from './connection.ts'
import {
  type DurabilityReport,
  describeDurability,
  keepsWrites,
  readPersistence,
  readReplicas,
  refuseEviction,
} from './durability.ts'
import { createRedisItems } from './items.ts'
import { probeKeys } from './keys.ts'
import { noticeOlderData, type WatchedConnection } from './older-data.ts'
import { openRedis, openReplicatedWrites, type RedisClusterOptions, type RedisOptions } from './open.ts'
import { createRedisRecords } from './records.ts'
import { claimSchema } from './schema.ts'
import { createRedisTallies } from './tallies.ts'
import { createRedisWindows } from './windows.ts'

export type { RedisClusterOptions, RedisOptions } from './open.ts'

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
        redisDriver(options.driver, noticeOlderData(reached, { mayLose, onDataLoss: options.onDataLoss }), report),
      )
    if (replicas === 0) return driverOn(connection)
    const writes = await openReplicatedWrites(options, replicas)
    const close = async () => void (await Promise.all([connection.close(), writes.close()]))
    return driverOn({ ...connection, write: writes.write, close })
  })
}
