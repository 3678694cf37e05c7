import { type ChainableCommander, Command } from 'ioredis'
import { closedError, StorageError } from '../core/errors.ts'
import type { Connection } from './connection.ts'
import { type Replication, readReplicas } from './durability.ts'
import { REPLICATED_KEY } from './keys.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

const MAX_BATCH = 256
/**
 * How often a Redis without a replica is asked for one, in milliseconds: twice as long after each one that confirms nothing,
 * such as a client that copies the data, up to the last.
 */
const POLL_MS = { first: 1000, last: 30_000 }

interface ReplicationOptions {
  /** How many replicas must have a write before it is acknowledged; at least 1. */
  readonly replicas: number
  /** How long an operation may take, in milliseconds. Replicas get half of it. */
  readonly timeoutMs: number
}

interface Write {
  readonly script: ScriptName
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
  /** On the clock of `performance`. */
  readonly since: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The writes for one primary: those that arrive during a `WAIT` are sent together with the next one. */
interface Queue {
  readonly waiting: Write[]
  isSending: boolean
}

/**
 * Runs scripts so that replicas have what they wrote, and what they read, before they return. `WAIT` confirms everything that a
 * primary had written when the last command of the same connection ran. So scripts and `WAIT` are one pipeline, never on two
 * connections of which the second leads to another primary; and a token that was stored before, but not confirmed, is
 * confirmed when it is sent again. `WAIT` blocks its connection: nothing else should use it.
 */
function createReplicatedWrites(
  { client, run }: Pick<Connection, 'client' | 'run'>,
  { replicas, timeoutMs }: ReplicationOptions,
): Connection['write'] {
  const waitMs = Math.floor(timeoutMs / 2)
  const queues = new Map<string, Queue>()

  function queueOf(key: string): Queue {
    const slot = new Command('get', [key]).getSlot() ?? 0
    const name = 'slots' in client ? (client.slots[slot]?.join() ?? '') : ''
    const queue = queues.get(name) ?? { waiting: [], isSending: false }
    queues.set(name, queue)
    return queue
  }

  async function send(writes: readonly Write[]): Promise<void> {
    const pipeline: ChainableCommander = client.pipeline()
    for (const { script, keys, args } of writes) {
      // Not by its hash: a script unknown to Redis would be sent again, after the WAIT.
      pipeline.eval(SCRIPTS[script].lua, keys.length, ...keys, ...args)
    }
    pipeline.wait(replicas, waitMs)
    const results = (await pipeline.exec()) ?? []
    const [unconfirmed, confirmedBy] = results[writes.length] ?? [new Error('WAIT was not answered')]
    const tooFew = Number(confirmedBy) >= replicas ? null : tooFewReplicas(Number(confirmedBy), replicas)
    if (results.some(([error]) => /^(?:MOVED|ASK) /.test(error?.message ?? '')) && 'slots' in client) {
      client.refreshSlotsCache()
    }
    writes.forEach(({ resolve, reject }, index) => {
      const [error, result] = results[index] ?? [null]
      const failure = error ?? unconfirmed ?? tooFew
      if (failure) reject(failure)
      else resolve(result)
    })
  }

  async function drain(queue: Queue): Promise<void> {
    if (queue.isSending) return
    queue.isSending = true
    while (queue.waiting.length > 0) {
      const oldest = performance.now() - (timeoutMs - waitMs)
      const writes = queue.waiting.splice(0, MAX_BATCH).filter((write) => {
        if (write.since < oldest) write.reject(new StorageError('unavailable', 'The Redis replicas are too slow.'))
        return write.since >= oldest
      })
      if (writes.length === 0) continue
      await send(writes).catch((error: unknown) => {
        for (const { reject } of writes) reject(error)
      })
    }
    queue.isSending = false
  }

  return (script, keys, args) =>
    run(
      () =>
        new Promise((resolve, reject) => {
          const queue = queueOf(keys[0] ?? '')
          queue.waiting.push({ script, keys, args, since: performance.now(), resolve, reject })
          void drain(queue)
        }),
    )
}

export interface ReplicatedConnectionOptions {
  /** @default 1 once a replica of every primary has confirmed a write, also before this start; 0 until then */
  readonly replicas: number | undefined
  readonly timeoutMs: number
  /** Opens another connection to the same Redis: `WAIT` blocks its connection, and reads must not wait. */
  readonly connectWriter: () => Promise<Connection>
  /** Rejects where the user may not wait for replicas. */
  readonly requireWait: () => Promise<void>
  /** A write to every primary that changes nothing. */
  readonly probe: (write: Connection['write']) => Promise<void>
  /** Called with a sentence for the operator when writes begin to wait, after the start, or why they cannot. */
  readonly onReplicated: ((message: string) => void) | undefined
}

/**
 * Makes the writes of a connection wait for replicas. By default they begin to once a replica of every primary has confirmed a
 * write, at any time, and never stop: Redis does not list a replica that is away, and it may come back as the primary. Not
 * once it is listed: a client that copies the data is, too, as is a replica that still loads what it got.
 */
export async function withReplicas(connection: Connection, options: ReplicatedConnectionOptions) {
  const { timeoutMs } = options
  let [write, writer] = [connection.write, undefined as Connection | undefined]
  let timer: NodeJS.Timeout | undefined
  let pollMs = POLL_MS.first
  let isClosed = false
  let isReported = false

  async function beginToWait({ replicas, isConfirmed }: Replication): Promise<void> {
    // Both lead to one address: after a failover, reads from the old server would be stale.
    const writes = await options.connectWriter()
    const confirmed = createReplicatedWrites(writes, { replicas, timeoutMs })
    try {
      if (!isConfirmed) {
        await options.probe(confirmed)
        // A full Redis refuses it. Then only a server that starts while the replica is away is less careful.
        await connection.run(() => connection.client.set(REPLICATED_KEY, 1)).catch(() => {})
      }
      if (isClosed) throw closedError()
    } catch (error) {
      await writes.close()
      throw error
    }
    writer = writes
    write = confirmed
    // Redis or a proxy may close a connection on which nothing is sent, and reads would leave theirs with it.
    timer = setInterval(() => {
      for (const node of writes.primaries()) node.ping().catch(() => {})
    }, timeoutMs).unref()
  }

  async function poll(): Promise<void> {
    const next = await readReplication(connection)
    if (next.replicas === 0 || isClosed) {
      pollMs = POLL_MS.first
      return
    }
    try {
      await options.requireWait()
      await beginToWait(next)
    } catch (error) {
      if (isClosed) return
      pollMs = Math.min(2 * pollMs, POLL_MS.last)
      if (isReported) return
      isReported = true
      const { message } = error as Error
      options.onReplicated?.(
        `Redis lists a replica, but writes cannot wait for it yet, and are acknowledged without it: ${message}`,
      )
      return
    }
    options.onReplicated?.('Redis has a replica now. From here on, a write is acknowledged once a replica has it too.')
  }

  function pollLater(): void {
    timer = setTimeout(async () => {
      await poll().catch(() => {})
      if (!writer && !isClosed) pollLater()
    }, pollMs).unref()
  }

  const replication = await readReplication(connection, options.replicas)
  let { replicas } = replication
  if (replicas > 0) {
    await options.requireWait()
    await beginToWait(replication).catch((error: unknown) => {
      if (replication.isConfirmed) throw error
      replicas = 0
    })
  }
  if (replicas === 0 && replication.isAutomatic) pollLater()
  return {
    /** As it is now. */
    replication: (): Replication => ({ ...replication, replicas: writer ? Math.max(1, replicas) : replicas }),
    connection: {
      ...connection,
      write: (script, keys, args) => write(script, keys, args),
      async close() {
        isClosed = true
        clearTimeout(timer)
        await Promise.all([connection.close(), writer?.close()])
      },
    } satisfies Connection,
  }
}

async function readReplication({ client, run, primaries }: Connection, replicas?: number): Promise<Replication> {
  const servers = await run(() => Promise.all(primaries().map(readReplicas)))
  if (replicas !== undefined) return { servers, replicas, isAutomatic: false, isConfirmed: true }
  const isConfirmed = (await run(() => client.exists(REPLICATED_KEY))) > 0
  const listed = Math.min(1, ...servers.map((server) => server?.online ?? 0))
  return { servers, replicas: isConfirmed ? 1 : listed, isAutomatic: true, isConfirmed }
}

function tooFewReplicas(count: number, wanted: number): StorageError {
  return new StorageError(
    'unavailable',
    `The write reached ${count} of ${wanted} Redis replicas (FISH_REDIS_WAIT). It can be sent again.`,
  )
}
