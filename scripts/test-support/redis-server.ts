import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, test } from 'vitest'

/** The reason why this machine cannot run a real Redis, or `undefined` if it can. */
export const REDIS_MISSING =
  spawnSync('redis-server', ['--version']).status === 0
    ? undefined
    : 'redis-server is not installed (Debian package: redis-server)'

/**
 * Describes tests that need a real Redis. Without Redis, the tests are skipped with the reason, or fail if `CI=true`.
 */
export function describeWithRedis(name: string, body: () => void): void {
  if (REDIS_MISSING === undefined) {
    describe(name, body)
    return
  }
  test(name, ({ skip }) => {
    if (process.env.CI) throw new Error(REDIS_MISSING)
    skip(REDIS_MISSING)
  })
}

/** A real Redis process with its own folder. */
export interface RedisServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** A separate client for the test. */
  readonly admin: Redis
  /** Pauses the process. The kernel still accepts connections and bytes. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Kills the process. */
  readonly kill: () => Promise<void>
  /** Starts Redis again with the same port and data. */
  readonly start: () => Promise<void>
  /** Copies the data on disk. The returned function kills the process and starts Redis again with the copied data. */
  readonly copyData: () => () => Promise<void>
  /** Kills the process and removes the data. */
  readonly stop: () => Promise<void>
}

/**
 * Finds a free port outside the system's range of ephemeral ports. The system could give an ephemeral port to another
 * process before the test uses the port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

async function launch(file: string): Promise<ChildProcess> {
  const child = spawn('redis-server', [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let log = ''
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      log += piece
      if (/Ready to accept connections/.test(log)) resolve()
    })
    child.once('exit', () => reject(new Error(`redis-server ended: ${log}`)))
  })
  await ready
  return child
}

/**
 * Starts Redis on a free port of the loopback interface and waits until it responds.
 *
 * @param settings such as `{ appendfsync: 'always' }`. By default, Redis writes an append-only file and no snapshots
 */
export async function startRedis(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fish-redis-'))
  const port = await freePort()
  const file = join(folder, 'redis.conf')
  const all = { dir: folder, bind: '127.0.0.1', port: String(port), appendonly: 'yes', save: '', ...settings }
  writeFileSync(
    file,
    Object.entries(all)
      .map(([name, value]) => `${name} ${value || '""'}\n`)
      .join(''),
  )
  let child = await launch(file)
  const admin = new Redis({
    port,
    lazyConnect: true,
    ...(settings.requirepass ? { password: settings.requirepass } : {}),
  })
  admin.on('error', () => {})
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const stop = async () => {
    admin.disconnect()
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    admin,
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    kill,
    start: async () => {
      child = await launch(file)
    },
    copyData: () => {
      const [data, copy] = [join(folder, 'appendonlydir'), mkdtempSync(join(folder, 'copy-'))]
      cpSync(data, copy, { recursive: true })
      return async () => {
        await kill()
        rmSync(data, { recursive: true })
        cpSync(copy, data, { recursive: true })
        child = await launch(file)
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Polls every 20 ms until the result is true. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/**
 * Starts a cluster of three servers, each with a third of the slots, and waits until all servers report that the
 * cluster works.
 */
export async function startCluster(): Promise<readonly RedisServer[]> {
  const servers = await Promise.all(
    Array.from({ length: 3 }, async () =>
      startRedis({
        appendfsync: 'always',
        'cluster-enabled': 'yes',
        'cluster-node-timeout': '1000',
        'repl-diskless-sync-delay': '0',
        'cluster-port': String(await freePort()),
      }),
    ),
  )
  await Promise.all(
    servers.map(async ({ admin }, index) => {
      const [first, behind] = [0, 1].map((step) => Math.floor((16_384 * (index + step)) / 3))
      await admin.cluster('SET-CONFIG-EPOCH', index + 1)
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', String(first), String((behind ?? 0) - 1))
    }),
  )
  for (const { admin, port } of servers.slice(1)) {
    const [, , busPort] = /:(\d+)@(\d+)/.exec(String(await admin.cluster('NODES'))) ?? []
    await servers[0]?.admin.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort))
  }
  const isWhole = async ({ admin }: RedisServer) => {
    const info = String(await admin.cluster('INFO'))
    return info.includes('cluster_state:ok') && info.includes('cluster_size:3')
  }
  await until(async () => (await Promise.all(servers.map(isWhole))).every(Boolean))
  return servers
}

/** Adds a replica to each server of a cluster, and waits until all replicas have the data of their primaries. */
export async function addReplicas(primaries: readonly RedisServer[]): Promise<readonly RedisServer[]> {
  const replicas = await Promise.all(
    primaries.map(async (primary) => {
      const busPort = String(await freePort())
      const replica = await startRedis({
        appendfsync: 'always',
        'cluster-enabled': 'yes',
        'cluster-node-timeout': '1000',
        'repl-diskless-sync-delay': '0',
        'cluster-port': busPort,
      })
      const id = String(await primary.admin.cluster('MYID'))
      await primary.admin.call('CLUSTER', 'MEET', '127.0.0.1', String(replica.port), busPort)
      await until(async () => String(await replica.admin.cluster('NODES')).includes(id))
      await until(async () =>
        replica.admin.cluster('REPLICATE', id).then(
          () => true,
          () => false,
        ),
      )
      await until(async () => /state=online/.test(await primary.admin.info('replication')))
      return replica
    }),
  )
  // Servers do not vote for a replica that they do not know yet.
  const known = `cluster_known_nodes:${primaries.length + replicas.length}`
  const knowsAll = async ({ admin }: RedisServer) => String(await admin.cluster('INFO')).includes(known)
  await until(async () => (await Promise.all([...primaries, ...replicas].map(knowsAll))).every(Boolean))
  return replicas
}
