import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, test } from 'vitest'

/** Why nothing that needs a real Redis can run here; `undefined` if it can. */
export const REDIS_MISSING =
  spawnSync('redis-server', ['--version']).status === 0
    ? undefined
    : 'redis-server is not installed (Debian package: redis-server)'

/** Describes what needs a real Redis. Without one it is skipped and says why, or fails on CI. */
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

/** A real Redis process with a folder of its own. */
export interface RedisServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** A client for looking at it from outside. */
  readonly admin: Redis
  /** Stops it without ending it; the kernel goes on taking connections and bytes. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Ends it abruptly. */
  readonly kill: () => Promise<void>
  /** Starts it anew on the same port and data. */
  readonly start: () => Promise<void>
  /** Copies its data as it is on its disk; what is returned ends it abruptly and starts it anew on that copy. */
  readonly copyData: () => () => Promise<void>
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>
}

/**
 * A port that nothing listens on. Not one of those that the system hands out to whoever asks for any, also for the
 * near end of a connection: such a one may be gone again before it is used.
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
 * Starts Redis on a free port of the loopback interface and waits until it responses.
 *
 * @param settings such as `{ appendfsync: 'always' }`; append-only and without snapshots when nothing else is said
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

/** Asks every few milliseconds until the response is yes. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Starts a cluster of three servers, each with a third of the slots, and waits until all of them say that it works. */
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

/** Gives each server of a cluster a replica, which takes over when it is gone, and waits until all have what theirs has. */
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
  // Servers that have not heard of a replica yet do not vote for it.
  const known = `cluster_known_nodes:${primaries.length + replicas.length}`
  const knowsAll = async ({ admin }: RedisServer) => String(await admin.cluster('INFO')).includes(known)
  await until(async () => (await Promise.all([...primaries, ...replicas].map(knowsAll))).every(Boolean))
  return replicas
}
