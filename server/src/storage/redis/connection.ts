import type { Cluster, Redis } from 'ioredis'
import type { Driver } from 'unstorage'
import redisDriver from 'unstorage/drivers/redis'
import { withDeadline } from '../core/deadline.ts'
import { closedError, StorageError } from '../core/errors.ts'
import type { RedisClusterTarget, RedisTarget } from './address.ts'
import { waitForReplicas } from './durability.ts'
import { isSpecific, toStorageError } from './errors.ts'
import { ITEM_BASE } from './keys.ts'
import { type CallScript, SCRIPTS } from './scripts.ts'

/** How long Redis may take to load its data at the start of the service, in milliseconds. */
const START_MS = 30_000
/** Time until the client closes an abandoned connection, in milliseconds. */
const DISCONNECT_MS = 100
/** How often to poll a Redis that is loading its data, in milliseconds. */
const LOADING_MS = 100
/** How often to refresh the nodes of a cluster, in milliseconds, so that a lost node is found again without traffic. */
const REFRESH_MS = 3000

/** A connection to one server, or a connection to each server of a cluster. */
export interface Link extends OperationRunner {
  readonly client: Redis | Cluster
  /** The Redis driver of unstorage, on the same client. */
  readonly unstorageDriver: Driver
  readonly call: CallScript
  /** Replaces the connection to a single server with a new connection to the same address. */
  leave(): void
  primaries(): readonly Redis[]
}

export interface Connection extends Link {
  /**
   * Like `call`, but on a separate connection for reads of whole collections, because large reads delay all other
   * commands on a connection.
   */
  readonly read: CallScript
  /** Like `call`, but for acknowledged operations: also waits for replicas, if replicas are configured. */
  readonly write: CallScript
  readonly links: readonly Link[]
}

const retryDelay = (times: number) => Math.min(50 * times, 500)

/**
 * The client does not queue commands while the connection is lost, and does not repeat commands: the caller decides
 * whether to repeat a command.
 */
function createUnstorageDriver(target: RedisTarget | RedisClusterTarget, timeoutMs: number) {
  const { username, password, tls } = target
  const options = {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    disconnectTimeout: DISCONNECT_MS,
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: LOADING_MS,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    connectionName: 'fish-crab',
    keepAlive: 10_000,
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(tls ? { tls: {} } : {}),
  }
  const base = ITEM_BASE
  if (!('nodes' in target)) {
    const { host, port, db } = target
    return redisDriver({
      ...options,
      ...{ base, host, port, db, retryStrategy: retryDelay },
      enableOfflineQueue: false,
      // Commands that are sent in the same turn of the event loop share a round trip. In a cluster, such a batch fails
      // if a slot has no server.
      enableAutoPipelining: true,
    })
  }
  return redisDriver({
    base,
    cluster: [...target.nodes],
    clusterOptions: {
      lazyConnect: true,
      clusterRetryStrategy: retryDelay,
      slotsRefreshInterval: REFRESH_MS,
      slotsRefreshTimeout: timeoutMs,
      // Do not repeat commands: a command whose reply was lost may have been executed.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      // Drops a silent node and reconnects to the node. This option is only safe if connections are not reopened on the
      // same object.
      redisOptions: { ...options, socketTimeout: timeoutMs },
      // Certificates contain host names, so host names must not be resolved to addresses here.
      ...(tls ? { dnsLookup: (host: string, done: (error: null, address: string) => void) => done(null, host) } : {}),
    },
  })
}

/**
 * Opens connections that are reestablished automatically. When one connection is lost, all connections are replaced:
 * after a failover, the address may lead to another server, and the old connections would return stale data.
 */
export async function connect(target: RedisTarget | RedisClusterTarget, timeoutMs: number, replicas: number) {
  const links: Link[] = []
  const close = async () => void (await Promise.all(links.map((link) => link.close())))
  const open = async () => {
    const link = await openLink(target, timeoutMs, () => {
      for (const each of links) each.leave()
    })
    links.push(link)
    return link
  }
  try {
    const main = await open()
    const read = (await open()).call
    // `WAIT` blocks its connection, so writes have a separate connection.
    const write = replicas > 0 ? waitForReplicas({ ...(await open()), replicas, timeoutMs }) : main.call
    return { ...main, read, write, links, close } satisfies Connection
  } catch (error) {
    await close()
    throw error
  }
}

/** @param onLost called when the connection is stale, or is closed without a call of `leave` or `close` */
async function openLink(
  target: RedisTarget | RedisClusterTarget,
  timeoutMs: number,
  onLost: () => void,
): Promise<Link> {
  const unstorageDriver = createUnstorageDriver(target, timeoutMs)
  const client = unstorageDriver.getInstance?.()
  if (!client) throw new StorageError('unavailable', 'The Redis client could not be created.')
  for (const [name, lua] of Object.entries(SCRIPTS)) client.defineCommand(name, { lua })

  let lastError: unknown
  const record = (error: unknown) => {
    if (lastError === undefined || isSpecific(error)) lastError = error
  }
  client.on('error', record)
  client.on('node error', record)
  client.on('ready', () => {
    lastError = undefined
  })
  // While the connection is being replaced, `client.status` stays `ready`, so a flag is needed.
  let isLeaving = false
  let isClosing = false
  client.on('close', () => {
    const wasLeft = isLeaving
    isLeaving = false
    if (!isClosing && !wasLeft) onLost()
  })

  const disconnect = () =>
    new Promise<void>((resolve) => {
      // Between two attempts to connect, the client does not emit `end`, so a timer is needed.
      const timer = setTimeout(resolve, 2 * DISCONNECT_MS)
      client.once('end', () => {
        clearTimeout(timer)
        resolve()
      })
      client.disconnect()
    })
  const leave = () => {
    if (client.isCluster || client.status !== 'ready' || isLeaving || isClosing) return
    isLeaving = true
    client.disconnect(true)
  }
  const runner = createOperationRunner(timeoutMs, {
    isReady: () => client.status === 'ready' && !isLeaving,
    lastError: () => lastError,
    onLost,
  })
  try {
    await withDeadline(client.connect(), START_MS, () => new Error(`it was not ready within ${START_MS / 1000} s`))
    // The client itself would silently continue in database 0 if the configured database does not exist.
    if ('db' in target && target.db > 0) await client.select(target.db)
  } catch (error) {
    await disconnect()
    throw withTlsHint(toStorageError(error, lastError), target)
  }
  const scripts = client as unknown as Record<
    Parameters<CallScript>[0],
    (...args: readonly (string | number)[]) => Promise<unknown>
  >
  const call: CallScript = (script, keys, args) => {
    const send = () => scripts[script](keys.length, ...keys, ...args)
    const load = async (error: unknown) => {
      // SCRIPT FLUSH causes NOSCRIPT: in a pipeline, the client does not reload a script that it loaded before.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT')) || client.isCluster) throw error
      await client.script('LOAD', SCRIPTS[script])
      return send()
    }
    return runner.run(() => send().catch(load))
  }
  const primaries = () => ('nodes' in client ? client.nodes('master') : [client])
  // Regular pings keep the connection open: Redis or a proxy may close an idle connection.
  const heartbeat = setInterval(() => {
    for (const node of primaries()) node.ping().catch(() => {})
  }, timeoutMs).unref()
  const close = async () => {
    isClosing = true
    clearInterval(heartbeat)
    await runner.close()
    await disconnect()
  }
  return { client, unstorageDriver, run: runner.run, call, leave, primaries, close }
}

/** Errors of a frozen or demoted server. The address may already lead to another server. */
const STALE_CONNECTION = /^Command timed out$|\bREADONLY\b/

/** Limits pending operations: while Redis is frozen, each operation uses memory until its deadline. */
const MAX_PENDING = 4096

type OperationRunner = ReturnType<typeof createOperationRunner>

/**
 * Runs every operation. An operation fails at its deadline, fails immediately if there is no connection, and never
 * starts after `close`.
 */
function createOperationRunner(
  timeoutMs: number,
  { isReady, lastError, onLost }: Record<'isReady' | 'lastError' | 'onLost', () => unknown>,
) {
  let closed = false
  let pending = 0
  let idle = () => {}

  function check(): void {
    if (closed) throw closedError()
    if (!isReady()) throw toStorageError(new Error('there is no connection'), lastError())
    if (pending >= MAX_PENDING) {
      throw new StorageError('unavailable', `Redis is too slow: ${pending} operations are waiting.`, {
        hint: 'Try again later.',
      })
    }
  }

  return {
    /** Every error becomes a `StorageError`. @param deadlineMs @default the timeout of the connection */
    async run<T>(operation: () => Promise<T>, deadlineMs: number = timeoutMs): Promise<T> {
      check()
      pending += 1
      try {
        const reply = operation()
        // After a deadline, no code awaits `reply` anymore, but an error of a stale connection must still replace the
        // connection.
        reply.catch((error) => {
          if (error instanceof Error && STALE_CONNECTION.test(error.message)) onLost()
        })
        const late = () => {
          // The timeout of the client ends a little later. If Redis responded in between, the stale connection would
          // stay in use.
          if (deadlineMs >= timeoutMs) onLost()
          return new StorageError('unavailable', `Redis did not respond within ${deadlineMs} ms.`)
        }
        return await withDeadline(reply, deadlineMs, late)
      } catch (error) {
        throw toStorageError(error, lastError())
      } finally {
        pending -= 1
        if (pending === 0) idle()
      }
    },
    /** Rejects new operations, and resolves when all pending operations have settled. */
    close(): Promise<void> {
      closed = true
      return new Promise((resolve) => {
        idle = resolve
        if (pending === 0) resolve()
      })
    },
  }
}

/** Errors of a first connection that a wrong scheme causes too. They do not name TLS. */
const PERHAPS_TLS = /\b(?:ETIMEDOUT|ECONNRESET|timeout|no connection|not ready)\b/

function withTlsHint(error: StorageError, target: RedisTarget | RedisClusterTarget): StorageError {
  if (error.hint !== undefined || !PERHAPS_TLS.test(error.problem)) return error
  const [condition, scheme] = target.tls ? ['has no TLS', 'redis'] : ['uses TLS', 'rediss']
  const hint = `If this Redis ${condition}, begin FISH_STORAGE with ${scheme}${'nodes' in target ? '-cluster' : ''}://.`
  return new StorageError(error.code, error.problem, { hint, cause: error.cause })
}
