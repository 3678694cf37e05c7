import type { Redis } from 'ioredis'
import { StorageError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { writesKey } from './keys.ts'
import { countsChanges } from './scripts.ts'

/** What an acknowledgement means, and what the operator should know. */
export interface DurabilityReport {
  readonly durability: string
  readonly warnings: readonly string[]
}

/** What a Redis server is configured to do with what it is told; a part that it does not tell is absent. */
interface RedisPersistence {
  readonly appendonly?: string
  readonly appendfsync?: string
  readonly 'maxmemory-policy'?: string
  readonly save?: string
}

const SETTINGS = ['appendonly', 'appendfsync', 'maxmemory-policy', 'save'] as const

const UNKNOWN: DurabilityReport = {
  durability: 'A write is as durable as Redis is configured; that cannot be read here, because CONFIG GET is refused.',
  warnings: [
    'Redis does not tell how durable it is: CONFIG GET is refused. Make sure that appendonly is on and nothing is evicted.',
  ],
}

/** Reads what {@link describeDurability} describes. A server that refuses to tell is no error. */
export async function readPersistence(node: Redis): Promise<RedisPersistence> {
  // One by one: several names at once need Redis 7.
  const answers = await Promise.all(
    SETTINGS.map((name) => node.config('GET', name).catch((error) => (isRefusal(error) ? [] : Promise.reject(error)))),
  )
  return Object.fromEntries((answers as string[][]).filter(([name]) => name !== undefined))
}

/**
 * Refuses a server that deletes users and catches when its memory is full. A server that does not tell passes.
 *
 * @throws {StorageError} `unavailable`
 */
export async function refuseEviction(node: Redis): Promise<void> {
  // Not CONFIG, which hosted servers forbid more often.
  const [, policy] = /^maxmemory_policy:(allkeys\S*)/m.exec(await readInfo(node, 'memory')) ?? []
  if (policy === undefined) return
  throw new StorageError(
    'unavailable',
    `Redis deletes users and catches when its memory is full: maxmemory-policy is ${policy}. Keep them with CONFIG SET maxmemory-policy noeviction, and in the configuration of Redis.`,
  )
}

/** The replicas of a server. */
interface Replicas {
  readonly connected: number
  /** Those of them that get every write now; the others are still being filled. */
  readonly online: number
}

/** Which replicas a server has now; `undefined` where it refuses to tell. */
export async function readReplicas(node: Redis): Promise<Replicas | undefined> {
  const report = await readInfo(node, 'replication')
  const [, count] = /^connected_slaves:(\d+)/m.exec(report) ?? []
  if (count === undefined) return undefined
  const joining = report.match(/^slave\d+:.*\bstate=(?!online\b)/gm) ?? []
  return { connected: Number(count), online: Number(count) - joining.length }
}

async function readInfo(node: Redis, section: string): Promise<string> {
  return node.info(section).catch((error) => (isRefusal(error) ? '' : Promise.reject(error)))
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(?:ERR|NOPERM)\b/.test(error.message)
}

function describeSync(appendfsync: string | undefined): DurabilityReport {
  if (appendfsync === 'always') {
    return {
      durability:
        'Redis logs and syncs every write before it answers: an acknowledged write survives a crash and a power loss.',
      warnings: [],
    }
  }
  // With everysec Redis puts off even the write to the log, by up to two seconds, while an older sync is under way.
  const [often, loss] =
    appendfsync === 'everysec'
      ? ['once a second', 'a crash of Redis or a power loss can take the last two seconds']
      : ['when the system does', 'a power loss can take the last half minute or more']
  return {
    durability: `Redis logs every write and syncs the log ${often}: ${loss} of acknowledged writes.`,
    warnings: [
      `With appendfsync ${appendfsync} ${loss} of acknowledged writes. Set appendfsync always to keep them all.`,
    ],
  }
}

function describeWithoutLog(save: string | undefined): DurabilityReport {
  const durability = save
    ? `Redis keeps snapshots only (save ${save}): what was written since the last one is lost when Redis ends abruptly.`
    : 'Redis keeps nothing on disk: all data is gone when it ends.'
  return { durability, warnings: [`Acknowledged writes can be lost: Redis is not append-only. Set appendonly yes.`] }
}

function describeOne({ appendonly, appendfsync, save, ...rest }: RedisPersistence): DurabilityReport {
  if (appendonly === undefined) return UNKNOWN
  const { durability, warnings } = appendonly === 'yes' ? describeSync(appendfsync) : describeWithoutLog(save)
  const policy = rest['maxmemory-policy']
  if (policy === undefined || policy === 'noeviction') return { durability, warnings }
  const evicted = policy.startsWith('volatile') ? 'forgets rate limits' : 'deletes users and catches'
  const warning = `Redis ${evicted} when its memory is full: maxmemory-policy is ${policy}. Set it to noeviction.`
  return { durability, warnings: [...warnings, warning] }
}

/** The replicas that there are, and those that are waited for. */
interface Replication {
  /** Of each server; `undefined` where it does not tell. */
  readonly servers: readonly (Replicas | undefined)[]
  /** How many must have a write before it is acknowledged. */
  readonly replicas: number
}

function describeReplication({ servers, replicas }: Replication): DurabilityReport {
  if (replicas > 0) {
    const some = replicas === 1 ? '1 replica has' : `${replicas} replicas have`
    const short = servers.some((server) => server && server.online < replicas)
    return {
      durability: `A write is acknowledged once ${some} it too: a failover to a replica that has it keeps it.`,
      warnings: short
        ? [`No write is acknowledged until every primary has ${replicas} replicas in reach (FISH_REDIS_WAIT).`]
        : [],
    }
  }
  if (servers.includes(undefined)) {
    return {
      durability:
        'Whether there are replicas cannot be read: INFO is refused. A failover would lose acknowledged writes.',
      warnings: ['Redis does not tell whether it has replicas: INFO is refused. Set FISH_REDIS_WAIT to 1 if it has.'],
    }
  }
  if (servers.every((server) => server?.connected === 0)) return { durability: '', warnings: [] }
  return {
    durability: 'Replicas get writes later: a failover loses acknowledged writes that the replica does not have yet.',
    warnings: ['A failover can lose acknowledged writes. Set FISH_REDIS_WAIT to 1 to wait for a replica.'],
  }
}

/**
 * Says in words what the configuration of Redis means. Of several servers the one that keeps the least counts,
 * with the warnings of all.
 *
 * @example
 * const alone = { servers: [{ connected: 0, online: 0 }], replicas: 0 }
 * describeDurability([{ appendonly: 'yes', appendfsync: 'always' }], alone).warnings // []
 */
export function describeDurability(servers: readonly RedisPersistence[], replication: Replication): DurabilityReport {
  const reports = servers.map(describeOne)
  const worst = reports.reduce(
    (one, other) => (other.warnings.length > one.warnings.length ? other : one),
    reports[0] ?? UNKNOWN,
  )
  const replicated = describeReplication(replication)
  return {
    durability: `${worst.durability} ${replicated.durability}`.trim(),
    warnings: [...new Set([...reports, replicated].flatMap(({ warnings }) => warnings))],
  }
}

/** Whether servers, as they are configured, keep what they acknowledged through a crash, a power loss and a failover. */
export function keepsWrites(servers: readonly RedisPersistence[], replication: Replication): boolean {
  const isSynced = servers.every(({ appendonly, appendfsync }) => appendonly === 'yes' && appendfsync === 'always')
  return isSynced && (replication.replicas > 0 || replication.servers.every((server) => server?.connected === 0))
}

/** What {@link detectOlderData} takes. */
interface OlderDataOptions {
  /** Whether Redis, as it is configured, may lose what it acknowledged. */
  readonly mayLose: boolean
  /** Told such a loss, in a sentence for the operator. */
  readonly onDataLoss?: ((message: string) => void) | undefined
}

/** A connection that notices older data. */
export interface WatchedConnection {
  readonly connection: Connection
  /**
   * Compares what Redis holds with what it acknowledged.
   * @throws {StorageError} `replaced` where it holds less, and may not
   */
  verify(): Promise<void>
}

/**
 * Remembers the highest counts of changes that were acknowledged. A Redis whose counts are lower holds an older copy of
 * the data, such as a restored backup. Where it may lose writes, that is told, and the service goes on; else every
 * operation rejects until the newer data is back. A count comes with each change, so nothing more is asked for, but:
 * one server is asked after each reconnect, before anything else is. Nodes of a cluster come and go unnoticed.
 */
export function detectOlderData(inner: Connection, { mayLose, onDataLoss }: OlderDataOptions): WatchedConnection {
  const { client } = inner
  const acknowledged = new Map<string, number>()
  let [doubts, resolved] = [0, 0]
  let comparing: Promise<void> | undefined

  async function compare(): Promise<void> {
    const [turn, expected] = [doubts, [...acknowledged]]
    const found = await Promise.all(expected.map(([key]) => client.get(key)))
    let missing = 0
    for (const [index, [key, count]] of expected.entries()) {
      // A store without a count was emptied, or is another one: that is told by its id.
      const left = Number(found[index] ?? count)
      if (left >= count) continue
      missing += count - left
      if (mayLose) acknowledged.set(key, left)
    }
    if (missing > 0 && !mayLose) {
      doubts = Math.max(doubts, resolved + 1)
      throw olderData(missing)
    }
    resolved = turn
    if (missing > 0) onDataLoss?.(lossOf(missing))
  }

  function verify(): Promise<void> {
    comparing ??= compare().finally(() => {
      comparing = undefined
    })
    return comparing
  }

  async function resolve(): Promise<void> {
    while (doubts > resolved) await verify()
  }

  if (!client.isCluster) {
    client.on('close', () => {
      doubts += 1
    })
  }
  return {
    verify,
    connection: {
      ...inner,
      run: (operation, deadlineMs) =>
        inner.run(doubts > resolved ? () => resolve().then(operation) : operation, deadlineMs),
      async call(script, keys, args) {
        if (doubts > resolved) await inner.run(resolve)
        return inner.call(script, keys, args)
      },
      async write(script, keys, args) {
        if (doubts > resolved) await inner.run(resolve)
        if (!countsChanges(script)) return inner.write(script, keys, args)
        const key = writesKey(keys[0] ?? '', client.isCluster)
        const [count, answer] = (await inner.write(script, [...keys, key], args)) as [number, unknown]
        if (count > (acknowledged.get(key) ?? 0)) acknowledged.set(key, count)
        else if (count > 0) {
          doubts += 1
          await inner.run(resolve)
        }
        return answer
      },
    },
  }
}

function lossOf(missing: number): string {
  return `Redis came back without writes that it acknowledged, such as catches (at least ${missing}). As it is configured it may lose them: set appendonly yes and appendfsync always, and wait for its replicas.`
}

function olderData(missing: number): StorageError {
  return new StorageError(
    'replaced',
    `Redis holds older data than it acknowledged: writes are missing, such as catches (at least ${missing}). Restore the newer data; or restart all servers, to go on with what is there now.`,
  )
}
