import { type ChainableCommander, type Cluster, Command, type Redis } from 'ioredis'
import { StorageError } from '../core/errors.ts'
import { adviceError, REPLICA } from './errors.ts'
import { type CallScript, SCRIPTS } from './scripts.ts'

/** The sentence for each persistence mode of Redis, the least durable mode first. */
const PERSISTENCE = {
  unknown: 'It is unknown whether Redis keeps writes: CONFIG GET is refused.',
  off: 'Redis keeps no log of writes (appendonly no): a crash may lose everything since its last snapshot.',
  no: 'Redis keeps writes with appendonly, flushed by the system: a power loss may lose the last half minute or more.',
  // Redis also delays a write by up to two seconds while an older flush is running.
  everysec: 'Redis keeps writes with appendonly every second: a crash may lose up to two seconds.',
  always: 'Redis keeps writes with appendonly always: an acknowledged write survives a crash and a power loss.',
} as const

type Persistence = keyof typeof PERSISTENCE

const APPEND_ONLY = 'Run: redis-cli CONFIG SET appendonly yes'

/**
 * Describes the durability of the least durable server. @throws {StorageError} if a server is a replica or evicts keys
 * without an expiry
 */
export async function describeDurability(nodes: readonly Redis[], replicas: number) {
  const found = await Promise.all(nodes.map(readPersistence))
  const connected = await Promise.all(nodes.map(checkPrimary))
  const policies = await Promise.all(nodes.map(checkEviction))
  const worst = (Object.keys(PERSISTENCE) as Persistence[]).find((each) => found.includes(each)) ?? 'unknown'
  const warnings: string[] = []
  if (worst === 'off') warnings.push(`Redis is not append-only and may lose acknowledged writes. ${APPEND_ONLY}`)
  const evicting = policies.find((policy) => policy?.startsWith('volatile'))
  if (evicting) warnings.push(`Redis may delete rate limits: maxmemory-policy is ${evicting}. Set it to noeviction.`)
  return { durability: `${PERSISTENCE[worst]}${describeReplicas(connected, replicas)}`, warnings }
}

function describeReplicas(connected: readonly (string | undefined)[], replicas: number): string {
  const fewest = Math.min(...connected.map((count) => Number(count ?? Number.POSITIVE_INFINITY)))
  if (replicas > 0) {
    const missing = fewest < replicas ? `; a primary has ${fewest} now, so writes fail` : ''
    const confirmed = replicas === 1 ? '1 replica of its primary has' : `${replicas} replicas of its primary have`
    return ` A write is acknowledged when ${confirmed} it${missing}.`
  }
  if (connected.every((count) => count === '0')) return ''
  const condition = connected.includes(undefined) ? 'If Redis has replicas, a' : 'A'
  return ` ${condition} failover may lose acknowledged writes; set FISH_REDIS_WAIT=1 to wait for a replica.`
}

async function readPersistence(node: Redis): Promise<Persistence> {
  // Reads one setting at a time: several names in one command need Redis 7.
  const read = async (name: string) =>
    ((await node.config('GET', name).catch(unlessRefused)) as string[] | undefined)?.[1]
  const [appendonly, appendfsync = ''] = await Promise.all([read('appendonly'), read('appendfsync')])
  if (appendonly === undefined) return 'unknown'
  if (appendonly !== 'yes') return 'off'
  return appendfsync in PERSISTENCE ? (appendfsync as Persistence) : 'unknown'
}

/** Reads fields of an INFO report. Each field is `undefined` if Redis refuses INFO. */
async function readInfo(node: Redis, section: string, fields: readonly string[]) {
  const report = (await node.info(section).catch(unlessRefused)) ?? ''
  return fields.map((field) => new RegExp(`^${field}:(\\S*)`, 'm').exec(report)?.[1])
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Error && /^(?:ERR|NOPERM)\b/.test(error.message))) throw error
}

/** The eviction policy. @throws {StorageError} `unavailable` if the policy also evicts keys without an expiry */
export async function checkEviction(node: Redis): Promise<string | undefined> {
  // Use INFO instead of CONFIG, because hosted servers often forbid CONFIG.
  const [policy] = await readInfo(node, 'memory', ['maxmemory_policy'])
  if (!policy?.startsWith('allkeys')) return policy
  throw new StorageError(
    'unavailable',
    `Redis deletes users and catches when its memory is full: maxmemory-policy is ${policy}.`,
    {
      hint: 'Set it to noeviction in the configuration of Redis, and with CONFIG SET maxmemory-policy noeviction.',
    },
  )
}

/**
 * Returns the number of connected replicas, `undefined` if unknown. Rejects even a replica that accepts writes, because
 * the next synchronization discards these writes.
 *
 * @throws {StorageError} `read_only` for a replica
 */
async function checkPrimary(node: Redis): Promise<string | undefined> {
  const [role, connected] = await readInfo(node, 'replication', ['role', 'connected_slaves'])
  if (role === 'slave') throw adviceError(REPLICA)
  return connected
}

/** Maximum number of writes that share a `WAIT`. */
const MAX_BATCH = 256

interface Write {
  readonly call: Parameters<CallScript>
  /** The time at which the write was requested, from `performance.now()`. */
  readonly since: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The writes for one primary. Writes that arrive during a `WAIT` share the next `WAIT`. */
interface Queue {
  readonly waiting: Write[]
  isSending: boolean
}

interface WaitContext {
  readonly client: Redis | Cluster
  readonly run: (operation: () => Promise<unknown>) => Promise<unknown>
  readonly replicas: number
  readonly timeoutMs: number
}

/**
 * Runs scripts, and returns a result only when replicas have the writes and the data that the result is based on.
 * `WAIT` confirms everything that a primary had written when the previous command of the same connection ran. Therefore
 * scripts and `WAIT` are one pipeline. If a client repeats a token because the record was not confirmed, the pipeline
 * of the second request confirms the record.
 */
export function waitForReplicas({ client, run, replicas, timeoutMs }: WaitContext): CallScript {
  const waitMs = Math.floor(timeoutMs / 2)
  const queues = new Map<string, Queue>()

  async function send(writes: readonly Write[]): Promise<void> {
    const pipeline: ChainableCommander = client.pipeline()
    for (const { call } of writes) {
      const [script, keys, args] = call
      // Sends the source of the script. If the hash were sent and Redis did not know it, the script would run after the
      // WAIT.
      pipeline.eval(SCRIPTS[script], keys.length, ...keys, ...args)
    }
    const results = (await pipeline.wait(replicas, waitMs).exec()) ?? []
    const [error, count] = results[writes.length] ?? [new Error('WAIT got no reply')]
    const unconfirmed = error ?? (Number(count) >= replicas ? null : tooFewReplicas(Number(count), replicas))
    if ('slots' in client && results.some(([each]) => /^(?:MOVED|ASK) /.test(each?.message ?? ''))) {
      client.refreshSlotsCache()
    }
    writes.forEach(({ resolve, reject }, index) => {
      const [refused, result] = results[index] ?? [null]
      if (refused ?? unconfirmed) reject(refused ?? unconfirmed)
      else resolve(result)
    })
  }

  async function drain(queue: Queue): Promise<void> {
    if (queue.isSending) return
    queue.isSending = true
    while (queue.waiting.length > 0) {
      const oldest = performance.now() - (timeoutMs - waitMs)
      const batch = queue.waiting.splice(0, MAX_BATCH)
      // Skip older writes, because their callers no longer wait.
      const writes = batch.filter(({ since }) => since >= oldest)
      const fail = (error: unknown) => {
        for (const { reject } of batch) reject(error)
      }
      if (writes.length > 0) await send(writes).catch(fail)
      fail(new StorageError('unavailable', 'The Redis replicas are too slow.'))
    }
    queue.isSending = false
  }

  return (...call) =>
    run(() => {
      const node = nodeOf(client, call[1][0] ?? '')
      const queue = queues.get(node) ?? { waiting: [], isSending: false }
      queues.set(node, queue)
      return new Promise((resolve, reject) => {
        queue.waiting.push({ call, since: performance.now(), resolve, reject })
        void drain(queue)
      })
    })
}

/** The address of the primary for a key in a cluster, or an empty text for a single server. */
export function nodeOf(client: Redis | Cluster, key: string): string {
  return 'slots' in client ? (client.slots[new Command('get', [key]).getSlot() ?? 0]?.[0] ?? '') : ''
}

function tooFewReplicas(count: number, wanted: number): StorageError {
  return new StorageError(
    'unavailable',
    `The write reached ${count} of ${wanted} Redis replicas (FISH_REDIS_WAIT). It can be sent again.`,
  )
}
