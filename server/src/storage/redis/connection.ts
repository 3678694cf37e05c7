import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Cluster, Redis } from 'ioredis'
import type { Driver } from 'unstorage'
import redisDriver from 'unstorage/drivers/redis'
import { withDeadline } from '../deadline.ts'
import { closedError, StorageError } from '../errors.ts'
import type { RedisClusterTarget, RedisTarget } from './address.ts'
import { tellsWhy, toStorageError } from './errors.ts'
import { ITEM_BASE } from './keys.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

/** Operations under way at once: what a frozen Redis can pile up in memory until their deadlines. */
const MOST_UNDER_WAY = 4096

/** What a {@link OperationRunner} knows of the connection. */
interface RunnerContext {
  /** How long an operation may take, in milliseconds. */
  readonly timeoutMs: number
  readonly isReady: () => boolean
  /** What the connection suffers from, if anything. */
  readonly trouble: () => unknown
  /** A command got no answer in time. */
  readonly onSilence: () => void
}

/** Where every operation passes: none waits for ever, none waits for a connection, none starts after the end. */
interface OperationRunner {
  /**
   * Runs an operation. Every error becomes a `StorageError`.
   *
   * @param deadlineMs @default the gate's
   */
  run<T>(operation: () => Promise<T>, deadlineMs?: number): Promise<T>
  /** Refuses new operations and settles when those under way have. */
  close(): Promise<void>
}

function silence(ms: number): StorageError {
  return new StorageError('unavailable', `Redis did not answer within ${ms} ms. It may be sent again.`)
}

/** Makes a {@link OperationRunner}. */
function createOperationRunner({ timeoutMs, isReady, trouble, onSilence }: RunnerContext): OperationRunner {
  let closed = false
  let underWay = 0
  let idle = () => {}

  function check(): void {
    if (closed) throw closedError()
    if (!isReady()) throw toStorageError(new Error('there is no connection'), trouble())
    if (underWay >= MOST_UNDER_WAY) {
      throw new StorageError('unavailable', `Redis is too slow: ${underWay} operations wait for it. Try again later.`)
    }
  }

  return {
    async run(operation, deadlineMs = timeoutMs) {
      check()
      underWay += 1
      try {
        const answer = operation()
        // The client's own timeout: also when the deadline here was shorter, and its error is no longer awaited.
        answer.catch((error) => {
          if (error instanceof Error && error.message === 'Command timed out') onSilence()
        })
        return await withDeadline(answer, deadlineMs, () => silence(deadlineMs))
      } catch (error) {
        throw toStorageError(error, trouble())
      } finally {
        underWay -= 1
        if (underWay === 0) idle()
      }
    },
    close() {
      closed = true
      return new Promise((resolve) => {
        idle = resolve
        if (underWay === 0) resolve()
      })
    },
  }
}

/** How long a server may take to show whether it speaks TLS, in milliseconds. */
const ANSWER_MS = 1000

function settles(socket: Socket, event: 'secureConnect' | 'data', isYes: (data: unknown) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(ANSWER_MS, () => settle(false))
    socket.on('error', () => settle(false))
    socket.on('close', () => settle(false))
    socket.on(event, (data: unknown) => settle(isYes(data)))
  })
}

/**
 * Adds to an error of the first connection that the address says TLS where Redis has none, or the reverse. The server
 * is asked, because what the client makes of it looks like many other troubles. It is told nothing, no login either.
 */
async function withTlsHint(error: StorageError, target: RedisTarget | RedisClusterTarget): Promise<StorageError> {
  const [node] = 'nodes' in target ? target.nodes : [target]
  // Whoever was answered speaks as the other side does.
  const isAnswered = error.cause instanceof Error && error.cause.name === 'ReplyError'
  if (error.code !== 'unavailable' || isAnswered || !node) return error
  const { host, port } = node
  const isOther = target.tls
    ? settles(connectPlain({ host, port }).once('connect', ping), 'data', (data) => /^[+-]/.test(String(data)))
    : settles(connectTls({ host, port, rejectUnauthorized: false }), 'secureConnect', () => true)
  if (!(await isOther)) return error
  const scheme = `redis${target.tls ? '' : 's'}${'nodes' in target ? '-cluster' : ''}`
  const hint = `This is a Redis ${target.tls ? 'without' : 'with'} TLS: FISH_STORAGE must begin with ${scheme}://.`
  return new StorageError(error.code, `${error.message} ${hint}`, { cause: error.cause })
}

function ping(this: Socket): void {
  this.write('PING\r\n')
}

/** How long Redis may take to load its data when the service starts, in milliseconds. */
const START_MS = 30_000
/** A connection that is given up is cut after this time, in milliseconds. */
const FAREWELL_MS = 100
/** How often a Redis that is loading its data is asked whether it has, in milliseconds. */
const LOADING_MS = 100
/** How often the nodes of a cluster are asked for, in milliseconds: what brings a lost node back without traffic. */
const REFRESH_MS = 3000

/** An open connection to Redis. */
export interface Connection extends OperationRunner {
  readonly client: Redis | Cluster
  /** unstorage's own driver on the same client. */
  readonly stock: Driver
  /** Runs a script with its keys and arguments. */
  call(script: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
  /** As `call`, for what is acknowledged: replicas have it as well where that was asked for. */
  write(script: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
  /** Every server that holds data. */
  primaries(): readonly Redis[]
}

const retryDelay = (times: number) => Math.min(50 * times, 500)

/** Nothing is queued while there is no connection, and nothing is sent again by itself: the caller hears of it. */
function commonOptions(timeoutMs: number) {
  return {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    disconnectTimeout: FAREWELL_MS,
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: LOADING_MS,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    connectionName: 'fish-crab',
    keepAlive: 10_000,
  }
}

function openStock(target: RedisTarget | RedisClusterTarget, timeoutMs: number) {
  const { username, password, tls } = target
  const login = { ...(username ? { username } : {}), ...(password ? { password } : {}), ...(tls ? { tls: {} } : {}) }
  const options = { ...commonOptions(timeoutMs), ...login }
  if (!('nodes' in target)) {
    const { host, port, db } = target
    return redisDriver({
      ...options,
      base: ITEM_BASE,
      host,
      port,
      db,
      enableOfflineQueue: false,
      retryStrategy: retryDelay,
    })
  }
  return redisDriver({
    base: ITEM_BASE,
    cluster: [...target.nodes],
    clusterOptions: {
      lazyConnect: true,
      clusterRetryStrategy: retryDelay,
      slotsRefreshInterval: REFRESH_MS,
      slotsRefreshTimeout: timeoutMs,
      // A command whose answer was lost may have been carried out: the caller decides, not the client.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      // A silent node is dropped and found again. Only safe where connections do not come back on the same object.
      redisOptions: { ...options, socketTimeout: timeoutMs },
      // Certificates name hosts, so hosts are not looked up beforehand.
      ...(tls ? { dnsLookup: (host: string, done: (error: null, address: string) => void) => done(null, host) } : {}),
    },
  })
}

function connectWithin<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`it was not ready within ${ms / 1000} s`)), ms)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/**
 * Connects; from then on the connection comes back by itself.
 *
 * @throws {StorageError} `unavailable`
 */
export async function connect(target: RedisTarget | RedisClusterTarget, timeoutMs: number): Promise<Connection> {
  const stock = openStock(target, timeoutMs)
  const client = stock.getInstance?.()
  if (!client) throw new StorageError('unavailable', 'The Redis client could not be made.')
  for (const [name, script] of Object.entries(SCRIPTS)) client.defineCommand(name, script)

  let trouble: unknown
  const note = (error: unknown) => {
    if (trouble === undefined || tellsWhy(error)) trouble = error
  }
  client.on('error', note)
  client.on('node error', note)
  client.on('ready', () => {
    trouble = undefined
  })
  // The status stays `ready` until the old connection is closed.
  let isLeaving = false
  client.on('close', () => {
    isLeaving = false
  })

  const disconnect = () =>
    new Promise<void>((resolve) => {
      // Between two attempts to connect there is nothing that could end.
      const timer = setTimeout(resolve, 2 * FAREWELL_MS)
      client.once('end', () => {
        clearTimeout(timer)
        resolve()
      })
      client.disconnect()
    })
  const gate = createOperationRunner({
    timeoutMs,
    isReady: () => client.status === 'ready' && !isLeaving,
    trouble: () => trouble,
    onSilence: () => {
      if (client.isCluster || client.status !== 'ready' || isLeaving) return
      isLeaving = true
      client.disconnect(true)
    },
  })
  try {
    await connectWithin(client.connect(), START_MS)
    // The client itself goes on in database 0 when there is none of this number.
    if ('db' in target && target.db > 0) await client.select(target.db)
  } catch (error) {
    await disconnect()
    throw await withTlsHint(toStorageError(error, trouble), target)
  }
  const scripts = client as unknown as Record<ScriptName, (...args: readonly (string | number)[]) => Promise<unknown>>
  const call: Connection['call'] = (script, keys, args) => gate.run(() => scripts[script](...keys, ...args))
  return {
    client,
    stock,
    run: gate.run,
    call,
    write: call,
    primaries: () => ('nodes' in client ? client.nodes('master') : [client]),
    close: async () => {
      await gate.close()
      await disconnect()
    },
  }
}
