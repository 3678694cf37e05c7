import { Command, type Redis } from 'ioredis'
import { replacedError, StorageError } from '../core/errors.ts'
import { STORE_KEY } from '../core/keys.ts'
import type { Connection } from './connection.ts'
import { replicaRefusal } from './errors.ts'
import { probeKeys, writesKey } from './keys.ts'
import { countsChanges } from './scripts.ts'

export interface DurabilityReport {
  readonly durability: string
  readonly warnings: readonly string[]
}

interface RedisPersistence {
  readonly appendonly?: string
  readonly appendfsync?: string
  readonly 'maxmemory-policy'?: string
  readonly save?: string
}

const SETTINGS = ['appendonly', 'appendfsync', 'maxmemory-policy', 'save'] as const

const toReport = (durability: string, ...warnings: readonly string[]): DurabilityReport => ({ durability, warnings })

const UNKNOWN = toReport(
  'A write is as durable as Redis is configured, which is unknown: CONFIG GET is refused.',
  'The durability of Redis is unknown: CONFIG GET is refused. Make sure that appendonly is on and nothing is evicted.',
)

export async function readPersistence(node: Redis): Promise<RedisPersistence> {
  // One at a time: several names in one command need Redis 7.
  const replies = await Promise.all(
    SETTINGS.map((name) => node.config('GET', name).catch((error) => (isRefusal(error) ? [] : Promise.reject(error)))),
  )
  return Object.fromEntries((replies as string[][]).filter(([name]) => name !== undefined))
}

/** If INFO is refused, nothing is checked. @throws {StorageError} `unavailable` */
export async function refuseEviction(node: Redis): Promise<void> {
  // Not CONFIG, which hosted servers forbid more often.
  const [, policy] = /^maxmemory_policy:(allkeys\S*)/m.exec(await readInfo(node, 'memory')) ?? []
  if (policy === undefined) return
  throw new StorageError(
    'unavailable',
    `Redis deletes users and catches when its memory is full: maxmemory-policy is ${policy}. Set it to noeviction in the configuration of Redis, and with CONFIG SET maxmemory-policy noeviction.`,
  )
}

/**
 * Also one that accepts writes: its next synchronization discards them. If INFO is refused, nothing is checked.
 * @throws {StorageError} `read_only`
 */
export async function refuseReplica(node: Redis): Promise<void> {
  if (/^role:slave\b/m.test(await readInfo(node, 'replication'))) throw replicaRefusal()
}

interface Replicas {
  readonly connected: number
  /** Those that receive every write now; the others are still syncing. */
  readonly online: number
}

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
    return toReport(
      'Redis logs and syncs every write before it responds: an acknowledged write survives a crash and a power loss.',
    )
  }
  // With everysec, Redis also delays the write to the log, by up to two seconds, while an older sync is running.
  const [often, loss] =
    appendfsync === 'everysec'
      ? ['once a second', 'a crash of Redis or a power loss can lose the last two seconds']
      : ['when the system does', 'a power loss can lose the last half minute or more']
  return toReport(
    `Redis logs every write and syncs the log ${often}: ${loss} of acknowledged writes.`,
    `With appendfsync ${appendfsync} ${loss} of acknowledged writes. Set appendfsync always to keep them all.`,
  )
}

function describeOne({ appendonly, appendfsync, save, ...rest }: RedisPersistence): DurabilityReport {
  if (appendonly === undefined) return UNKNOWN
  const snapshots = save
    ? `Redis keeps snapshots only (save ${save}): what was written since the last one is lost when Redis ends abruptly.`
    : 'Redis stores nothing on disk: all data is lost when it ends.'
  const { durability, warnings } =
    appendonly === 'yes'
      ? describeSync(appendfsync)
      : toReport(snapshots, 'Acknowledged writes can be lost: Redis is not append-only. Set appendonly yes.')
  const policy = rest['maxmemory-policy']
  if (policy === undefined || policy === 'noeviction') return { durability, warnings }
  const evicted = policy.startsWith('volatile') ? 'deletes rate limits' : 'deletes users and catches'
  const warning = `Redis ${evicted} when its memory is full: maxmemory-policy is ${policy}. Set it to noeviction.`
  return toReport(durability, ...warnings, warning)
}

export interface Replication {
  /** Of each server; `undefined` if INFO is refused. */
  readonly servers: readonly (Replicas | undefined)[]
  /** How many must have a write before it is acknowledged. */
  readonly replicas: number
  /** Whether writes begin to wait for a replica as soon as there is one. */
  readonly isAutomatic: boolean
  /** Whether as many are known to confirm writes. */
  readonly isConfirmed: boolean
}

function describeReplication({ servers, replicas, isAutomatic }: Replication): DurabilityReport {
  if (replicas > 0) {
    const some = replicas === 1 ? '1 replica has' : `${replicas} replicas have`
    const tooFew = `No write is acknowledged until every primary has ${replicas} reachable replicas (FISH_REDIS_WAIT).`
    const short = servers.some((server) => server && server.online < replicas)
    return toReport(
      `A write is acknowledged once ${some} it too: a failover to a replica that has it keeps it.`,
      ...(short
        ? [`${tooFew}${isAutomatic ? ' If replicas were removed for good, set FISH_REDIS_WAIT to 0.' : ''}`]
        : []),
    )
  }
  if (servers.includes(undefined)) {
    return toReport(
      'The number of replicas is unknown: INFO is refused. A failover can lose acknowledged writes.',
      'The number of Redis replicas is unknown: INFO is refused. If there are any, set FISH_REDIS_WAIT to 1.',
    )
  }
  if (servers.every((server) => server?.connected === 0)) {
    return toReport(
      isAutomatic
        ? 'Redis has no replica; once one has joined, a write is acknowledged when a replica has it too.'
        : 'Replicas that join later are not waited for (FISH_REDIS_WAIT).',
    )
  }
  return toReport(
    'Replicas get writes later: a failover loses acknowledged writes that the replica does not have yet.',
    isAutomatic
      ? 'A failover can lose acknowledged writes until every primary has a replica that is online. Then, writes wait for it.'
      : 'A failover can lose acknowledged writes. Set FISH_REDIS_WAIT to 1 to wait for a replica.',
  )
}

/** Of the least durable server, with the warnings of all. */
export function describeDurability(servers: readonly RedisPersistence[], replication: Replication): DurabilityReport {
  const reports = servers.map(describeOne)
  const worst = reports.reduce(
    (one, other) => (other.warnings.length > one.warnings.length ? other : one),
    reports[0] ?? UNKNOWN,
  )
  const replicated = describeReplication(replication)
  const warnings = new Set([...reports, replicated].flatMap((report) => report.warnings))
  return toReport(`${worst.durability} ${replicated.durability}`.trim(), ...warnings)
}

/** Whether acknowledged writes survive a crash, a power loss and a failover. */
export function keepsWrites(servers: readonly RedisPersistence[], replication: Replication): boolean {
  const isSynced = servers.every(({ appendonly, appendfsync }) => appendonly === 'yes' && appendfsync === 'always')
  return isSynced && (replication.replicas > 0 || replication.servers.every((server) => server?.connected === 0))
}

export type WatchedConnection = ReturnType<typeof detectOlderData>

/**
 * Remembers the highest acknowledged counts of changes. A Redis with lower counts has an older copy of the data, such as a
 * restored backup. If it may lose writes, the loss is reported and the service continues; otherwise, and where a count is
 * missing because Redis was emptied, every operation rejects until the newer data is back. Each change returns its count,
 * so this needs no extra command, except after each reconnect to a single server, before anything else. Reconnects to
 * nodes of a cluster are not seen.
 *
 * @param mayLoseNow whether the configuration of Redis allows it to lose acknowledged writes
 */
export function detectOlderData(inner: Connection, mayLoseNow: () => boolean, onDataLoss?: (message: string) => void) {
  const { client } = inner
  const acknowledged = new Map<string, number>()
  // Invalidated at each reconnect or lower count, and verified by a comparison.
  let [invalidated, verified] = [0, 0]
  let comparing: Promise<void> | undefined

  async function compare(): Promise<void> {
    const [turn, expected, mayLose] = [invalidated, [...acknowledged], mayLoseNow()]
    const counts = await Promise.all(expected.map(([key]) => client.get(key)))
    const gone = expected.flatMap(([key], index) => (counts[index] === null ? [key] : []))
    if (gone.length > 0 && (!client.isCluster || (!mayLose && (await isEmptied(gone))))) {
      invalidated = Math.max(invalidated, verified + 1)
      throw replacedError()
    }
    // A part of a node without its first change, or a node of a cluster that may lose what it has.
    for (const key of gone) acknowledged.delete(key)
    let missing = mayLose ? gone.length : 0
    for (const [index, [key, count]] of expected.entries()) {
      const current = Number(counts[index] ?? count)
      if (current >= count) continue
      missing += count - current
      if (mayLose) acknowledged.set(key, current)
    }
    if (missing > 0 && !mayLose) {
      invalidated = Math.max(invalidated, verified + 1)
      throw olderData(missing)
    }
    verified = turn
    if (missing > 0) onDataLoss?.(dataLossError(missing))
  }

  /** Whether a node of one of these counts has no other count either. */
  async function isEmptied(gone: readonly string[]): Promise<boolean> {
    const keys = [...acknowledged.keys(), ...probeKeys().map((key) => writesKey(key, true))]
    const existing = await Promise.all(keys.map((key) => client.exists(key)))
    const nodes = new Set(keys.filter((_, index) => existing[index] === 1).map((key) => nodeOf(client, key)))
    return gone.some((key) => !nodes.has(nodeOf(client, key)))
  }

  /** @throws {StorageError} `replaced` if writes are missing that the configuration does not allow to lose */
  function verify(): Promise<void> {
    comparing ??= compare().finally(() => {
      comparing = undefined
    })
    return comparing
  }

  async function verifyAll(): Promise<void> {
    while (invalidated > verified) await verify()
  }

  if (!client.isCluster) {
    client.on('close', () => {
      invalidated += 1
    })
  }
  const connection: Connection = {
    ...inner,
    run: (operation, deadlineMs) =>
      inner.run(invalidated > verified ? () => verifyAll().then(operation) : operation, deadlineMs),
    async call(script, keys, args) {
      if (invalidated > verified) await inner.run(verifyAll)
      return inner.call(script, keys, args)
    },
    async write(script, keys, args) {
      // An import that finds its Redis emptied locks it again.
      const mayBegin = script === 'fishSetItem' && args[0] === STORE_KEY
      if (invalidated > verified && !mayBegin) await inner.run(verifyAll)
      if (!countsChanges(script)) return inner.write(script, keys, args)
      const key = writesKey(keys[0] ?? '', client.isCluster)
      const change = async () => {
        const mustExist = acknowledged.has(key) && !mayBegin ? '1' : '0'
        return (await inner.write(script, [...keys, key], [...args, mustExist])) as [number, unknown]
      }
      const [count, result] = await change().catch(async (error: unknown) => {
        if (!(error instanceof StorageError && error.code === 'replaced')) throw error
        await inner.run(verify)
        return change()
      })
      if (count > (acknowledged.get(key) ?? 0)) acknowledged.set(key, count)
      else if (count > 0) {
        invalidated += 1
        await inner.run(verifyAll)
      }
      return result
    },
  }
  return { verify, connection }
}

/** The address of the node of a cluster that a key is on; of a single server, always the same. */
export function nodeOf(client: Connection['client'], key: string): string | undefined {
  return 'slots' in client ? client.slots[new Command('get', [key]).getSlot() ?? 0]?.[0] : ''
}

function dataLossError(missing: number): string {
  return `Redis came back without writes that it acknowledged, such as catches (at least ${missing}). As it is configured it may lose them: set appendonly yes and appendfsync always, and wait for its replicas.`
}

function olderData(missing: number): StorageError {
  return new StorageError(
    'replaced',
    `Redis has older data than it acknowledged: at least ${missing} writes are missing, such as catches. Restore the newer data, or restart all servers to continue with the current data.`,
  )
}
